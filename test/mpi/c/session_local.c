/* Sessions without any other process: begin and end, process sets, what they tell of themselves, error handlers,
 * buffers, and communicators of this process alone; MPI_COMM_WORLD is never there.
 *
 * np: - 1 2 4 8
 * only: treefold
 */
#include "session.h"

static void sets(MPI_Session session)
{
    static const char *const names[] = {"mpi://WORLD", "mpi://SELF", "mpix://NODE"};
    int n = -1;
    CHECK_OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
    CHECK(n == 2 || n == 3); /* the node may not be known yet */
    for (int i = 0; i < n; i++) {
        char name[MPI_MAX_PSET_NAME_LEN], size[20] = "";
        int length = 0, flag = 0, room = sizeof size, members = -1, rank = -1;
        memset(name, 'x', sizeof name);
        CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        CHECK_INT(length, (int)strlen(names[i]) + 1);
        CHECK(name[0] == 'x');
        length = 0; /* nothing is written, so there need be no place for it */
        CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
        CHECK_INT(length, (int)strlen(names[i]) + 1);
        CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        CHECK_STRING(name, names[i]);
        CHECK(name[length] == 'x');
        memset(name, 'x', sizeof name);
        length = 4; /* cut */
        CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        CHECK_BYTES(name, (i < 2 ? "mpi\0x" : "mpi\0x"), 5);
        CHECK_INT(length, (int)strlen(names[i]) + 1);

        MPI_Info info;
        check_wipe(&info, sizeof info);
        CHECK_OK(MPI_Session_get_pset_info(session, names[i], &info));
        CHECK_OK(MPI_Info_get_string(info, "mpi_size", &room, size, &flag));
        CHECK(flag);
        CHECK_OK(MPI_Info_free(&info));
        MPI_Group group;
        check_wipe(&group, sizeof group);
        CHECK_OK(MPI_Group_from_session_pset(session, names[i], &group));
        CHECK_OK(MPI_Group_size(group, &members));
        CHECK_OK(MPI_Group_rank(group, &rank));
        CHECK_INT(members, atoi(size));
        CHECK(rank >= 0 && rank < members);
        if (i == 1)
            CHECK_INT(members, 1);
        CHECK_OK(MPI_Group_free(&group));
    }
    char name[20];
    int length = sizeof name;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name), MPI_ERR_ARG);
    length = 1;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name), MPI_ERR_ARG);
    length = -1;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name), MPI_ERR_ARG);
    MPI_Info info;
    CHECK_CLASS(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info), MPI_ERR_ARG);
    MPI_Group group;
    check_wipe(&group, sizeof group);
    CHECK_CLASS(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group), MPI_ERR_ARG);
    CHECK(group == MPI_GROUP_NULL);
}

static void value_is(MPI_Info info, const char *key, const char *want)
{
    char value[100] = "";
    int room = sizeof value, flag = 0;
    CHECK_OK(MPI_Info_get_string(info, key, &room, value, &flag));
    CHECK(flag);
    CHECK_STRING(value, want);
}

static const char kinds[] = "mpi,system,mpi:alloc_mem,mpi:win_allocate,mpi:win_allocate_shared";

static void infos(void)
{
    static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                         "MPI_THREAD_MULTIPLE"};
    for (int i = 0; i < 4; i++) {
        MPI_Info ask, told;
        MPI_Session session;
        check_wipe(&told, sizeof told);
        CHECK_OK(MPI_Info_create(&ask)); /* before any session */
        CHECK_OK(MPI_Info_set(ask, "thread_level", levels[i]));
        CHECK_OK(
            MPI_Info_set(ask, "mpi_memory_alloc_kinds", i % 2 ? "mpi:alloc_mem,of_nobody" : "mpi,of_nobody,mpi:alloc"));
        CHECK_OK(MPI_Session_init(ask, MPI_ERRORS_RETURN, &session));
        CHECK_OK(MPI_Session_get_info(session, &told));
        value_is(told, "thread_level", levels[i]);
        value_is(told, "mpi_memory_alloc_kinds", kinds);
        CHECK_OK(MPI_Info_free(&told));
        CHECK_OK(MPI_Info_free(&ask));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    MPI_Session session = session_begin();
    MPI_Info told;
    CHECK_OK(MPI_Session_get_info(session, &told));
    value_is(told, "thread_level", "MPI_THREAD_MULTIPLE");
    CHECK_OK(MPI_Info_free(&told));
    CHECK_OK(MPI_Session_finalize(&session));
}

static int called, called_code;
static MPI_Session called_on;
static void note_session(MPI_Session *session, int *code, ...)
{
    called++;
    called_on = *session;
    MPI_Error_class(*code, &called_code);
}
static int comm_called;
static MPI_Comm comm_called_on;
static void note_comm(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    comm_called++;
    comm_called_on = *comm;
}

static void handlers(void)
{
    MPI_Errhandler mine, on_comm, got;
    MPI_Session session, other, none = MPI_SESSION_NULL;
    check_wipe(&other, sizeof other);
    int n;
    CHECK_OK(MPI_Session_create_errhandler(note_session, &mine)); /* before any session */
    CHECK_OK(MPI_Comm_create_errhandler(note_comm, &on_comm));
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, mine, &session));
    CHECK_CLASS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK(called == 1 && called_on == session && called_code == MPI_ERR_ARG);
    CHECK_OK(MPI_Session_call_errhandler(session, MPI_ERR_TRUNCATE));
    CHECK(called == 2 && called_on == session && called_code == MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Session_get_errhandler(session, &got));
    CHECK(got == mine);
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK_OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Session_get_errhandler(session, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_INT(called, 2);
    CHECK_CLASS(MPI_Session_set_errhandler(session, on_comm), MPI_ERR_ERRHANDLER);
    /* Before there is an object it is raised on the handler that is given, with the null handle. */
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, mine, NULL), MPI_ERR_ARG);
    CHECK(called == 3 && called_on == MPI_SESSION_NULL && called_code == MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, on_comm, &other), MPI_ERR_ERRHANDLER);
    CHECK(comm_called == 1 && comm_called_on == MPI_COMM_NULL);
    MPI_Comm comm;
    char *longer = check_alloc(MPI_MAX_STRINGTAG_LEN + 1, 'x');
    longer[MPI_MAX_STRINGTAG_LEN] = '\0';
    MPI_Group self;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    CHECK_CLASS(MPI_Comm_create_from_group(self, longer, MPI_INFO_NULL, on_comm, &comm), MPI_ERR_ARG);
    CHECK_INT(comm_called, 2);
    CHECK_CLASS(MPI_Comm_create_from_group(self, "tag", MPI_INFO_NULL, mine, &comm), MPI_ERR_ERRHANDLER);
    CHECK_INT(called, 4);
    longer[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
    CHECK_OK(MPI_Comm_create_from_group(self, longer, MPI_INFO_NULL, on_comm, &comm));
    CHECK_CLASS(MPI_Send(&n, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    CHECK(comm_called == 3 && comm_called_on == comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "empty", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Group_free(&self));
    free(longer);
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Errhandler_free(&on_comm));
    CHECK(MPI_Session_c2f(MPI_SESSION_NULL) == MPI_Session_toint(none));
    CHECK(MPI_Session_f2c(MPI_Session_c2f(session)) == session);
    CHECK(MPI_Session_fromint(MPI_Session_toint(session)) == session);
    CHECK_OK(MPI_Session_finalize(&session));
    CHECK(session == MPI_SESSION_NULL);
}

static void buffers(MPI_Session session)
{
    char room[1000 + MPI_BSEND_OVERHEAD], *back = NULL;
    int in = -1, out = 4711, size = -1;
    MPI_Request request;
    MPI_Info info;
    MPI_Group self;
    MPI_Comm comm;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    CHECK_OK(MPI_Comm_create_from_group(self, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Group_free(&self));
    CHECK_CLASS(MPI_Bsend(&out, 1, MPI_INT, 0, 1, comm), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_attach_buffer(session, room, sizeof room));
    CHECK_CLASS(MPI_Session_attach_buffer(session, room, sizeof room), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Bsend(&out, 1, MPI_INT, 0, 1, comm));
    CHECK_OK(MPI_Session_iflush_buffer(session, &request));
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
    CHECK_INT(in, 4711);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm derived, second;
    in = -1;
    CHECK_OK(MPI_Comm_dup(comm, &derived)); /* of the session too, */
    CHECK_OK(MPI_Comm_group(comm, &self));  /* and what is made of its group */
    CHECK_OK(MPI_Comm_create_from_group(self, "second", MPI_INFO_NULL, MPI_ERRORS_RETURN, &second));
    CHECK_OK(MPI_Group_free(&self));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPI_Bsend(&out, 1, MPI_INT, 0, 1, i ? second : derived));
        CHECK_OK(MPI_Recv(&in, 1, MPI_INT, 0, 1, i ? second : derived, MPI_STATUS_IGNORE));
        CHECK_INT(in, 4711);
    }
    MPI_Message nobody;
    int found = 0;
    CHECK_OK(MPI_Improbe(MPI_PROC_NULL, 0, comm, &found, &nobody, MPI_STATUS_IGNORE));
    CHECK(found && nobody == MPI_MESSAGE_NO_PROC);
    CHECK_OK(MPI_Mrecv(&in, 1, MPI_INT, &nobody, MPI_STATUS_IGNORE)); /* of no communicator, and there is no world */
    CHECK_OK(MPI_Get_hw_resource_info(&info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Session_flush_buffer(session));
    CHECK_OK(MPI_Session_detach_buffer(session, &back, &size));
    CHECK(back == room);
    CHECK_INT(size, sizeof room);
    CHECK_CLASS(MPI_Session_detach_buffer(session, &back, &size), MPI_ERR_BUFFER);
    MPI_Count large = -1;
    CHECK_OK(MPI_Session_attach_buffer_c(session, room, sizeof room));
    CHECK_OK(MPI_Session_detach_buffer_c(session, &back, &large));
    CHECK_INT(large, sizeof room);
    CHECK_OK(MPI_Comm_free(&derived));
    CHECK_OK(MPI_Comm_free(&second));
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(void)
{
    int flag = -1;
    infos();
    handlers();
    for (int i = 0; i < 3; i++) {
        MPI_Session session = session_begin(), beside = session_begin();
        CHECK(session != beside);
        CHECK_OK(MPI_Initialized(&flag));
        CHECK_INT(flag, 0);
        sets(session);
        CHECK_OK(MPI_Session_finalize(&beside));
        buffers(session);
        CHECK_OK(MPI_Session_finalize(&session));
    }
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 0);
    return session_end();
}
