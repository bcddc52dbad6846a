"""GitHub over its API: read and written through one client, by one table of what may be tried again."""
