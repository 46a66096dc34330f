/* descriptors.h - the open files that a child is not to have.
 */
#ifndef TF_DESCRIPTORS_H
#define TF_DESCRIPTORS_H

/* Close them, from number `first` on.  Nothing but calls of the system: for a child of a program with threads. */
void tf_descriptors_close_from(int first);

#endif
