/* category.c - categories (MPI-5.0 section 15.3.9): one for each folder, named like it.  They never change. */
#include "tool/tool.h"

#include "base/settings.h"
#include "tool/event.h"
#include "tool/pvar.h"

static const struct category {
    const char *name, *parent, *sentence;
} categories[] = {
#define TF_CATEGORY(folder, parent, sentence) {folder, parent, sentence},
#include "tool/categories.def"
#undef TF_CATEGORY
};
enum { COUNT = TF_ARRAY_LEN(categories) };

static const char *parent_of(int row)
{
    return categories[row].parent;
}

static int find(int cat_index, const struct category **category)
{
    int err = tf_tool_index(cat_index, COUNT, "categories");
    if (!err)
        *category = &categories[cat_index];
    return err;
}

int tf_t_category_get_num(int *num_cat)
{
    *num_cat = COUNT;
    return MPI_SUCCESS;
}

int tf_t_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                           int *num_pvars, int *num_categories)
{
    const struct category *c;
    int err = find(cat_index, &c);
    if (err)
        return err;
    tf_tool_put_text(c->name, name, name_len);
    tf_tool_put_text(c->sentence, desc, desc_len);
    tf_tool_put(num_cvars, tf_tool_in_folder(c->name, tf_setting_count, tf_cvar_folder, 0, NULL));
    tf_tool_put(num_pvars, tf_tool_in_folder(c->name, tf_pvar_count(), tf_pvar_folder, 0, NULL));
    tf_tool_put(num_categories, tf_tool_in_folder(c->name, COUNT, parent_of, 0, NULL));
    return MPI_SUCCESS;
}

int tf_t_category_get_num_events(int cat_index, int *num_events)
{
    const struct category *c;
    int err = find(cat_index, &c);
    if (!err)
        *num_events = tf_tool_in_folder(c->name, tf_event_count(), tf_event_folder, 0, NULL);
    return err;
}

int tf_t_category_get_index(const char *name, int *cat_index)
{
    for (int row = 0; row < COUNT; row++) {
        if (strcmp(categories[row].name, name) == 0) {
            *cat_index = row;
            return MPI_SUCCESS;
        }
    }
    return tf_error(MPI_T_ERR_INVALID_NAME, "there is no category \"%s\"", name);
}

/* The rows in a category, as many as there is room for. */
static int list(int cat_index, int len, int *indices, int count, const char *(*folder_of)(int row))
{
    const struct category *c;
    int err = find(cat_index, &c);
    if (!err && len < 0)
        err = tf_error(MPI_T_ERR_INVALID, "len is %d; it must be at least 0", len);
    if (!err && len > 0)
        err = tf_tool_given("indices", indices);
    if (!err)
        tf_tool_in_folder(c->name, count, folder_of, len, indices);
    return err;
}

int tf_t_category_get_cvars(int cat_index, int len, int *indices)
{
    return list(cat_index, len, indices, tf_setting_count, tf_cvar_folder);
}

int tf_t_category_get_pvars(int cat_index, int len, int *indices)
{
    return list(cat_index, len, indices, tf_pvar_count(), tf_pvar_folder);
}

int tf_t_category_get_events(int cat_index, int len, int *indices)
{
    return list(cat_index, len, indices, tf_event_count(), tf_event_folder);
}

int tf_t_category_get_categories(int cat_index, int len, int *indices)
{
    return list(cat_index, len, indices, COUNT, parent_of);
}

int tf_t_category_changed(int *update_number)
{
    *update_number = 0;
    return MPI_SUCCESS;
}
