import pytest

from bot.models.service.waiting import LATEST, find_wait

DATE = "Sun, 29 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "99999999"}, LATEST),
        ({"retry-after-ms": "250", "retry-after": "20"}, 0.25),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT", "date": DATE}, 30),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT", "date": DATE}, 0),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT"}, None),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "20ms"}, 360),
        (
            {
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "1m1.5s",
                "x-ratelimit-remaining-tokens": "0",
            },
            61.5,
        ),
        ({"anthropic-ratelimit-input-tokens-reset": "2026-11-29T12:00:09Z", "date": DATE}, 9),
        ({"x-ratelimit-reset": "12"}, 12),
        ({"x-ratelimit-reset": "1795953610", "date": DATE}, 10),
        ({"x-ratelimit-reset": "1795953610000", "date": DATE}, 10),
        ({"x-ratelimit-reset": "1795953610"}, None),
    ],
)
def test_a_wait_is_read_by_the_clock_of_the_service(headers: dict[str, str], wait: float | None) -> None:
    assert find_wait(headers) == wait


@pytest.mark.parametrize(
    ("message", "wait"),
    [
        ("Rate limit reached. Please try again in 1m2.5s.", 62.5),
        ("Please retry in 32.5s.", 32.5),
        ("try again in 20ms", 0.02),
        ("Please retry after 7 seconds", 7),
        ("try again in a while", None),
    ],
)
def test_a_wait_that_is_only_spoken_of_counts_where_no_header_tells(message: str, wait: float | None) -> None:
    assert find_wait({}, message) == wait
    assert find_wait({"retry-after": "3"}, message) == 3
