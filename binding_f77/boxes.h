/* boxes.h - the values of attributes between Fortran and C (MPI-5.0 section 19.3.7).
 *
 * An attribute that Fortran sets is a number, and C gets its address; one that C sets is a pointer, and Fortran gets
 * the address as a number.  So what C keeps for Fortran is a box with the number in it, and a list of all boxes tells
 * which of the two an attribute is.
 */
#ifndef TF_BOXES_H
#define TF_BOXES_H

#include "fortran.h"

/* A new box, NULL without memory. */
void *tf_box(MPI_Aint value);
/* The number that Fortran gets for what C has as the value of an attribute, predefined or not. */
MPI_Aint tf_unbox(int keyval, void *value);
bool tf_is_box(const void *value);
/* Gives a box back; what is none is left alone. */
void tf_box_free(void *value);

#endif
