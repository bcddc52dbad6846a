"""The hook door, tried with real commits of every form in every kind of place."""
