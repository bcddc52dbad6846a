"""What every service that is asked over the network has in common: its faults, its pace, its calls."""
