"""From the outside world to a request."""
