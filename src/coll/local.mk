core_sources += \
    src/coll/coll.h src/coll/family.h src/coll/call.c src/coll/choice.c src/coll/choice.h src/coll/standing.c src/coll/standing.h src/coll/nonblocking.c src/coll/near.c src/coll/near.h src/coll/part.c \
    src/coll/bind.c src/coll/terms.c src/coll/neighbors.c src/coll/domain.c src/coll/domain.h \
    src/coll/exact.c src/coll/exact.h src/coll/meet.c src/coll/meet.h src/coll/reduce.c src/coll/move.c src/coll/select.c \
    src/coll/rules.h src/coll/rules.c
EXTRA_DIST += src/coll/rules.txt
BUILT_SOURCES += src/coll/gen/rules.inc
CLEANFILES += src/coll/gen/rules.inc

# The shipped rules as a string.
src/coll/gen/rules.inc: src/coll/rules.txt
	$(AM_V_GEN)$(MKDIR_P) src/coll/gen && \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(srcdir)/src/coll/rules.txt >$@.tmp && mv $@.tmp $@
