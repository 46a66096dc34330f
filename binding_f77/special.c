/* special.c - the storage of Fortran's constants that are addresses: the common blocks of mpif.h.
 */
#include "fortran.h"

struct tf_address_block tf_addresses;
struct tf_character_block tf_characters;
