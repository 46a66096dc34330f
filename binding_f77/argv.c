/* argv.c - arrays of strings from Fortran to C, for MPI_Comm_spawn.
 *
 * One block holds the pointers and then the characters: it is measured first and written then, by the same functions.
 */
#include "fortran.h"

#include <stdlib.h>
#include <string.h>

/* Where the next things go; NULL: they are only measured. */
struct block {
    char **pointers;
    char *characters;
    size_t npointers, ncharacters;
};

struct word {
    const char *text;
    size_t length;
};

static struct word trimmed(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    return (struct word){text, length};
}

static void add_null(struct block *block)
{
    if (block->pointers)
        block->pointers[block->npointers] = NULL;
    block->npointers++;
}

static void add(struct block *block, struct word word)
{
    if (block->pointers) {
        char *to = block->characters + block->ncharacters;
        memcpy(to, word.text, word.length);
        to[word.length] = '\0';
        block->pointers[block->npointers] = to;
    }
    block->npointers++;
    block->ncharacters += word.length + 1;
}

/* Every `stride`-th string, up to one that is blank. */
static void add_row(struct block *block, const char *text, size_t length, size_t stride)
{
    struct word word;
    for (; (word = trimmed(text, length)).length > 0; text += stride * length)
        add(block, word);
    add_null(block);
}

/* Memory for what was measured, behind `lead` other pointers; then all is to be added once more. */
static void *allocate(struct block *block, size_t lead)
{
    char **made = malloc((lead + block->npointers + 1) * sizeof *made + block->ncharacters);
    if (made)
        *block = (struct block){.pointers = made + lead, .characters = (char *)(made + lead + block->npointers + 1)};
    return made;
}

static int number(int count)
{
    return count > 0 ? count : 0;
}

bool tf_at_root(const MPI_Fint *comm, const MPI_Fint *root)
{
    int rank = -1, inter = 0;
    /* A wrong handle is for the procedure itself to report. */
    if (*comm == tf_comm_f(MPI_COMM_NULL) || PMPI_Comm_test_inter(tf_comm_c(*comm), &inter) || inter ||
        PMPI_Comm_rank(tf_comm_c(*comm), &rank))
        return false;
    return rank == *root;
}

char **tf_argv_c(bool at_root, const char *argv, size_t length)
{
    bool none = !at_root || argv == &tf_characters->argv_null;
    struct block block = {0};
    char **made = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (none)
            add_null(&block);
        else
            add_row(&block, argv, length, 1);
        if (pass == 0 && !(made = allocate(&block, 0)))
            return NULL;
    }
    return made;
}

char ***tf_argvs_c(bool at_root, const char *argvs, size_t length, int count)
{
    int rows = at_root ? number(count) : 0;
    struct block block = {0};
    char ***made = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int row = 0; row < rows; row++) {
            if (pass == 1)
                made[row] = block.pointers + block.npointers;
            if (argvs == &tf_characters->argvs_null)
                add_null(&block);
            else
                add_row(&block, argvs + (size_t)row * length, length, (size_t)count);
        }
        if (pass == 0 && !(made = allocate(&block, (size_t)rows)))
            return NULL;
    }
    return made;
}

char **tf_commands_c(bool at_root, const char *commands, size_t length, int count)
{
    int rows = at_root ? number(count) : 0;
    struct block block = {0};
    char **made = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int row = 0; row < rows; row++)
            add(&block, trimmed(commands + (size_t)row * length, length));
        add_null(&block);
        if (pass == 0 && !(made = allocate(&block, 0)))
            return NULL;
    }
    return made;
}
