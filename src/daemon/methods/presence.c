/* SPDX-License-Identifier: ISC */
/* Reports of an agent about itself: report_agent and yield_turn. */
#include "daemon/pane/presence.h"

#include "daemon/agent/agent_task.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/deliver/wake.h"
#include "daemon/methods/pending.h"
#include "daemon/methods/tables.h"
#include "daemon/pane/thread_seat.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"

static const char *const state_choices[] = {"idle", "busy", "asking", "gone", NULL};

/* The states, in the order of state_choices. */
static const enum presence_state states[] = {
    PRESENCE_IDLE, PRESENCE_BUSY, PRESENCE_ASKING, PRESENCE_GONE};

struct report_args {
	const char *agent;
	const char *pane;
	const char *session;
	const char *reply;
	int state;
	int64_t pid;
};

static const struct field report_fields[] = {
    {FIELD_ROW(STRING, struct report_args, agent, "agent"), .flags = FIELD_REQUIRED, .min = 1,
	.max = PRESENCE_NAME_MAX,
	.help = "Which agent it is: claude, codex, copilot, gemini, opencode, or another name."},
    {FIELD_ROW(STRING, struct report_args, pane, "pane"),
	.help = "The pane that it sits in; left out, the caller's own."},
    {FIELD_ROW(INT, struct report_args, pid, "pid"), .min = 1, .max = 2147483647,
	.help = "The agent's process: with it the agent is gone; left out, the program in front "
		"of the pane."},
    {FIELD_ROW(STRING, struct report_args, session, "session"), .min = 1,
	.max = PRESENCE_SESSION_MAX, .help = "The agent's own name of its session or thread."},
    {FIELD_ROW(CHOICE, struct report_args, state, "state"), .choices = state_choices,
	.help = "Idle: it waits for a prompt; busy: a turn has begun; asking: it waits for a "
		"person's decision; left out, as before."},
    {FIELD_ROW(STRING, struct report_args, reply, "reply"), .flags = FIELD_CONFIDENTIAL,
	.max = AGENT_REPLY_MAX,
	.help = "Its last words: the text of the task that it works on, if send_task sent it."},
    {.name = NULL},
};

static const struct field_result report_results[] = {
    {"pane", "string|null", "the pane that it is taken to sit in"},
    {"agent", "string", "the agent"},
    {"session", "string|null", "its session"},
    {"state", "string", "unknown, idle, busy, asking or gone: as it is known now"},
    {"taken", "boolean",
	"false: another session is at work in that pane, and this one was started by it"},
    {"queued", "integer", "notifications that wait for the pane"},
    {NULL, NULL, NULL},
};

/*
 * Returns true if the agent may be in another pane than its process. Codex runs the children of all
 * windows under one process. Its environment names the pane where the process was started, even if
 * that pane is closed or the request comes from another pane.
 */
static bool may_be_elsewhere(const struct report_args *args)
{
	return args->session != NULL && queue_command_is_of(args->agent);
}

static bool is_closed_pane(const struct daemon *daemon, const char *text)
{
	uint32_t id;
	return str_parse_id(text, strlen(text), '%', &id) &&
	    muxbus_model_pane(tmux_model(daemon->tmux), id) == NULL;
}

static bool find_pane(
    struct request *request, const struct report_args *args, struct pane_ref *ret_pane)
{
	struct daemon *daemon = request_daemon(request);
	const struct muxbus_pane *pane = NULL;
	uint32_t peer_pane;
	bool is_weak;
	if (args->pane != NULL && !(may_be_elsewhere(args) && is_closed_pane(daemon, args->pane)) &&
	    !target_pane(request, args->pane, &pane))
		return false;
	peer_pane = request_peer_pane(request, &is_weak);
	if (args->pane == NULL)
		pane = muxbus_model_pane(tmux_model(daemon->tmux), peer_pane);
	pane_ref_clear(ret_pane);
	if (pane == NULL || (is_weak && may_be_elsewhere(args) && pane->id == peer_pane))
		return true;
	pane_ref_of(daemon->tmux, pane->id, ret_pane);
	if (args->state < 0 || states[args->state] != PRESENCE_GONE)
		requester_expect_front(request, ret_pane, pane);
	return true;
}

static int64_t count_queued(const struct queue *queue, const struct pane_ref *pane)
{
	const struct notification *note = NULL;
	int64_t count = 0;
	while ((note = queue_next_for(queue, pane, note)) != NULL)
		count += note->state == NOTE_QUEUED;
	return count;
}

/* Reports a session whose process serves many windows, and so does not tell the pane. */
static bool report_thread(struct request *request, const struct presence_report *report)
{
	struct daemon *daemon = request_daemon(request);
	pid_t server = report->pid;
	if (server == 0 && request_peer(request) != NULL)
		server = queue_command_process(report->agent, peer_pid(request_peer(request)));
	return thread_seat_report(daemon->presences, report, server);
}

/* Returns true if a process has ended; false also for one of another PID namespace. */
static bool is_ended(const struct peer *peer, pid_t pid)
{
	struct stat own, other;
	char name[64];
	snprintf(name, sizeof name, "/proc/%ld/ns/pid", peer != NULL ? (long)peer_pid(peer) : 0L);
	return kill(pid, 0) < 0 && errno == ESRCH && stat("/proc/self/ns/pid", &own) == 0 &&
	    stat(name, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static void report_agent(struct request *request, const void *data)
{
	const struct report_args *args = data;
	struct daemon *daemon = request_daemon(request);
	const char *trouble = presence_check(args->agent, args->session);
	const struct presence *presence;
	struct presence_report report = {
	    .agent = args->agent,
	    .session = args->session,
	    .state = args->state >= 0 ? states[args->state] : PRESENCE_UNKNOWN,
	    .pid = (pid_t)args->pid,
	};
	struct json_writer *writer;
	struct pane_ref pane;
	bool is_taken;
	if (trouble != NULL) {
		request_fail_data(request, MESSAGE_PARAMS,
		    trouble[0] == 'a' ? "\"field\":\"agent\"" : "\"field\":\"session\"", "%s",
		    trouble);
		return;
	}
	if (args->pid > 0 && report.state != PRESENCE_GONE &&
	    is_ended(request_peer(request), report.pid)) {
		request_fail_field(request, "pid", "there is no process %ld", (long)report.pid);
		return;
	}
	if (!find_pane(request, args, &pane))
		return;
	if (pane.pane == MUXBUS_NO_ID && args->session == NULL) {
		request_fail_field(request, "pane",
		    "you are in no pane of this tmux server: name the pane, or a session");
		return;
	}
	report.pane = &pane;
	if (pane.pane != MUXBUS_NO_ID) {
		is_taken = presence_report(daemon->presences, &report);
		presence = presence_of_pane(daemon->presences, &pane);
	} else {
		is_taken = report_thread(request, &report);
		presence = presence_of_session(daemon->presences, args->agent, args->session);
		if (presence != NULL)
			pane = presence->pane;
	}
	if (is_taken && args->reply != NULL)
		agent_tasks_replied(daemon->agents, pane.pane, args->reply);
	writer = request_result(request);
	json_put_id(writer, "pane", '%', pane.pane);
	json_put_str(writer, "agent", args->agent);
	json_put_str(writer, "session", args->session);
	json_put_str(writer, "state",
	    presence_state_names[presence != NULL ? presence->state : PRESENCE_GONE]);
	json_put_bool(writer, "taken", is_taken);
	json_put_int(writer, "queued", count_queued(daemon->queue, &pane));
	request_done(request);
}

/*
 * Finds the pane that a report affects. Refuses a session of another pane, and an unknown session
 * that may be elsewhere: its notifications would go to the first pane that reports it.
 */
static bool affects_report(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct report_args *args = data;
	const struct presence *known = NULL;
	if (!role_affects_pane(request, data, ret_pane))
		return false;
	if (args->session != NULL)
		known = presence_of_session(
		    request_daemon(request)->presences, args->agent, args->session);
	if (known != NULL ? !role_owns(request, &known->pane) : may_be_elsewhere(args))
		return role_refuse(request, "the report names a session of another pane");
	return true;
}

enum { MESSAGE_SIZE = 200 };

static const struct field_result yield_results[] = {
    {"message", "string", "what happens now, in words"},
    WAKE_RESULTS,
    {"pane", "string|null", "whose turn ends"},
    {"pending", "array", "what will wake it"},
    {"pending[].kind", "string", "timer, job, watch, wait, command or notification"},
    {"pending[].id", "string", "its id"},
    {"pending[].due", "string|null", "when it comes at the latest, if that is known"},
    {"pending[].what", "string|null", "the command, the file, or the text"},
    {NULL, NULL, NULL},
};

struct pending_list {
	struct json_writer *writer;
	size_t count;
	char first[NOTIFICATION_ID_SIZE]; /* id of the first entry; "": none */
};

static void put_pending(void *data, const struct pending_entry *pending)
{
	struct pending_list *list = data;
	json_object_begin(list->writer, NULL);
	json_put_str(list->writer, "kind", pending->kind);
	json_put_str(list->writer, "id", pending->id);
	json_put_time(list->writer, "due", pending->due_ms);
	json_put_str(list->writer, "what", pending->what);
	json_object_end(list->writer);
	if (list->count++ == 0)
		snprintf(list->first, sizeof list->first, "%s", pending->id);
}

static void handle_yield(struct request *request, const void *args UNUSED)
{
	struct json_writer *writer;
	struct pending_list pending = {0};
	char message[MESSAGE_SIZE];
	struct pane_ref pane;
	const struct way *way;
	if (!requester_pane(request, NULL, &pane))
		return;
	writer = request_result(request);
	json_put_id(writer, "pane", '%', pane.pane);
	pending.writer = writer;
	json_array_begin(writer, "pending");
	if (pane_ref_is_set(&pane))
		pending_each(request_daemon(request), &pane, put_pending, &pending);
	json_array_end(writer);
	way = wake_write_way(request, pending.first, &pane);
	if (!way_wakes(way))
		snprintf(message, sizeof message,
		    "Control is yielded, but nothing wakes you: see wake. %zu pending.",
		    pending.count);
	else if (pending.count == 0)
		snprintf(message, sizeof message,
		    "Control is yielded. Nothing is pending: only a person wakes you.");
	else
		snprintf(message, sizeof message,
		    "Control is yielded: end your turn. %zu pending; see wake for the way.",
		    pending.count);
	json_put_str(writer, "message", message);
	request_done(request);
}

const struct method methods_presence[] = {
    {.name = METHOD("report_agent", METHOD_TYPES | METHOD_SPEAKS_FOR | METHOD_WRITES),
	.title = "Report an agent",
	.summary = "Says which agent sits in a pane, in which session, and what it does now.",
	.help = "For the hooks and bridges of agents. The report decides when a "
		"notification is typed: at once when the agent is idle, not while it is "
		"busy or asks. It ends with the pane, the process, or the state gone.",
	METHOD_CALL(report_agent, report_args, report_fields, report_results),
	.flags = METHOD_IDEMPOTENT | METHOD_NEEDS_TMUX,
	.affects = affects_report,
	.example = "{\"agent\":\"claude\",\"pane\":\"%3\",\"state\":\"idle\"}"},
    {.name = METHOD("yield_turn", METHOD_READS | METHOD_SEES),
	.title = "Yield the turn",
	.summary = "Ends the caller's turn: says what is pending that will wake its pane.",
	.results = yield_results,
	.flags = METHOD_TOOL | METHOD_OPEN_WORLD,
	.handle = handle_yield,
	.example = "{}"},
    {.name = NULL},
};
