"""Commands that change the environment that they run in."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.installers import is_installer


@pytest.mark.parametrize(
    "command",
    [
        "pip install -e .",
        "pip3.12 --quiet install x",
        "/usr/bin/pip uninstall -y x",
        "python -m pip install .",
        "python3 -I -m pip --no-input install .",
        "/home/me/.venv/bin/python -m pip install .",
        "python setup.py develop",
        "python -B setup.py install",
        "pip install --target /usr/lib/x x",
        "pip install --prefix=~/.local x",
        "pip install x -t",
        "uv pip install .",
        "uv pip install --python /usr/bin/python3 x",
        "uv pip sync requirements.txt",
        "uv tool install ruff",
        "poetry install --no-root",
        "conda install -y numpy",
        "easy_install x",
        "gem install rake",
        "apt-get -y install gcc",
        "sudo apt install gcc",
        "env A=1 B=2 pip install x",
        "A=1 pip install x",
        "npm install -g typescript",
        "sh -c 'pip install .'",
        "bash -lc 'cd web && pip install .'",
        "bash -e -c 'true; python -m pip install . || exit 1'",
        "sh -c 'sh -c \"pip install .\"'",
        "sh -c 'true\npip install .\n'",
        "sh -c '(pip install .)'",
        """sh -c "pip install . '" """,
    ],
)
def test_a_command_that_installs_is_known(command: str) -> None:
    assert is_installer(shlex.split(command))


@pytest.mark.parametrize(
    "command",
    [
        "python setup.py build_ext --inplace",
        "python -m build --no-isolation",
        "python -m pip wheel .",
        "python -m pip list",
        "pip download x",
        "pip install --target vendor x",
        "pip install --prefix=out x",
        "pip install --dry-run x",
        "python",
        "python -c 'import pip'",
        "python install.py",
        "env",
        "make install",
        "npm ci",
        "npm install",
        "uv sync",
        "uv run pytest",
        "sh -c 'python -m venv env && env/bin/pip install .'",
        "./bin/pip install .",
        "sh build.sh install",
        "echo pip install",
        "sh -c 'echo pip install'",
        "sh",
        "cmake --install build",
        "meson install",
    ],
)
def test_a_command_that_builds_in_the_tree_is_none(command: str) -> None:
    assert not is_installer(shlex.split(command))


@given(
    st.lists(st.sampled_from(["sh", "-c", "env", "pip", "install", "A=1", "-m", "python", "'", "&&", ""]) | st.text())
)
def test_any_command_can_be_looked_at(argv: list[str]) -> None:
    assert is_installer(argv) in (True, False)
