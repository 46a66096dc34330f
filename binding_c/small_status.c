/* small_status.c - reading and writing the parts of a status (MPI-5.0 sections 3.2.5 and 13.3). */
#include "check.h"

#include "base/status.h"

/* MPI_STATUS_IGNORE is the null pointer: it has no parts. */
static int check_status(const char *procedure, const MPI_Status *status)
{
    if (TF_LIKELY(status))
        return MPI_SUCCESS;
    return tf_error_raise(tf_comm_site(NULL), procedure, tf_error(MPI_ERR_ARG, "status is MPI_STATUS_IGNORE or null"));
}

static int get(const char *procedure, const MPI_Status *status, int part, const char *name, int *value)
{
    int err = check_status(procedure, status);
    if (err)
        return err;
    if (check_out(name, value))
        return tf_error_raise(tf_comm_site(NULL), procedure, MPI_ERR_ARG);
    *value = part;
    return MPI_SUCCESS;
}

#define PART(status, member) ((status) ? (status)->member : 0)

int PMPI_Status_get_source(const MPI_Status *status, int *source)
{
    return get("MPI_Status_get_source", status, PART(status, MPI_SOURCE), "source", source);
}
TF_ALIAS(MPI_Status_get_source);

int PMPI_Status_get_tag(const MPI_Status *status, int *tag)
{
    return get("MPI_Status_get_tag", status, PART(status, MPI_TAG), "tag", tag);
}
TF_ALIAS(MPI_Status_get_tag);

int PMPI_Status_get_error(const MPI_Status *status, int *err)
{
    return get("MPI_Status_get_error", status, PART(status, MPI_ERROR), "err", err);
}
TF_ALIAS(MPI_Status_get_error);

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    return get("MPI_Test_cancelled", status, PART(status, MPI_internal[2]) != 0, "flag", flag);
}
TF_ALIAS(MPI_Test_cancelled);

int PMPI_Status_set_source(MPI_Status *status, int source)
{
    int err = check_status("MPI_Status_set_source", status);
    if (!err)
        status->MPI_SOURCE = source;
    return err;
}
TF_ALIAS(MPI_Status_set_source);

int PMPI_Status_set_tag(MPI_Status *status, int tag)
{
    int err = check_status("MPI_Status_set_tag", status);
    if (!err)
        status->MPI_TAG = tag;
    return err;
}
TF_ALIAS(MPI_Status_set_tag);

int PMPI_Status_set_error(MPI_Status *status, int err)
{
    int failed = check_status("MPI_Status_set_error", status);
    if (!failed)
        status->MPI_ERROR = err;
    return failed;
}
TF_ALIAS(MPI_Status_set_error);

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    int err = check_status("MPI_Status_set_cancelled", status);
    if (!err)
        status->MPI_internal[2] = flag != 0;
    return err;
}
TF_ALIAS(MPI_Status_set_cancelled);
