/* special.c - the storage of Fortran's constants that are addresses: the common blocks of mpif.h.
 *
 * Each block has a place in this library under all the names that compilers make of its own, so that any program links.
 * What a program has of that name, it has instead: an address that is not the library's place.
 */
#include "fortran.h"

#define ADDRESSES FC_FUNC_(mpi_fortran_addresses, MPI_FORTRAN_ADDRESSES)
#define CHARACTERS FC_FUNC_(mpi_fortran_characters, MPI_FORTRAN_CHARACTERS)

/* Compilers align a common block as they like, up to a vector. */
TF_PUBLIC _Alignas(64) struct tf_address_block ADDRESSES;
TF_PUBLIC _Alignas(64) struct tf_character_block CHARACTERS;
TF_OTHERS(mpi_fortran_addresses, MPI_FORTRAN_ADDRESSES)
TF_OTHERS(mpi_fortran_characters, MPI_FORTRAN_CHARACTERS)

/* The library's places, whatever a program has. */
#define TF_OWN(target) __attribute__((alias(TF_NAME(target)), visibility("hidden")))
extern struct tf_address_block own_addresses TF_OWN(ADDRESSES);
extern struct tf_character_block own_characters TF_OWN(CHARACTERS);

struct tf_address_block *tf_addresses = &own_addresses;
struct tf_character_block *tf_characters = &own_characters;

/* Objects that were compiled for different names cannot call each other, so a program has one. */
#define LOOK_AT_ADDRESSES(name, own)                                                                                   \
    if (&name != &own)                                                                                                 \
        tf_addresses = &name;
#define LOOK_AT_CHARACTERS(name, own)                                                                                  \
    if (&name != &own)                                                                                                 \
        tf_characters = &name;

static __attribute__((constructor)) void find_blocks(void)
{
    LOOK_AT_ADDRESSES(ADDRESSES, own_addresses)
    TF_LOWER_NAMES(LOOK_AT_ADDRESSES, mpi_fortran_addresses, own_addresses)
    LOOK_AT_CHARACTERS(CHARACTERS, own_characters)
    TF_LOWER_NAMES(LOOK_AT_CHARACTERS, mpi_fortran_characters, own_characters)
}
