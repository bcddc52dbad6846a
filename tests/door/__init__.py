"""The action as a runner starts it: its scripts alone, and whole workflows by act."""
