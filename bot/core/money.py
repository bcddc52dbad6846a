"""Amounts of money, as a person reads them."""

CENT = 0.01


def show_dollars(cost: float) -> str:
    """Write US dollars: cents, and below one of them what still tells amounts apart."""
    if not cost:
        return "$0"
    return f"${cost:,.2f}" if cost >= CENT else f"${cost:.4f}"
