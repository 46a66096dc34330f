core_sources += \
    src/coll/coll.h src/coll/family.h src/coll/call.c src/coll/bind.c src/coll/reduce.c src/coll/move.c \
    src/coll/select.c src/coll/rules.def src/coll/newcomm.c
