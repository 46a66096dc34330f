/* small.c - Fortran wrappers that are no rule's: functions, strings with lengths of their own, statuses.
 */
#include <string.h>

#include "fortran.h"

TF_PUBLIC double FC_FUNC_(pmpi_wtime, PMPI_WTIME)(void)
{
    return MPI_Wtime();
}
TF_ALIAS(mpi_wtime, MPI_WTIME)

TF_PUBLIC double FC_FUNC_(pmpi_wtick, PMPI_WTICK)(void)
{
    return MPI_Wtick();
}
TF_ALIAS(mpi_wtick, MPI_WTICK)

TF_PUBLIC MPI_Aint FC_FUNC_(pmpi_aint_add, PMPI_AINT_ADD)(MPI_Aint *base, MPI_Aint *disp)
{
    return MPI_Aint_add(*base, *disp);
}
TF_ALIAS(mpi_aint_add, MPI_AINT_ADD)

TF_PUBLIC MPI_Aint FC_FUNC_(pmpi_aint_diff, PMPI_AINT_DIFF)(MPI_Aint *addr1, MPI_Aint *addr2)
{
    return MPI_Aint_diff(*addr1, *addr2);
}
TF_ALIAS(mpi_aint_diff, MPI_AINT_DIFF)

TF_PUBLIC void FC_FUNC_(pmpi_pcontrol, PMPI_PCONTROL)(MPI_Fint *level)
{
    MPI_Pcontrol(*level);
}
TF_ALIAS(mpi_pcontrol, MPI_PCONTROL)

/* The value of a key, without its final null character, of at most `length` characters. */
static int get_value(MPI_Fint info, const char *key, size_t key_length, int length, char *value, size_t value_length,
                     MPI_Fint *flag, int *wanted)
{
    int length_c = length > 0 ? length + 1 : 0, flag_c = TF_UNSET, err;
    char *key_c = tf_string_c(key, key_length, true), *value_c = malloc((size_t)length_c + 1);

    if (!key_c || !value_c)
        err = tf_no_memory("MPI_Info_get_string");
    else
        err = MPI_Info_get_string(tf_info_c(info), key_c, &length_c, value_c, &flag_c);
    tf_set_logical(flag, flag_c);
    if (err == MPI_SUCCESS && flag_c) {
        if (length > 0)
            tf_string_f(value, value_length, value_c);
        *wanted = length_c - 1;
    }
    free(key_c);
    free(value_c);
    return err;
}

TF_PUBLIC void FC_FUNC_(pmpi_info_get_string, PMPI_INFO_GET_STRING)(MPI_Fint *info, char *key, MPI_Fint *buflen,
                                                                    char *value, MPI_Fint *flag, MPI_Fint *ierror,
                                                                    size_t key_length, size_t value_length)
{
    int wanted = *buflen;

    *ierror = get_value(*info, key, key_length, *buflen, value, value_length, flag, &wanted);
    *buflen = wanted;
}
TF_ALIAS(mpi_info_get_string, MPI_INFO_GET_STRING)

/* The length is that of the name, without the final null character of C. */
TF_PUBLIC void FC_FUNC_(pmpi_session_get_nth_pset,
                        PMPI_SESSION_GET_NTH_PSET)(MPI_Fint *session, MPI_Fint *info, MPI_Fint *n, MPI_Fint *pset_len,
                                                   char *pset_name, MPI_Fint *ierror, size_t name_length)
{
    int length = *pset_len > 0 ? *pset_len + 1 : *pset_len;
    char *name = malloc(length > 0 ? (size_t)length : 1);
    *ierror = name ? MPI_Session_get_nth_pset(tf_session_c(*session), tf_info_c(*info), *n, &length, name)
                   : tf_no_memory("MPI_Session_get_nth_pset");
    if (*ierror == MPI_SUCCESS) {
        if (*pset_len > 0)
            tf_string_f(pset_name, name_length, name);
        *pset_len = length - 1;
    }
    free(name);
}
TF_ALIAS(mpi_session_get_nth_pset, MPI_SESSION_GET_NTH_PSET)

TF_PUBLIC void FC_FUNC_(pmpi_info_get, PMPI_INFO_GET)(MPI_Fint *info, char *key, MPI_Fint *valuelen, char *value,
                                                      MPI_Fint *flag, MPI_Fint *ierror, size_t key_length,
                                                      size_t value_length)
{
    int flag_c = TF_UNSET;
    char *key_c = tf_string_c(key, key_length, true);
    char *value_c = malloc(*valuelen > 0 ? (size_t)*valuelen + 1 : 1);

    if (!key_c || !value_c)
        *ierror = tf_no_memory("MPI_Info_get");
    else
        *ierror = MPI_Info_get(tf_info_c(*info), key_c, *valuelen, value_c, &flag_c);
    tf_set_logical(flag, flag_c);
    if (*ierror == MPI_SUCCESS && flag_c)
        tf_string_f(value, value_length, value_c);
    free(key_c);
    free(value_c);
}
TF_ALIAS(mpi_info_get, MPI_INFO_GET)

/* The status of mpi_f08 has the words of the others. */
TF_PUBLIC void FC_FUNC_(pmpi_status_f2f08, PMPI_STATUS_F2F08)(MPI_Fint *f_status, MPI_Fint *f08_status,
                                                              MPI_Fint *ierror)
{
    *ierror = MPI_Status_f2f08(f_status, (MPI_F08_status *)f08_status);
}
TF_ALIAS(mpi_status_f2f08, MPI_STATUS_F2F08)

TF_PUBLIC void FC_FUNC_(pmpi_status_f082f, PMPI_STATUS_F082F)(MPI_Fint *f08_status, MPI_Fint *f_status,
                                                              MPI_Fint *ierror)
{
    *ierror = MPI_Status_f082f((MPI_F08_status *)f08_status, f_status);
}
TF_ALIAS(mpi_status_f082f, MPI_STATUS_F082F)
