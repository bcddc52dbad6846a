"""Manifests: what they list, and edits that add one thing and change nothing else."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.distributions import distributions_of
from bot.models.offline.manifests import add_runtime, is_manifest, is_modest, read_manifests

PYPROJECT = """[project]
dependencies = ["click[extra]>=8", 'attrs ; python_version < "4"']
[project.optional-dependencies]
Html = ["BeautifulSoup4 >= 4.9"]
[dependency-groups]
dev = ["pytest", {include-group = "docs"}]
[tool.uv]
dev-dependencies = ["rich"]
[tool.hatch.envs.docs]
dependencies = ["sphinx"]
[tool.poetry.dependencies]
python = "^3.11"
requests = "^2"
pillow = {version = "^10", optional = true}
[tool.poetry.group.lint.dependencies]
ruff = "*"
"""

SETUP = "[options]\ninstall_requires =\n"


def test_every_usual_place_is_read() -> None:
    listed = {one.name: (one.sort, one.group) for one in read_manifests({"pyproject.toml": PYPROJECT})}
    assert listed["click"] == listed["attrs"] == ("runtime", "project.dependencies")
    assert listed["beautifulsoup4"] == ("extra", "the extra Html")
    assert listed["pytest"] == ("extra", "the group dev")
    assert listed["rich"] == ("extra", "the group dev")
    assert listed["sphinx"] == ("extra", "the environment docs")
    assert listed["requests"] == ("runtime", "tool.poetry.dependencies")
    assert listed["pillow"] == ("extra", "tool.poetry.dependencies (optional)")
    assert listed["ruff"] == ("extra", "the group lint")


def test_requirements_setup_and_locks_are_read() -> None:
    texts = {
        "requirements.txt": "-r base.txt\nclick>=8  # for the command line\n\n# rich\n",
        "requirements/dev.txt": "pytest==9 \\\n    --hash=sha256:00\n",
        "setup.cfg": "[options]\ninstall_requires =\n    attrs\n[options.extras_require]\nhtml = lxml\n",
        "uv.lock": '[[package]]\nname = "PyYAML"\nversion = "6"\n',
    }
    listed = {one.name: one.sort for one in read_manifests(texts)}
    assert listed == {"click": "runtime", "pytest": "extra", "attrs": "runtime", "lxml": "extra", "pyyaml": "lock"}
    assert all(map(is_manifest, texts))
    assert not is_manifest("docs/notes.txt")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('dependencies = ["a", "z"]  # all\n', 'dependencies = ["a", "m>=1", "z"]  # all\n'),
        ('dependencies = ["z", "a"]\n', 'dependencies = ["z", "a", "m>=1"]\n'),
        ("dependencies = ['a']\n", "dependencies = ['a', 'm>=1']\n"),
        ("dependencies = []\n", 'dependencies = ["m>=1"]\n'),
        ('dependencies = [\n  "a",  # why\n]\n', 'dependencies = [\n  "a",  # why\n  "m>=1",\n]\n'),
        ('dependencies = [\n    "a",\n    "z[x]"\n]\n', 'dependencies = [\n    "a",\n    "m>=1",\n    "z[x]"\n]\n'),
        ('dependencies = [\n\t"b",\n\t"a"  # ]\n]\n', 'dependencies = [\n\t"b",\n\t"a",  # ]\n\t"m>=1"\n]\n'),
    ],
)
def test_a_list_grows_in_its_own_style(before: str, after: str) -> None:
    head, tail = '# head\n[project]\nname = "x"\n', '\n[tool.x]\ndependencies = ["q"]\n'
    assert add_runtime("pyproject.toml", head + before + tail, "m>=1") == head + after + tail


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("requirements.txt", "# x\na\nz\n", "# x\na\nm>=1\nz\n"),
        ("requirements.txt", "z\na", "z\na\nm>=1"),
        ("requirements.txt", "", "m>=1\n"),
        ("setup.cfg", f"{SETUP}    z\nzip_safe = no\n", f"{SETUP}    z\n    m>=1\nzip_safe = no\n"),
    ],
)
def test_other_manifests_grow_by_a_line(path: str, before: str, after: str) -> None:
    assert add_runtime(path, before, "m>=1") == after


@pytest.mark.parametrize(
    "text",
    [
        "[project]\nname = 'x'\n",
        "[project]\ndynamic = ['dependencies']\n[tool.x]\ndependencies = ['a']\n",
        "[tool.poetry]\nname = 'x'\n",
        "[project\ndependencies = ['a']\n",
        "project = {dependencies = ['a']}\n",
    ],
)
def test_what_cannot_be_made_sure_is_not_edited(text: str) -> None:
    assert add_runtime("pyproject.toml", text, "m>=1") is None


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,6}(\[[a-z]+\])?(>=[0-9]{1,2})?", fullmatch=True)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "  # [x] 'y' \"z\"\n    "])


@given(st.lists(st.tuples(NAMES, GAPS, GAPS, st.sampled_from("\"'")), max_size=5), GAPS, st.sampled_from(["", ","]))
def test_however_a_list_is_written_it_grows_by_one(items: list[tuple[str, str, str, str]], end: str, last: str) -> None:
    body = ",".join(f"{before}{quote}{name}{quote}{after}" for name, before, after, quote in items)
    text = f'[project]\nname = "x"\ndependencies = [{body}{last if items else ""}{end}]\n\n[tool.y]\nz = 1\n'
    new = add_runtime("pyproject.toml", text, "mmm>=1")
    if new is None:
        return
    old, told = tomllib.loads(text), tomllib.loads(new)
    added = told["project"].pop("dependencies")
    assert sorted(added) == sorted([*old["project"].pop("dependencies"), "mmm>=1"])
    assert told == old
    assert is_modest("pyproject.toml", text, new)


@given(st.text(max_size=80), st.sampled_from(["pyproject.toml", "setup.cfg", "requirements.txt", "uv.lock"]))
def test_hostile_manifests_are_read_without_harm(text: str, path: str) -> None:
    read_manifests({path: text})
    add_runtime(path, text, "m>=1")


@pytest.mark.parametrize(
    ("module", "distribution"),
    [
        ("yaml", "pyyaml"),
        ("PIL.Image", "pillow"),
        ("google.cloud.storage.blob", "google-cloud-storage"),
        ("google.protobuf", "protobuf"),
        ("some_thing", "some-thing"),
        ("zope.interface", "zope-interface"),
    ],
)
def test_a_module_is_known_by_its_distribution(module: str, distribution: str) -> None:
    assert distribution in distributions_of(module)
