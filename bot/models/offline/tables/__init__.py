"""What was renamed or removed, as data: in Python, in well-known libraries, in the objects that they give."""
