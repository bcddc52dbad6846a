"""What runs inside the project's own interpreter; started by boot.py, never imported by the rest of the package."""
