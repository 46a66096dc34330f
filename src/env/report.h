/* report.h - answering the question what this process waits for.
 */
#ifndef TF_REPORT_H
#define TF_REPORT_H

/* Where mpiexec says it may ask (MPIEXEC_ASKS_BY, a signal's number, in the environment): be ready to answer. */
void tf_report_setup(void);

#endif
