/* source.c - the one source of events: this library, by the clock of MPI_Wtime. */
#include "object/info.h"
#include "tool/tool.h"

enum { TICKS_PER_SECOND = 1000000000 };

int tf_t_source_get_num(int *num_sources)
{
    *num_sources = 1;
    return MPI_SUCCESS;
}

/* Events are told when they happen, one after the other. */
int tf_t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                         MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                         MPI_Info *info)
{
    int err = tf_tool_index(source_index, 1, "sources");
    if (!err && info)
        err = tf_info_create(info) ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
    if (err)
        return err;
    tf_tool_put_text("treefold", name, name_len);
    tf_tool_put_text("The library in this process, by the clock of MPI_Wtime.", desc, desc_len);
    tf_tool_put(ordering, MPI_T_SOURCE_ORDERED);
    tf_tool_put(ticks_per_second, TICKS_PER_SECOND);
    tf_tool_put(max_ticks, INT64_MAX);
    return MPI_SUCCESS;
}

int tf_t_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
    int err = tf_tool_index(source_index, 1, "sources");
    if (!err)
        *timestamp = tf_time();
    return err;
}
