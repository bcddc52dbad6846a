"""What answers each operation of the interface."""
