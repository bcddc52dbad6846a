"""A Git-native code agent: every change on a throwaway branch, every step verified."""

__version__ = "0.1.0"
