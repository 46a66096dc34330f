# Programs of others, by hand.
EXTRA_DIST += test/clients/run
