"""What the repair is measured on: sets of broken programs, each obtained by the person who runs it."""
