/* small_env.c - procedures of the environment that need no core: memory, addresses, state. */
#include "check.h"

#include "base/settings.h"
#include "heap/heap.h"
#include "object/info.h"

int PMPI_Pcontrol(int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
TF_ALIAS(MPI_Pcontrol);

/* Both may be called at any time, by any thread: they only read. */
int PMPI_Initialized(int *flag)
{
    if (check_out("flag", flag))
        return tf_error_raise(tf_comm_site(NULL), "MPI_Initialized", MPI_ERR_ARG);
    *flag = tf_world.initialized;
    return MPI_SUCCESS;
}
TF_ALIAS(MPI_Initialized);

int PMPI_Finalized(int *flag)
{
    if (check_out("flag", flag))
        return tf_error_raise(tf_comm_site(NULL), "MPI_Finalized", MPI_ERR_ARG);
    *flag = tf_world.finalized;
    return MPI_SUCCESS;
}
TF_ALIAS(MPI_Finalized);

static int alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    struct tf_info *hints = NULL;
    void *memory;
    int err;

    if ((err = check_running()) || (err = check_count("size", size)) || (err = find_hints("info", info, &hints)) ||
        (err = check_out("baseptr", baseptr)))
        return err;
    memory = (tf_settings.shared_heap ? tf_heap_alloc : tf_heap_alloc_private)((size_t)size, tf_info_alignment(hints),
                                                                               "MPI_Alloc_mem");
    if (!memory)
        return MPI_ERR_NO_MEM;
    memcpy(baseptr, &memory, sizeof memory);
    return MPI_SUCCESS;
}

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    tf_caller_enter("MPI_Alloc_mem");
    int err = alloc_mem(size, info, baseptr);
    if (err)
        err = tf_error_raise(tf_comm_site(NULL), "MPI_Alloc_mem", err);
    tf_caller_leave();
    return err;
}
TF_ALIAS(MPI_Alloc_mem);

int PMPI_Free_mem(void *base)
{
    int err = check_running();
    if (!err)
        err = tf_heap_free(base);
    return err ? tf_error_raise(tf_comm_site(NULL), "MPI_Free_mem", err) : MPI_SUCCESS;
}
TF_ALIAS(MPI_Free_mem);

int PMPI_Get_address(const void *location, MPI_Aint *address)
{
    if (check_out("address", address))
        return tf_error_raise(tf_comm_site(NULL), "MPI_Get_address", MPI_ERR_ARG);
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}
TF_ALIAS(MPI_Get_address);

int PMPI_Address(const void *location, MPI_Aint *address)
{
    if (check_out("address", address))
        return tf_error_raise(tf_comm_site(NULL), "MPI_Address", MPI_ERR_ARG);
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}
TF_ALIAS(MPI_Address);

/* Addresses beyond the middle of the address space are negative: the arithmetic is modular (MPI-5.0 section 5.1.5). */
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}
TF_ALIAS(MPI_Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
TF_ALIAS(MPI_Aint_diff);
