"""Candidates that do the same vote together, and what parts the best of them becomes a question."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.repair.worker.ballot import WILD, Ballot, Given, Voter, is_roundabout, steady_ones, weigh_edit
from bot.repair.worker.outcomes import Outcome


def gave(value: object) -> Outcome:
    return Outcome("value", ("int", value), (), "", str(value))


def row(*values: object) -> list[Outcome | None]:
    """Exceptions are told by strings, what is not known by None."""
    raised = {v: Outcome("raised", v, text=v) for v in values if isinstance(v, str)}
    return [None if v is None else raised[v] if isinstance(v, str) else gave(v) for v in values]


def voters(*scores: float) -> list[Voter]:
    return [Voter(score, 0.5, 1.0, str(n)) for n, score in enumerate(scores)]


def members(ballot: Ballot) -> list[tuple[int, ...]]:
    return [group.members for group in ballot.groups()]


def test_two_that_agree_outweigh_one_that_was_expected_more() -> None:
    rows = [row(1, 2, 9), row(1, 2, 8), row(1, 2, 8)]
    ballot = Ballot(voters(0.8, 0.7, 0.6), row(0, 2, 0), rows)
    assert members(ballot) == [(1, 2), (0,)]
    assert ballot.telling == [0, 2]
    same_kind = [voter._replace(template="const") for voter in voters(0.8, 0.7, 0.6)]
    assert members(Ballot(same_kind, row(0, 2, 0), rows)) == [(0,), (1, 2)]


def test_of_those_that_do_the_same_the_smallest_edit_is_told() -> None:
    sizes = [Voter(1.0, 0.9, 4.0), Voter(0.6, 0.3, 1.0), Voter(0.6, 0.6, 1.0)]
    assert members(Ballot(sizes, row(0), [row(1)] * 3)) == [(2, 1, 0)]
    faint = [*sizes, Voter(0.2, 0.2, 0.5), Voter(0.9, 0.9, 0.5, "del_stmt")]
    assert members(Ballot(faint, row(0), [row(1)] * 5)) == [(2, 1, 0, 3, 4)]


def test_what_is_said_in_a_roundabout_way_comes_after_the_same_said_plainly() -> None:
    for plain, clumsy in [("a + b", "a - (-b)"), ("len(s)", "len(s) - 0"), ("n", "n ** 1.0"), ("x[1:]", "x[::1]")]:
        assert is_roundabout(plain, clumsy)
        assert not is_roundabout(clumsy, plain)
    assert not is_roundabout("a - 2", "a - 1")
    voters = [Voter(1.0, 0.9, 1.0, roundabout=True), Voter(0.2, 0.3, 2.0)]
    assert members(Ballot(voters, row(0), [row(1), row(1)])) == [(1, 0)]


def test_what_takes_much_longer_to_do_the_same_comes_after() -> None:
    slow = [outcome and outcome._replace(seconds=0.1) for outcome in row(1)]
    sizes = [Voter(1.0, 0.9, 1.0), Voter(0.2, 0.3, 9.0)]
    assert members(Ballot(sizes, row(0), [slow, row(1)])) == [(1, 0)]


def test_a_failure_where_the_original_did_not_fail_counts_little() -> None:
    rows = [row(1, 5, "IndexError"), row(1, 5, 4), row(1, 6, 4)]
    ballot = Ballot(voters(0.5, 0.4, 0.55), row(0, 5, 4), rows)
    # The first two stand together, and of them the one that does not fail comes first
    assert members(ballot) == [(1,), (0,), (2,)]


def test_what_nobody_can_see_votes_with_nobody() -> None:
    ballot = Ballot(voters(0.5, 0.4, 0.8), row(0, 3), [row(0, 3), row(0, 3), row(1, 3)])
    assert ballot.seen == [False, False, True]
    assert sorted(members(ballot)) == [(0,), (1,), (2,)]


def test_inputs_that_are_not_known_for_all_tell_nothing() -> None:
    ballot = Ballot(voters(0.5, 0.4), row(0, 1, 0), [row(1, None, 2), row(1, 7, 2)])
    assert ballot.telling == [0, 2]
    assert members(ballot) == [(0, 1)]


def test_what_is_not_the_same_twice_is_left_out_with_whoever_makes_it_so() -> None:
    wild = Outcome(WILD)
    original = [*row(1, 2), wild]
    rows = [row(3, 4, 5), [*row(3), wild, *row(5)], row(3, 4, 6)]
    steady, first, left = steady_ones([0, 1, 2], original, rows)
    assert steady == [0, 2]
    # The third function is wild by itself
    assert first == [*row(1, 2), None]
    assert left == [[*row(3, 4), None]] * 2


def test_the_plainest_input_is_asked_about() -> None:
    rows = [row(1, 2, 3, 4), row(9, 8, 7, "KeyError")]
    ballot = Ballot(voters(0.5, 0.4), row(0, 0, 0, 0), rows)
    inputs = [
        Given("f([1, 2, 3, 4])", seen=False),
        Given("f([1, 2])", seen=True),
        Given("_f(1)", seen=True, private=True),
        Given("f([])", seen=True),
    ]
    assert ballot.choose(0, 1, inputs) == ("f([1, 2])", "2", "8")
    assert ballot.choose(1, 0, inputs[:1] * 4) is not None
    assert Ballot(voters(1, 1), row(0), [row(1), row(1)]).choose(0, 1, inputs[:1]) is None


def test_the_size_of_an_edit_is_what_it_brings_and_half_of_what_it_takes() -> None:
    assert weigh_edit("len(s) - 1", "len(s)") == 1.0
    assert weigh_edit("len(s) - 1", "len(s) - 0") == 1.5
    assert weigh_edit("a < b", "a <= b") == 1.0
    assert weigh_edit("a - b", "(b - a)") == weigh_edit("f(a, b)", "f(b, a)") == 2.0
    assert weigh_edit("a", "(a)") == weigh_edit("", "") == 0


outcome = st.sampled_from([*map(gave, range(3)), Outcome("raised", "ValueError", text="ValueError"), None])


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(outcome, min_size=4, max_size=4), min_size=n + 1, max_size=n + 1)
    )
)
def test_every_candidate_is_in_one_group_and_groups_agree(rows: list[list[Outcome | None]]) -> None:
    original, *others = rows
    ballot = Ballot(voters(*(1 / (n + 1) for n in range(len(others)))), original, others)
    groups = ballot.groups()
    assert sorted(member for group in groups for member in group.members) == list(range(len(others)))
    for group in groups:
        for member in group.members:
            assert all(others[member][n] == others[group.members[0]][n] for n in ballot.telling)
    given = [Given(f"f({n})", seen=True) for n in range(4)]
    for one in groups[1:]:
        pair = groups[0].members[0], one.members[0]
        if all(ballot.seen[member] for member in pair):
            assert ballot.choose(*pair, given) is not None
