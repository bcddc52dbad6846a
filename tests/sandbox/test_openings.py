from pathlib import Path

from bot.sandbox.openings import around, system_places


def test_what_is_hidden_is_left_out_and_all_else_stays(tmp_path: Path) -> None:
    for place in ("a/b/secret", "a/b/c", "d"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "a/file").touch()
    (tmp_path / "a/link").symlink_to(tmp_path / "a/b/secret")
    found = around(tmp_path, {tmp_path / "a/b/secret", Path("/elsewhere")})
    assert sorted(str(path.relative_to(tmp_path)) for path in found) == ["a/b/c", "a/file", "d"]
    assert list(around(tmp_path, {Path("/elsewhere")})) == [tmp_path]
    assert list(around(tmp_path, {tmp_path})) == []


def test_a_checkout_among_the_systems_folders_is_hidden() -> None:
    usual, without = system_places(frozenset()), system_places(frozenset({Path("/usr/share")}))
    assert Path("/usr") in usual
    assert Path("/usr/lib") in without
    assert not {Path("/usr"), Path("/usr/share"), Path("/etc/shadow")} & {*without}
