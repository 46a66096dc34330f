core_sources += \
    src/construct/construct.h src/construct/newcomm.h src/construct/newcomm.c src/construct/intercomm.c \
    src/construct/disconnect.c src/construct/resource.c src/construct/letters.h src/construct/letters.c \
    src/construct/from_group.c src/construct/cards.c
