"""Where a report is delivered."""
