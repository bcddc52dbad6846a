import pytest

from bot.errors import MalformedReply
from bot.models.service.events import LONGEST, Sent, begin, is_whole, read_events

STREAM = (
    b"event: a\ndata: one\n\n: ping\n\ndata:two\ndata: lines\nid: 7\n\n"
    b'data\n\nretry: 3\n\nerror: {"code":500}\n\ndata: last'
)
READ = [Sent("a", "one"), Sent("", "two\nlines"), Sent("error", '{"code":500}'), Sent("", "last")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_read_however_lines_end_and_pieces_fall(end: bytes, size: int) -> None:
    raw = b"\xef\xbb\xbf" + STREAM.replace(b"\n", end)
    assert list(read_events(raw[at : at + size] for at in range(0, len(raw), size))) == READ


def test_letters_that_are_none_do_not_stop_it() -> None:
    assert list(read_events([b"data: \xff\xfe\n", b"\n"])) == [Sent("", "\ufffd\ufffd")]
    assert list(read_events(["data: é\n\n".encode()[:7], "é".encode()[1:] + b"\n\n"])) == [Sent("", "é")]


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 1_000_000, b"data: " + b"x" * 1_000_000 + b"\n"])
def test_an_event_without_an_end_is_refused(piece: bytes) -> None:
    with pytest.raises(MalformedReply):
        list(read_events(piece for _ in range(LONGEST // 1_000_000 + 1)))


def test_events_come_as_soon_as_they_are_whole() -> None:
    def pieces() -> object:
        yield b"data: one\n\nda"
        raise AssertionError("asked for more than was needed")

    events = read_events(pieces())  # type: ignore[arg-type]
    assert next(events) == Sent("", "one")


def test_what_only_keeps_the_connection_alive_is_no_event() -> None:
    assert list(read_events([b"\0\n\ndata:\n\n\0data: one\n\n"])) == [Sent("", "one")]


@pytest.mark.parametrize("body", [b'{"a": 1}', b"\xef\xbb\xbf\r\n [1]", b"<html>"])
def test_what_is_no_event_is_known_by_how_it_begins(body: bytes) -> None:
    assert is_whole(begin(iter([body[:1], body[1:2], body[2:]])))
    assert not is_whole(begin(iter([b": {", b"}"])))
