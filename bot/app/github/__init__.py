"""The GitHub door: what is ordered there is worked on without credentials, and published without trust."""
