# Several hosts on one machine: maint/check runs them with an installed Treefold.
EXTRA_DIST += test/net/jobs test/net/meets.c test/net/namespaces test/net/vanish.c test/net/guest test/net/vm.py
