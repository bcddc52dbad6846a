"""What runs inside the project's own interpreter (Python 3.8 or newer) and reports over a private pipe."""
