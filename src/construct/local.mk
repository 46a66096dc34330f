core_sources += \
    src/construct/construct.h src/construct/newcomm.h src/construct/newcomm.c src/construct/intercomm.c \
    src/construct/disconnect.c src/construct/resource.c
