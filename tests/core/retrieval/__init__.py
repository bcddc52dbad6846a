"""Tests of what is read from the logs of red CI runs."""
