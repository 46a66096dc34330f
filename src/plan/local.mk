core_sources += \
    src/plan/build.c \
    src/plan/check.c \
    src/plan/check.h \
    src/plan/collective.c \
    src/plan/collective.h \
    src/plan/contract.c \
    src/plan/contract.h \
    src/plan/contract_inter.c \
    src/plan/contract_inter.h \
    src/plan/depend.c \
    src/plan/depend.h \
    src/plan/draw.c \
    src/plan/draw.h \
    src/plan/dump.c \
    src/plan/dump.h \
    src/plan/match.c \
    src/plan/order.c \
    src/plan/order.h \
    src/plan/plan.h \
    src/plan/price.c \
    src/plan/price.h \
    src/plan/queue.c \
    src/plan/queue.h \
    src/plan/symbolic.c \
    src/plan/symbolic.h \
    src/plan/value.c \
    src/plan/value.h
