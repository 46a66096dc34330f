# Tests of the commands: each takes an installation prefix.  Shipped whole.
EXTRA_DIST += test/cmd test/launch
