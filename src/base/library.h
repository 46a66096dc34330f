/* library.h - libraries that are opened at run time, when something wants them, so that a program that does not pays
 * nothing and runs where they are missing.  Only their headers are needed to build.
 *
 *     #define FUNCTIONS(f) f(fi_getinfo) f(fi_freeinfo)
 *     static struct { FUNCTIONS(TF_LIBRARY_MEMBER) } ofi;
 *     static const char *const names[] = {FUNCTIONS(TF_LIBRARY_NAME) NULL};
 *     void *library = tf_library_open("libfabric.so.1", names, &ofi, &why);
 */
#ifndef TF_LIBRARY_H
#define TF_LIBRARY_H

#define TF_LIBRARY_MEMBER(name) __typeof__(name) *name;
#define TF_LIBRARY_NAME(name) #name,

/* The library, for dlclose(), and in *table the address of each of the names, in order; or NULL, and in *why what is
 * missing, in words that are valid until the next call. */
void *tf_library_open(const char *file, const char *const *names, void *table, const char **why);

#endif
