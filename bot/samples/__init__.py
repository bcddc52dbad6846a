"""Small projects with a history, to show a run on."""
