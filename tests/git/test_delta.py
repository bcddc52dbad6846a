import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import WorkspaceError
from bot.git.delta import MOST_PATHS, Delta, find_clashes, parse_tree, walk


def tree(*entries: tuple[bytes, bytes, str]) -> bytes:
    return b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid * 40) for mode, name, oid in entries)


def test_modes_that_git_takes_for_the_same_are_the_same() -> None:
    trees = {"old": tree((b"100664", b"a", "1"), (b"100644", b"b", "1"), (b"40000", b"d", "5")), "5" * 40: b""}
    trees |= {"new": tree((b"100644", b"a", "1"), (b"100755", b"b", "1"), (b"040000", b"d", "5"))}
    assert walk(trees.__getitem__, "old", "new") == [Delta("M", b"b", "100644", "100755", "1" * 40, "1" * 40)]


@pytest.mark.parametrize(
    "data",
    [
        tree((b"100644", b"a", "1"), (b"100644", b"a", "2")),
        tree((b"100644", b"a", "1"), (b"40000", b"a", "2")),
        tree((b"100644", b"a/b", "1")),
        tree((b"100644", b"", "1")),
        tree((b"100644", b"a", "1"))[:-1],
        b"nonsense",
    ],
)
def test_tree_that_git_would_not_have_written_is_not_believed(data: bytes) -> None:
    with pytest.raises(WorkspaceError, match="damaged"):
        parse_tree(data)


def test_trees_that_hold_each_other_many_times_over_come_to_an_end() -> None:
    level = {str(n)[-1] * 40: n for n in range(1, 10)}
    names = [b"%d" % n for n in range(10)]

    def read(oid: str) -> bytes:
        n = level.get(oid, 0)
        below = "b" if n == 9 else str(n + 1)
        return tree(*((b"100644" if n == 9 else b"40000", name, below) for name in names))

    with pytest.raises(WorkspaceError, match=f"more than {MOST_PATHS:,} paths"):
        walk(read, "", "root")


FILES = st.dictionaries(
    st.binary(min_size=1, max_size=3).filter(lambda b: not set(b) & {0, 47}), st.sampled_from("123")
)


@given(FILES, FILES)
def test_flat_trees_differ_as_their_entries_do(old: dict[bytes, str], new: dict[bytes, str]) -> None:
    trees = {
        key: tree(*((b"100644", name, oid) for name, oid in files.items())) for key, files in (("o", old), ("n", new))
    }
    found = {delta.path: delta.status for delta in walk(trees.__getitem__, "o", "n")}
    both = old.keys() & new.keys()
    assert found == {
        **dict.fromkeys(new.keys() - both, "A"),
        **dict.fromkeys(old.keys() - both, "D"),
        **{name: "M" for name in both if old[name] != new[name]},
    }
    assert list(found) == sorted(found)


def test_names_that_were_there_before_clash_with_nothing_new() -> None:
    folders = {b"": [b"Lib", b"lib"], b"lib/": [b"x.py"]}
    known = folders.get
    assert list(find_clashes([b"lib/new.py"], lambda f: known(f, ()), lambda f: known(f, ()))) == []
    after = {**folders, b"lib/": [b"x.py", b"X.py", b"\xff.py"]}
    assert list(find_clashes([b"lib/X.py", b"lib/\xff.py"], lambda f: known(f, ()), lambda f: after.get(f, ()))) == [
        ("lib/X.py", "lib/x.py")
    ]
