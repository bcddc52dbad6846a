"""`make redteam`: plays every case at every level that this machine offers, and prints what was stopped."""

import sys

from tests.redteam.campaign import main

raise SystemExit(main(sys.argv[1:]))
