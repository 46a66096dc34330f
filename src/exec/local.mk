core_sources += \
    src/exec/exec.h src/exec/exec.c src/exec/inorder.c src/exec/graph.c src/exec/step.c src/exec/user.c \
    src/exec/cache.c
