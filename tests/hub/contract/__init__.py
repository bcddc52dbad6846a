"""GitHub's own description of the requests that we make, and what is held against it."""
