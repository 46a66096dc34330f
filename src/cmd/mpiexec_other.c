/* mpiexec_other.c - a hint where the processes are those of another MPI.
 *
 * Such a program may know nothing of PMI-1, and then each of its processes is a job of one rank, which nobody notices.
 * Programs without MPI, which do not speak either, are everyday ones: so it takes a library by the name of an MPI,
 * among those that the program's file asks for (DT_NEEDED) or, for scripts, that rank 0 has loaded when it writes
 * first.
 */
#include "cmd/mpiexec.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/other.h"

static char loaded[TF_OTHER_NAME]; /* what rank 0 has, or nothing */

static bool nobody_spoke(void)
{
    int r = 0;
    while (r < mpiexec_job.size && mpiexec_job.ranks[r].pmi_requests == 0)
        r++;
    return r == mpiexec_job.size;
}

/* ---- the program's file ---- */

struct elf {
    int fd;
    Elf64_Phdr *segments;
    int nsegments;
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
    return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool read_segments(struct elf *elf)
{
    Elf64_Ehdr head;
    if (!read_at(elf->fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof *elf->segments)
        return false;
    elf->nsegments = head.e_phnum;
    elf->segments = calloc((size_t)head.e_phnum + 1, sizeof *elf->segments);
    return elf->segments && read_at(elf->fd, elf->segments, head.e_phnum * sizeof *elf->segments, head.e_phoff);
}

/* Where in the file what is loaded at `address` lies; 0: nowhere. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
    for (const Elf64_Phdr *s = elf->segments; s < elf->segments + elf->nsegments; s++)
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return address - s->p_vaddr + s->p_offset;
    return 0;
}

/* The value of the first entry of this kind from `at` on, which is advanced behind it; false: there is none. */
static bool next_entry(const struct elf *elf, const Elf64_Phdr *dynamic, size_t *at, int64_t kind, uint64_t *value)
{
    Elf64_Dyn entry;
    while (*at + sizeof entry <= dynamic->p_filesz && read_at(elf->fd, &entry, sizeof entry, dynamic->p_offset + *at) &&
           entry.d_tag != DT_NULL) {
        *at += sizeof entry;
        *value = entry.d_un.d_val;
        if (entry.d_tag == kind)
            return true;
    }
    return false;
}

static bool find_needed(const struct elf *elf, char name[TF_OTHER_NAME])
{
    const Elf64_Phdr *dynamic = elf->segments, *end = elf->segments + elf->nsegments;
    uint64_t strings, string;
    size_t at = 0;
    while (dynamic < end && dynamic->p_type != PT_DYNAMIC)
        dynamic++;
    if (dynamic == end || !next_entry(elf, dynamic, &at, DT_STRTAB, &strings))
        return false;
    strings = offset_of(elf, strings);
    for (at = 0; next_entry(elf, dynamic, &at, DT_NEEDED, &string);) {
        ssize_t n = pread(elf->fd, name, TF_OTHER_NAME - 1, (off_t)(strings + string));
        name[n > 0 ? n : 0] = '\0';
        if (tf_other_is(name))
            return true;
    }
    return false;
}

/* The name of the other MPI's library that the program is linked with. */
static bool is_linked(const struct mpiexec_app *app, char name[TF_OTHER_NAME])
{
    int folder = app->wdir ? open(app->wdir, O_PATH | O_CLOEXEC) : AT_FDCWD;
    struct elf elf = {.fd = openat(folder, app->path, O_RDONLY | O_CLOEXEC)};
    bool found = elf.fd >= 0 && read_segments(&elf) && find_needed(&elf, name);
    free(elf.segments);
    if (elf.fd >= 0)
        close(elf.fd);
    if (folder >= 0)
        close(folder);
    return found;
}

/* ---- what is loaded ---- */

void tf_mpiexec_other_look(void)
{
    static bool looked;
    char path[32], *line = NULL;
    size_t capacity = 0;
    if (looked || mpiexec_job.size == 1 || !nobody_spoke())
        return;
    looked = true;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)mpiexec_job.ranks[0].pid);
    FILE *maps = fopen(path, "re");
    while (maps && !loaded[0] && getline(&line, &capacity, maps) > 0) {
        const char *slash = strrchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (slash && tf_other_is(slash + 1))
            snprintf(loaded, sizeof loaded, "%.*s", TF_OTHER_NAME - 1, slash + 1);
    }
    free(line);
    if (maps)
        fclose(maps);
}

/* ---- */

void tf_mpiexec_other_tell(void)
{
    char name[TF_OTHER_NAME];
    if (mpiexec_job.size == 1 || !nobody_spoke())
        return;
    for (int i = 0; i < mpiexec_job.options.napps; i++) {
        const struct mpiexec_app *app = &mpiexec_job.options.apps[i];
        bool linked = is_linked(app, name);
        if (!linked && (i > 0 || !loaded[0]))
            continue;
        tf_mpiexec_say(
            "none of the %d processes has called MPI_Init of Treefold: \"%s\" %s %s, which is another MPI's. "
            "Compile it with Treefold's mpicc, or start it with that MPI's mpiexec; as it is, each process "
            "is alone",
            mpiexec_job.size, app->argv[0], linked ? "is linked with" : "has loaded", linked ? name : loaded);
        return;
    }
}
