#!/usr/bin/env bash
# test/cmd/late_test.sh PREFIX - programs that load the library at run time, as those of other languages do.
#
# The loader keeps little memory for the thread-local variables of libraries that come late, and another library may have
# taken most of it: OpenMP's, in R and Python.
set -u
prefix=$(cd "${1:?usage: test/cmd/late_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
unset "${!TREEFOLD_@}"

cat >"$work/hog.c" <<'END'
static _Thread_local char memory[1400] __attribute__((tls_model("initial-exec")));
char *get(void) { return memory; }
END
cat >"$work/late.c" <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *library;
#define CALL(name) ((__typeof__(&name))dlsym(library, #name))

static void *load(const char *path, int how)
{
    void *loaded = dlopen(path, RTLD_NOW | how);
    if (!loaded)
        puts(dlerror());
    return loaded;
}

/* An error of another thread, whose text is that thread's own. */
static void *err(void *unused)
{
    int rank, length;
    char text[MPI_MAX_ERROR_STRING] = "";
    CALL(MPI_Error_string)(CALL(MPI_Comm_rank)(MPI_COMM_NULL, &rank), text, &length);
    return strstr(text, "MPI_ERR_COMM") ? library : unused;
}

int main(int argc, char **argv)
{
    int how = strcmp(argv[3], "global") ? RTLD_LOCAL : RTLD_GLOBAL;
    for (int turn = 0; turn < 2; turn++) {
        int provided, rank = 1, sum = 0, last = turn == 1;
        pthread_t thread;
        void *found = NULL;
        if (!load(argv[1], how) || !(library = load(argv[2], how)))
            return 1;
        if (last) {
            CALL(MPI_Init_thread)(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
            CALL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
            CALL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            CALL(MPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            CALL(MPI_Allreduce)(&provided, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (pthread_create(&thread, NULL, err, NULL) || pthread_join(thread, &found) || found != library)
                return 2;
            CALL(MPI_Finalize)();
        } else {
            CALL(MPI_Get_version)(&provided, &sum);
        }
        dlclose(library);
        if (last && rank == 0)
            puts("done");
    }
    return 0;
}
END
cc=$("$prefix/bin/mpicc" -show | cut -d' ' -f1)
check 'a library with much thread-local memory builds' "$cc" -fPIC -shared "$work/hog.c" -o "$work/libhog.so"
check 'a program that is not linked with MPI builds' "$cc" -I"$prefix/include" "$work/late.c" -o "$work/late" -ldl -lpthread

lib=$prefix/lib/libmpi_abi.so.1
for scope in local global; do
    equal "$scope, alone" 'done' "$("$work/late" "$work/libhog.so" "$lib" $scope 2>&1)"
    equal "$scope, two ranks" 'done' "$("$prefix/bin/mpiexec" -timeout 60 -n 2 "$work/late" "$work/libhog.so" "$lib" $scope 2>&1)"
done
finish
