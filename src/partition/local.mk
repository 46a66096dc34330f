core_sources += \
    src/partition/partition.h src/partition/partition.c src/partition/rendezvous.h src/partition/rendezvous.c \
    src/partition/psend.h src/partition/psend.c src/partition/precv.h src/partition/precv.c src/partition/marks.h \
    src/partition/marks.c
