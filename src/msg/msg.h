/* msg.h - point-to-point: requests, matching, eager and rendezvous protocols.  The functions the bindings call.
 *
 * Arguments are checked by the binding: types are committed, counts at least 0, ranks in range or MPI_PROC_NULL
 * (sources also MPI_ANY_SOURCE), tags in range (receives also MPI_ANY_TAG).  `status` may be MPI_STATUS_IGNORE.
 */
#ifndef TF_MSG_H
#define TF_MSG_H

#include "comm/comm.h"
#include "type/type.h"

enum tf_send_mode { TF_STANDARD, TF_SYNCHRONOUS, TF_READY, TF_BUFFERED };

#define TF_TAG_UB 0x7fffffff

/* Before there is a network: tells net/ what msg/ keeps of a peer, and who handles which kind of message. */
void tf_msg_setup(void);

int tf_send(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
            enum tf_send_mode mode);
int tf_isend(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
             enum tf_send_mode mode, MPI_Request *request);
int tf_send_init(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
                 enum tf_send_mode mode, MPI_Request *request);
int tf_recv(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
            MPI_Status *status);
int tf_irecv(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
             MPI_Request *request);
int tf_recv_init(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
                 MPI_Request *request);
int tf_sendrecv(const void *sendbuf, MPI_Count sendcount, struct tf_type *sendtype, int dest, int sendtag,
                void *recvbuf, MPI_Count recvcount, struct tf_type *recvtype, int source, int recvtag,
                struct tf_comm *comm, MPI_Status *status);
int tf_isendrecv(const void *sendbuf, MPI_Count sendcount, struct tf_type *sendtype, int dest, int sendtag,
                 void *recvbuf, MPI_Count recvcount, struct tf_type *recvtype, int source, int recvtag,
                 struct tf_comm *comm, MPI_Request *request);
int tf_sendrecv_replace(void *buf, MPI_Count count, struct tf_type *type, int dest, int sendtag, int source,
                        int recvtag, struct tf_comm *comm, MPI_Status *status);
int tf_isendrecv_replace(void *buf, MPI_Count count, struct tf_type *type, int dest, int sendtag, int source,
                         int recvtag, struct tf_comm *comm, MPI_Request *request);

int tf_probe(int source, int tag, struct tf_comm *comm, MPI_Status *status);
int tf_iprobe(int source, int tag, struct tf_comm *comm, int *flag, MPI_Status *status);
int tf_mprobe(int source, int tag, struct tf_comm *comm, MPI_Message *message, MPI_Status *status);
int tf_improbe(int source, int tag, struct tf_comm *comm, int *flag, MPI_Message *message, MPI_Status *status);
/* *message (a live handle or MPI_MESSAGE_NO_PROC, checked) becomes MPI_MESSAGE_NULL. */
int tf_mrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *message, MPI_Status *status,
             struct tf_object **on);
int tf_imrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *message, struct tf_object **on,
              MPI_Request *request);

/* The buffer of buffered sends (MPI-5.0 section 3.6): of a communicator, of a session, for those communicators of its
 * groups that have none, or, NULL, of the process, for what has neither.  buffer may be MPI_BUFFER_AUTOMATIC.  comm: of
 * the request, or NULL. */
int tf_buffer_attach(void *owner, void *buffer, MPI_Count size);
int tf_buffer_detach(void *owner, void *buffer_addr, MPI_Count *size);
int tf_buffer_flush(void *owner);
int tf_buffer_iflush(void *owner, struct tf_comm *comm, MPI_Request *request);
void tf_buffered_forget(const void *owner); /* it goes: so does the buffer, which nothing uses any more */

/* Requests: handles as the user holds them; each is checked here (null, stale, inactive).  Errors of the operation come
 * back as the return value (single) or MPI_ERR_IN_STATUS.  *on (if not NULL) receives the communicator whose error
 * handler applies. */
int tf_wait(MPI_Request *request, MPI_Status *status, struct tf_object **on);
int tf_waitall(int count, MPI_Request *requests, MPI_Status *statuses, struct tf_object **on);
int tf_waitany(int count, MPI_Request *requests, int *index, MPI_Status *status, struct tf_object **on);
int tf_waitsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses,
                struct tf_object **on);
int tf_test(MPI_Request *request, int *flag, MPI_Status *status, struct tf_object **on);
int tf_testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses, struct tf_object **on);
int tf_testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status, struct tf_object **on);
int tf_testsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses,
                struct tf_object **on);
/* Whether an operation on that communicator has been started and has not ended yet; O(requests). */
bool tf_request_under_way(const struct tf_comm *comm);
int tf_request_free(MPI_Request *request, struct tf_object **on);
/* Nobody will wait for it: it goes away now, or when the operation that is under way has ended. */
int tf_request_abandon(MPI_Request *request);
int tf_request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int tf_request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses);
int tf_request_get_status_any(int count, const MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int tf_request_get_status_some(int incount, const MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses);
/* Have functions called in the life of a request: `started` before each later start of a persistent one, `completed`
 * when its operation has ended (at once if it has already) and before a wait or test can tell, `destructor` when the
 * request is gone.  They run inside MPI calls and must not call MPI.  On error nothing is attached or called. */
int tf_request_attach_x(MPI_Request request, MPIX_Request_function_x *started, MPIX_Request_function_x *completed,
                        MPIX_Destructor_function *destructor, void *context);
int tf_start(MPI_Request *request, struct tf_object **on);
int tf_startall(int count, MPI_Request *requests, struct tf_object **on);
int tf_cancel(MPI_Request *request, struct tf_object **on);
int tf_grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_fn,
                      MPI_Grequest_cancel_function *cancel, void *extra_state, MPI_Request *request);
int tf_grequest_complete(MPI_Request request);

#endif
