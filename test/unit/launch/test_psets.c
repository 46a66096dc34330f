/* test_psets.c - process sets that a launcher names: the list of them, and those of a PMIx server that this test plays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "launch/psets.h"

#include <cmocka.h>

static void expect(int i, const char *name, const char *ranks)
{
    const struct tf_launch_pset *set = tf_launch_psets_at(i);
    assert_non_null(set);
    assert_string_equal(set->name, name);
    for (int rank = 0; rank < tf_job.size; rank++)
        assert_int_equal(set->has[rank], ranks[rank] == 'x');
}

static void sets_keep_their_order(void **state)
{
    (void)state;
    tf_job.size = 3;
    assert_null(tf_launch_psets_at(0));
    bool *has = tf_launch_psets_add("a");
    has[1] = true;
    has = tf_launch_psets_add("b");
    has[0] = has[2] = true;
    expect(0, "a", "-x-");
    expect(1, "b", "x-x");
    assert_null(tf_launch_psets_at(2));
    tf_launch_psets_forget();
    assert_null(tf_launch_psets_at(0));
}

#ifdef TF_HAVE_PMIX
#include "launch/pmix.h"

#ifdef PMIX_QUERY_PSET_MEMBERSHIP
static bool nested;         /* the answer lies in a list of its own, behind its qualifiers */
static pmix_status_t given; /* by the server */
static int asked, released;
static pmix_proc_t ocean[] = {{"job", 0}, {"job", 3}}, air[] = {{"job", PMIX_RANK_WILDCARD}},
                   mixed[] = {{"job", 1}, {"other", 1}};

static void release(void *data)
{
    assert_ptr_equal(data, &released);
    released++;
}

static pmix_status_t answer(pmix_query_t *queries, size_t n, pmix_info_cbfunc_t hear, void *data)
{
    pmix_data_array_t array = {.type = PMIX_PROC}, list = {.type = PMIX_INFO};
    pmix_info_t found[2] = {0}, outer = {0};
    assert_int_equal(n, 1);
    asked++;
    strcpy(found[0].key, PMIX_QUERY_QUALIFIERS);
    strcpy(found[1].key, queries->keys[0]);
    if (strcmp(queries->keys[0], PMIX_QUERY_PSET_NAMES) == 0) {
        assert_int_equal(queries->nqual, 0);
        found[1].value = (pmix_value_t){.type = PMIX_STRING, .data.string = "app://ocean,air,mixed,empty"};
    } else {
        assert_string_equal(queries->keys[0], PMIX_QUERY_PSET_MEMBERSHIP);
        assert_int_equal(queries->nqual, 1);
        assert_string_equal(queries->qualifiers[0].key, PMIX_PSET_NAME);
        const char *name = queries->qualifiers[0].value.data.string;
        array.array = name[0] == 'm' ? mixed : name[1] == 'p' ? ocean : air;
        array.size = name[0] == 'e' ? 0 : name[1] == 'i' && name[0] == 'a' ? 1 : 2;
        found[1].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    }
    strcpy(outer.key, PMIX_QUERY_RESULTS);
    list.array = found;
    list.size = 2;
    outer.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &list};
    if (given == PMIX_SUCCESS)
        hear(PMIX_SUCCESS, nested ? &outer : &found[1], 1, data, release, &released);
    return given;
}

static void pmix_names_sets(void **state)
{
    (void)state;
    tf_job.size = 4;
    strcpy(tf_pmix_self.nspace, "job");
    tf_pmix.PMIx_Query_info_nb = answer;
    for (int turn = 0; turn < 2; turn++) {
        nested = turn == 1;
        asked = released = 0;
        tf_pmix_psets();
        assert_int_equal(asked, 5);
        assert_int_equal(released, 5);
        expect(0, "app://ocean", "x--x");
        expect(1, "air", "xxxx");
        assert_null(tf_launch_psets_at(2));
        tf_launch_psets_forget();
    }
    given = PMIX_ERR_NOT_SUPPORTED;
    tf_pmix_psets();
    assert_null(tf_launch_psets_at(0));
}
#else
static void pmix_names_sets(void **state)
{
    (void)state;
    tf_pmix_psets(); /* that version has none */
    assert_null(tf_launch_psets_at(0));
}
#endif
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_keep_their_order),
#ifdef TF_HAVE_PMIX
        cmocka_unit_test(pmix_names_sets),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
