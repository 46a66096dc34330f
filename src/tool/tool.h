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
#include "plan/collective.h"

/* When a procedure of the interface may be called: to start it; while it is started; then in callbacks too. */
enum tf_tool_state { TF_TOOL_BEGINS, TF_TOOL_PLAIN, TF_TOOL_RESTRICTED };
int tf_tool_check(enum tf_tool_state state);
/* An error if an argument that must be there is a null pointer. */
static inline int tf_tool_given(const char *name, const void *argument)
{
    return TF_LIKELY(argument != NULL) ? MPI_SUCCESS : tf_error(MPI_T_ERR_INVALID, "%s is a null pointer", name);
}

/* What a user has a handle of. */
enum tf_tool_what { TF_TOOL_CVAR, TF_TOOL_SESSION, TF_TOOL_PVAR, TF_TOOL_REGISTRATION };
enum { TF_TOOL_LEVELS = 4 }; /* of safety */
struct tf_tool {
    struct tf_object obj;
    enum tf_tool_what what;
    int index; /* of its variable or type of events */
    int count; /* of elements */
    /* Of a performance variable, see session.c. */
    MPI_T_pvar_session session;
    MPI_Comm comm;
    bool started;
    uint64_t from, sum;
    /* Of a registration of events, see event.c. */
    struct {
        MPI_T_event_cb_function *function; /* NULL: none */
        void *user_data;
    } callbacks[TF_TOOL_LEVELS];
    MPI_T_event_dropped_cb_function *dropped;
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

/* After a change of what is started or registered: the library is told what there is to hear. */
void tf_tool_listen(void);
/* A callback of events is running. */
extern bool tf_tool_in_callback;

/* The folders of the control variables. */
const char *tf_cvar_folder(int row);

/* The enumeration of the words of a setting (MPI_T_ENUM_NULL: it has none), of the algorithms of a collective, or of
 * the elements of a type of events. */
MPI_T_enum tf_enum_of_setting(int row);
MPI_T_enum tf_enum_of_coll(enum tf_coll coll);
MPI_T_enum tf_enum_of_event(int row);

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

int tf_t_pvar_get_num(int *num_pvar);
int tf_t_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                       MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                       int *readonly, int *continuous, int *atomic);
int tf_t_pvar_get_index(const char *name, int var_class, int *pvar_index);
int tf_t_pvar_session_create(MPI_T_pvar_session *pe_session);
int tf_t_pvar_session_free(MPI_T_pvar_session *pe_session);
int tf_t_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
                           int *count);
int tf_t_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle);
int tf_t_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);
int tf_t_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);
int tf_t_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);
int tf_t_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf);
int tf_t_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle);
int tf_t_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf);

int tf_t_source_get_num(int *num_sources);
int tf_t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                         MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                         MPI_Info *info);
int tf_t_source_get_timestamp(int source_index, MPI_Count *timestamp);

int tf_t_event_get_num(int *num_events);
int tf_t_event_get_info(int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype *array_of_datatypes,
                        MPI_Aint *array_of_displacements, int *num_elements, MPI_T_enum *enumtype, MPI_Info *info,
                        char *desc, int *desc_len, int *bind);
int tf_t_event_get_index(const char *name, int *event_index);
int tf_t_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                            MPI_T_event_registration *event_registration);
int tf_t_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info);
int tf_t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used);
int tf_t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                           MPI_T_event_free_cb_function *free_cb_function);
int tf_t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info,
                                 void *user_data, MPI_T_event_cb_function *event_cb_function);
int tf_t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info);
int tf_t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                 MPI_Info *info_used);
int tf_t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                   MPI_T_event_dropped_cb_function *dropped_cb_function);
int tf_t_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer);
int tf_t_event_copy(MPI_T_event_instance event_instance, void *buffer);
int tf_t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp);
int tf_t_event_get_source(MPI_T_event_instance event_instance, int *source_index);

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
