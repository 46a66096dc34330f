core_sources += \
    src/plan/build.c \
    src/plan/check.c \
    src/plan/check.h \
    src/plan/collective.c \
    src/plan/collective.h \
    src/plan/contract.c \
    src/plan/contract.h \
    src/plan/dump.c \
    src/plan/dump.h \
    src/plan/match.c \
    src/plan/order.c \
    src/plan/order.h \
    src/plan/plan.h \
    src/plan/symbolic.c \
    src/plan/symbolic.h \
    src/plan/value.c \
    src/plan/value.h
