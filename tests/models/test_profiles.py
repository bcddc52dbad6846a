"""What is known of models: found by whatever name a service or a gateway has for them, assumed where it is not."""

import pytest

from bot.models.profile import Price
from bot.models.profiles import (
    FREE,
    HOMES,
    LOCAL_WINDOW,
    OUTPUT,
    WINDOW,
    Overrides,
    Service,
    default_name,
    find_profile,
    read_price,
    read_table,
    show_price,
)

HOME = Overrides("http://localhost:11434/v1")


def test_the_table_holds_prices_that_can_be_true() -> None:
    table = read_table()
    for entry in (*table.openai.values(), *table.anthropic.values()):
        assert entry.price is not None
        read, said, cached, written = entry.price
        assert 0 < cached <= read <= written <= said
        assert entry.output < entry.window
        if entry.dear:
            assert entry.dear.above < entry.window
            assert all(more > less for more, less in zip(entry.dear.price, entry.price, strict=True))
    for entry in table.open.values():
        assert entry.price is None
    for service in HOMES:
        assert find_profile(service, default_name(service)).known


@pytest.mark.parametrize(
    ("service", "name", "same"),
    [
        ("openai", "gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("openai", "gpt-4.1-latest", "gpt-4.1"),
        ("openai", "openrouter/openai/gpt-5.5", "gpt-5.5"),
        ("openai", "anthropic/claude-sonnet-4.6", "claude-sonnet-4-6"),
        ("anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic", "claude-opus-4-5@20251101", "claude-opus-4-5"),
    ],
)
def test_a_model_is_found_by_the_names_that_it_has_elsewhere(service: Service, name: str, same: str) -> None:
    found, plain = find_profile(service, name), find_profile(service, same)
    assert (found.known, found.price, found.window, found.output) == (True, plain.price, plain.window, plain.output)
    assert found.name == name


@pytest.mark.parametrize(
    "name", ["gpt-5-minimum", "gpt-5-mini-next", "somebody/gpt-5.5", "my-model", "claude-sonnet-5-6"]
)
def test_a_name_that_only_begins_like_one_is_unknown_and_has_no_price(name: str) -> None:
    found = find_profile("openai", name)
    assert (found.known, found.price, found.window, found.output) == (False, None, WINDOW, OUTPUT)
    near = find_profile("openai", name, HOME)
    assert (near.known, near.price, near.window) == (False, None, LOCAL_WINDOW)


@pytest.mark.parametrize(
    "name", ["qwen3-coder:30b", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder-30b-q4_k_m.gguf"]
)
def test_open_weights_cost_nothing_on_this_machine_only(name: str) -> None:
    near, far = find_profile("openai", name, HOME), find_profile("openai", name, Overrides("http://10.0.0.7/v1"))
    assert (near.known, near.price, near.window) == (True, FREE, LOCAL_WINDOW)
    assert (far.known, far.price, far.window) == (True, None, 262_144)
    # What leads elsewhere from here is not free for being near
    assert find_profile("openai", "openai/gpt-5.5", HOME).price == find_profile("openai", "gpt-5.5").price


def test_a_window_ends_where_requests_become_dearer_unless_a_person_pays_for_more() -> None:
    usual, wide = (
        find_profile("anthropic", "claude-haiku-5-5"),
        find_profile("anthropic", "claude-haiku-5-5", Overrides(window=200_000)),
    )
    assert (usual.window, wide.window) == (100_000, 200_000)
    assert usual.price is not None
    assert wide.price is not None
    assert wide.price.input == 5 * usual.price.input
    told = find_profile("openai", "gpt-6.2-sol", Overrides(window=20_000, output=30_000, price=FREE, calls="native"))
    assert (told.window, told.output, told.price, told.calls) == (20_000, 20_000, FREE, "native")


def test_a_model_is_asked_on_the_interface_that_it_is_known_to_want_by_the_service_itself() -> None:
    own, gateway = Overrides(HOMES["openai"]), Overrides("https://gateway.example/v1")
    told = [find_profile("openai", "gpt-6.2-sol", where) for where in (own, gateway, Overrides())]
    assert [(found.wire, found.calls) for found in told] == [
        ("responses", "native"),
        ("chat", "native"),
        ("responses", "native"),
    ]
    assert find_profile("openai", "gpt-4.1").wire == find_profile("openai", "my-model").wire == "chat"


def test_a_price_is_read_as_it_is_written_and_what_is_left_out_is_rather_dear() -> None:
    assert read_price("0") == FREE
    assert read_price("2/10") == Price(2, 10, 2, 2.5)
    assert read_price("2/10/.1/3".replace("/.1", "/0.1")) == Price(2, 10, 0.1, 3)
    assert [show_price(price) for price in (None, FREE, Price(2, 10, 0.1, 2.5))] == ["unknown", "0", "2/10/0.1/2.5"]
