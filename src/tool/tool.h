/* tool.h - the tool information interface, MPI_T (MPI-5.0 section 15.3): what the settings are, what the library counts
 * and what happens in it, by name.
 *
 * It may be used before MPI_Init and after MPI_Finalize.  Its error codes are returned and raised nowhere; like all
 * errors they come with words (tf_error).  Where an output may be a null pointer, nothing is written to it.
 *
 * The variables are rows elsewhere: control variables are the settings (base/settings.def).
 */
#ifndef TF_TOOL_H
#define TF_TOOL_H

#include "base/handle.h"

/* When a procedure of the interface may be called: to start it; while it is started; then in callbacks too. */
enum tf_tool_state { TF_TOOL_BEGINS, TF_TOOL_PLAIN, TF_TOOL_RESTRICTED };
int tf_tool_check(enum tf_tool_state state);
/* An error if an argument that must be there is a null pointer. */
static inline int tf_tool_given(const char *name, const void *argument)
{
    return TF_LIKELY(argument != NULL) ? MPI_SUCCESS : tf_error(MPI_T_ERR_INVALID, "%s is a null pointer", name);
}

/* What a user has a handle of. */
enum tf_tool_what { TF_TOOL_CVAR };
struct tf_tool {
    struct tf_object obj;
    enum tf_tool_what what;
    int index; /* of its variable */
    int count; /* of elements */
};
/* A new one, which the caller fills in; NULL: no memory (MPI_T_ERR_MEMORY).  Its handle is tf_tool_handle(). */
struct tf_tool *tf_tool_take(enum tf_tool_what what);
void tf_tool_give(struct tf_tool *tool);
/* The object of a handle, or MPI_T_ERR_INVALID_HANDLE in words. */
int tf_tool_get(const void *handle, enum tf_tool_what what, struct tf_tool **tool);
static inline void *tf_tool_handle(const struct tf_tool *tool)
{
    return (void *)(uintptr_t)tool->obj.handle;
}

/* MPI_T_ERR_INVALID_INDEX unless it is one of `count`: "control variables", say. */
int tf_tool_index(int index, int count, const char *what);
/* A string as the interface gives it (section 15.3.3): as much of it as fits, and how long it is with its end; `to` or
 * `length` may be NULL. */
void tf_tool_put_text(const char *text, char *to, int *length);
#define tf_tool_put(place, value)                                                                                      \
    do {                                                                                                               \
        if (place)                                                                                                     \
            *(place) = (value);                                                                                        \
    } while (0)
/* How many rows there are in a folder, and where `indices` is given at most `length` of them. */
int tf_tool_in_folder(const char *folder, int count, const char *(*folder_of)(int row), int length, int *indices);

/* The folders of the control variables. */
const char *tf_cvar_folder(int row);

/* The enumeration of the words of a setting, or of the algorithms of a collective. */
MPI_T_enum tf_enum_of_setting(int row);

int tf_t_init_thread(int required, int *provided);
int tf_t_finalize(void);

int tf_t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);
int tf_t_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name, int *name_len);

int tf_t_cvar_get_num(int *num_cvar);
int tf_t_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                       MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope);
int tf_t_cvar_get_index(const char *name, int *cvar_index);
int tf_t_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count);
int tf_t_cvar_handle_free(MPI_T_cvar_handle *handle);
int tf_t_cvar_read(MPI_T_cvar_handle handle, void *buf);
int tf_t_cvar_write(MPI_T_cvar_handle handle, const void *buf);

int tf_t_category_get_num(int *num_cat);
int tf_t_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                           int *num_pvars, int *num_categories);
int tf_t_category_get_num_events(int cat_index, int *num_events);
int tf_t_category_get_index(const char *name, int *cat_index);
int tf_t_category_get_cvars(int cat_index, int len, int *indices);
int tf_t_category_get_pvars(int cat_index, int len, int *indices);
int tf_t_category_get_events(int cat_index, int len, int *indices);
int tf_t_category_get_categories(int cat_index, int len, int *indices);
int tf_t_category_changed(int *update_number);

#endif
