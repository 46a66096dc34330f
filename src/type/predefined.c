/* predefined.c - the predefined datatypes: static objects made from predefined.def, and the pool of all datatypes.
 */

#include "type/basic.h"
#include "type/construct.h"
#include "type/contents.h"

#define FIRST_HANDLE 512
#define HANDLES 514

/* The letter of a type in a signature: types that are the same to the machine have the same and match each other. */
#define LETTER(element)                                                                                                \
    ((int)(element) >= TF_FORTRAN_INT8 && (int)(element) <= TF_FORTRAN_INT64 ? element - TF_FORTRAN_INT8 + TF_INT8     \
     : (int)(element) == TF_FORTRAN_CHAR                                     ? TF_CHAR                                 \
                                                                             : (int)(element))
#define HASH(letter) (((uint64_t)LETTER(letter) + 1) * 0xff51afd7ed558ccdu | 1)
enum { TF_WIDE_CHARACTER = TF_NBASIC };

#define OBJECT(number, NAME, ctype, element, packed, end, hash, power_, ...)                                           \
    static struct tf_type_contents contents_##NAME = {                                                                 \
        .combiner = MPI_COMBINER_NAMED, .alignment = _Alignof(ctype), .name = "MPI_" #NAME, __VA_ARGS__};              \
    static struct tf_type type_##NAME = {.obj = {number, 1},                                                           \
                                         .dense = (packed) == sizeof(ctype),                                           \
                                         .committed = true,                                                            \
                                         .basic = element,                                                             \
                                         .size = packed,                                                               \
                                         .extent = sizeof(ctype),                                                      \
                                         .true_extent = end,                                                           \
                                         .signature = TF_MIX(hash),                                                    \
                                         .sig = {hash, power_},                                                        \
                                         .contents = &contents_##NAME,                                                 \
                                         .nest = {&node_##NAME, 0, ELEMENTS(NAME, packed, sizeof(ctype)), NULL}};

/* Without a gap, all elements are one run. */
#define ELEMENTS(NAME, packed, space)                                                                                  \
    {                                                                                                                  \
        .kind = (packed) == (space) ? TF_NODE_LEAF : TF_NODE_LOOP, .size = SIZE_MAX, .runs = SIZE_MAX,                 \
        .n = (packed) == (space) ? 1 : SIZE_MAX, .stride = (packed) == (space) ? 0 : (space),                          \
        .child = (packed) == (space) ? NULL : &node_##NAME                                                             \
    }
#define LEAF(NAME, bytes)                                                                                              \
    static const struct tf_node node_##NAME = {.kind = TF_NODE_LEAF, .size = bytes, .n = 1, .runs = 1};
#define SIMPLE(number, NAME, ctype, element, hash, power)                                                              \
    LEAF(NAME, sizeof(ctype))                                                                                          \
    OBJECT(number, NAME, ctype, element, sizeof(ctype), sizeof(ctype), hash, power, .nbasic = 1)
#define TF_PREDEFINED(number, NAME, ctype, element)                                                                    \
    enum { LETTER_##NAME = TF_##element };                                                                             \
    SIMPLE(number, NAME, ctype, TF_##element, HASH(TF_##element), TF_SIGNATURE_BASE)
#define TF_PREDEFINED_PLAIN(number, NAME, ctype, letter)                                                               \
    SIMPLE(number, NAME, ctype, TF_BASIC_NONE, HASH(TF_##letter), TF_SIGNATURE_BASE)
#define TF_PREDEFINED_PACKED(number, NAME, ctype) SIMPLE(number, NAME, ctype, TF_BASIC_NONE, (uint64_t)0, 0)

/* A pair is a struct of two; the gap between short and int makes two runs of it. */
#define VALUE_SIZE(ctype) sizeof(((ctype *)0)->value)
#define INDEX_SIZE(ctype) sizeof(((ctype *)0)->index)
#define PAIR_SIZE(ctype) (VALUE_SIZE(ctype) + INDEX_SIZE(ctype))
#define PAIR_GAP(ctype) (offsetof(ctype, index) > VALUE_SIZE(ctype))
#define PAIR_NODE(NAME, ctype)                                                                                         \
    static const ptrdiff_t offsets_##NAME[] = {0, offsetof(ctype, index)};                                             \
    static const size_t before_##NAME[] = {0, VALUE_SIZE(ctype), PAIR_SIZE(ctype)};                                    \
    static const struct tf_node node_##NAME = {.kind = PAIR_GAP(ctype) ? TF_NODE_PIECES : TF_NODE_LEAF,                \
                                               .size = PAIR_SIZE(ctype),                                               \
                                               .n = 1 + PAIR_GAP(ctype),                                               \
                                               .runs = 1 + PAIR_GAP(ctype),                                            \
                                               .offsets = offsets_##NAME,                                              \
                                               .before = before_##NAME};
#define TF_PREDEFINED_PAIR(number, NAME, ctype, element, VALUE, INDEX)                                                 \
    PAIR_NODE(NAME, ctype)                                                                                             \
    static struct tf_type *types_##NAME[] = {&type_##VALUE, &type_##INDEX};                                            \
    OBJECT(number, NAME, ctype, TF_##element, PAIR_SIZE(ctype), offsetof(ctype, index) + INDEX_SIZE(ctype),            \
           HASH(LETTER_##VALUE) * TF_SIGNATURE_BASE + HASH(LETTER_##INDEX), TF_SIGNATURE_BASE * TF_SIGNATURE_BASE,     \
           .nbasic = 2, .ntypes = 2, .types = types_##NAME)

/* Never committed, so that nobody communicates it. */
#define TF_PREDEFINED_MARKER(number, NAME, side)                                                                       \
    static struct tf_type_contents contents_##NAME = {                                                                 \
        .combiner = MPI_COMBINER_NAMED, .alignment = 1, .name = "MPI_" #NAME, .side = true};                           \
    static struct tf_type type_##NAME = {                                                                              \
        .obj = {number, 1}, .dense = true, .sig = TF_SIGNATURE_EMPTY, .contents = &contents_##NAME};

#include "type/predefined.def"
#undef TF_PREDEFINED
#undef TF_PREDEFINED_PLAIN
#undef TF_PREDEFINED_PAIR
#undef TF_PREDEFINED_PACKED
#undef TF_PREDEFINED_MARKER

/* Without a number that the standard might give to another. */
#define INTERNAL(NAME, ctype, element) SIMPLE(0, NAME, ctype, element, HASH(element), TF_SIGNATURE_BASE)
INTERNAL(BINNED, struct tf_binned, TF_BINNED)
INTERNAL(COMPLEX_BINNED, struct tf_complex_binned, TF_COMPLEX_BINNED)
extern struct tf_type tf_type_binned __attribute__((alias("type_BINNED")));
extern struct tf_type tf_type_complex_binned __attribute__((alias("type_COMPLEX_BINNED")));

#define ENTRY(number, NAME) [number - FIRST_HANDLE] = &type_##NAME.obj,
#define TF_PREDEFINED(number, NAME, ctype, element) ENTRY(number, NAME)
#define TF_PREDEFINED_PLAIN(number, NAME, ctype, letter) ENTRY(number, NAME)
#define TF_PREDEFINED_PACKED(number, NAME, ctype) ENTRY(number, NAME)
#define TF_PREDEFINED_PAIR(number, NAME, ctype, element, VALUE, INDEX) ENTRY(number, NAME)
#define TF_PREDEFINED_MARKER(number, NAME, side) ENTRY(number, NAME)
static struct tf_object *predefined[HANDLES] = {
#include "type/predefined.def"
};
#undef TF_PREDEFINED
#undef TF_PREDEFINED_PLAIN
#undef TF_PREDEFINED_PAIR
#undef TF_PREDEFINED_PACKED
#undef TF_PREDEFINED_MARKER

static char *chunks[TF_POOL_CHUNKS];
struct tf_pool tf_type_pool = {.what = "datatype",
                               .kind = TF_KIND_TYPE,
                               .size = sizeof(struct tf_type),
                               .predef_first = FIRST_HANDLE,
                               .predef_count = HANDLES,
                               .predef = predefined,
                               .chunks = chunks,
                               .lasting = true};

static const struct pair {
    MPI_Datatype handle;
    const struct tf_type *value, *index;
} pairs[] = {
#define TF_PREDEFINED(number, NAME, ctype, element)
#define TF_PREDEFINED_PLAIN(number, NAME, ctype, letter)
#define TF_PREDEFINED_PACKED(number, NAME, ctype)
#define TF_PREDEFINED_MARKER(number, NAME, side)
#define TF_PREDEFINED_PAIR(number, NAME, ctype, element, VALUE, INDEX)                                                 \
    {(MPI_Datatype)number, &type_##VALUE, &type_##INDEX},
#include "type/predefined.def"
};

int tf_type_get_value_index(struct tf_type *value_type, struct tf_type *index_type, MPI_Datatype *pair_type)
{
    *pair_type = MPI_DATATYPE_NULL;
    for (size_t i = 0; i < TF_ARRAY_LEN(pairs); i++)
        if (pairs[i].value == value_type && pairs[i].index == index_type)
            *pair_type = pairs[i].handle;
    return MPI_SUCCESS;
}

int tf_type_match_size(int typeclass, int size, MPI_Datatype *type)
{
    static const MPI_Datatype integers[] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
    static const MPI_Datatype reals[] = {MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16};
    static const MPI_Datatype complexes[] = {MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32};
    const MPI_Datatype *list;
    const char *what;
    size_t n;

    switch (typeclass) {
    case MPI_TYPECLASS_INTEGER:
        list = integers, n = TF_ARRAY_LEN(integers), what = "integer";
        break;
    case MPI_TYPECLASS_REAL:
        list = reals, n = TF_ARRAY_LEN(reals), what = "real";
        break;
    case MPI_TYPECLASS_COMPLEX:
        list = complexes, n = TF_ARRAY_LEN(complexes), what = "complex";
        break;
    default:
        return tf_error(MPI_ERR_ARG,
                        "typeclass is %d; it must be MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL or "
                        "MPI_TYPECLASS_COMPLEX",
                        typeclass);
    }
    for (size_t i = 0; i < n; i++)
        if (tf_type_find(list[i])->size == size) {
            *type = list[i];
            return MPI_SUCCESS;
        }
    return tf_error(MPI_ERR_ARG, "there is no Fortran %s type of %d bytes", what, size);
}
