/* datarep.c - the representations that there are. */
#include "file/datarep.h"

#include "type/construct.h"
#include "type/represent.h"

const struct tf_datarep tf_datarep_native = {.name = "native"};
static const struct tf_datarep internal = {.name = "internal"};
static const struct tf_datarep external32 = {.name = "external32", .converts = true};
static struct tf_datarep *registered; /* until the process ends: MPI has no way to take one back */

const struct tf_datarep *tf_datarep_find(const char *name)
{
    static const struct tf_datarep *const known[] = {&tf_datarep_native, &internal, &external32};
    for (size_t i = 0; i < TF_ARRAY_LEN(known); i++)
        if (strcmp(known[i]->name, name) == 0)
            return known[i];
    for (const struct tf_datarep *datarep = registered; datarep; datarep = datarep->next)
        if (strcmp(datarep->name, name) == 0)
            return datarep;
    return NULL;
}

/* ---- a program's own ---- */

static int name_check(const char *name)
{
    if (strnlen(name, MPI_MAX_DATAREP_STRING) >= MPI_MAX_DATAREP_STRING)
        return tf_error(MPI_ERR_ARG, "datarep \"%.20s...\" is too long; a name has at most %d characters", name,
                        MPI_MAX_DATAREP_STRING - 1);
    if (tf_datarep_find(name))
        return tf_error(MPI_ERR_DUP_DATAREP, "datarep \"%s\" is there already", name);
    return MPI_SUCCESS;
}

static int keep(const char *name, const struct tf_datarep *datarep)
{
    int err = name_check(name);
    if (err)
        return err;
    struct tf_datarep *kept = tf_alloc(sizeof *kept, "a data representation");
    char *copy = kept ? strdup(name) : NULL;
    if (!copy) {
        free(kept);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a data representation");
    }
    *kept = *datarep;
    kept->name = copy;
    kept->converts = true;
    kept->next = registered;
    registered = kept;
    return MPI_SUCCESS;
}

int tf_register_datarep(const char *name, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function *write,
                        MPI_Datarep_extent_function *extent, void *state)
{
    return keep(name, &(struct tf_datarep){.read = read, .write = write, .extent = extent, .state = state});
}

int tf_register_datarep_c(const char *name, MPI_Datarep_conversion_function_c *read,
                          MPI_Datarep_conversion_function_c *write, MPI_Datarep_extent_function *extent, void *state)
{
    return keep(name, &(struct tf_datarep){.read_c = read, .write_c = write, .extent = extent, .state = state});
}

/* ---- sizes ---- */

static int size_in_external32(void *context, struct tf_type *basic, MPI_Count *bytes)
{
    (void)context;
    return tf_pack_external_size("external32", 1, basic, bytes);
}

static int size_in_users(void *context, struct tf_type *basic, MPI_Count *bytes)
{
    const struct tf_datarep *datarep = context;
    MPI_Aint extent = 0;
    int err = datarep->extent((MPI_Datatype)(uintptr_t)basic->obj.handle, &extent, datarep->state);
    if (err)
        return tf_error(MPI_ERR_CONVERSION, "the extent function of the data representation \"%s\" returned %d",
                        datarep->name, err);
    if (extent < 0)
        return tf_error(MPI_ERR_CONVERSION, "the extent function of \"%s\" gives %s an extent of %lld bytes",
                        datarep->name, tf_type_describe(basic), (long long)extent);
    *bytes = extent;
    return MPI_SUCCESS;
}

/* No element is shorter in external32 if all together are not. */
static bool same_in_external32(struct tf_type *type)
{
    MPI_Count bytes;
    return tf_pack_external_size("external32", 1, type, &bytes) == MPI_SUCCESS && bytes == type->size;
}

int tf_datarep_type(const struct tf_datarep *datarep, struct tf_type *type, struct tf_type **in_file)
{
    if (datarep->converts && !(datarep == &external32 && same_in_external32(type)))
        return tf_type_represent(type, datarep->extent ? size_in_users : size_in_external32, (void *)datarep, in_file);
    tf_type_retain(type);
    *in_file = type;
    return MPI_SUCCESS;
}

int tf_datarep_size(const struct tf_datarep *datarep, struct tf_type *type, MPI_Count *bytes)
{
    struct tf_type *in_file;
    int err = tf_datarep_type(datarep, type, &in_file);
    if (err)
        return err;
    *bytes = in_file->size;
    tf_type_release(in_file);
    return MPI_SUCCESS;
}
