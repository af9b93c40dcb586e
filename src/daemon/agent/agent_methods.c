/* SPDX-License-Identifier: ISC */
/* Methods of agents: ensure_agent, send_task, respond, list_agents, stop_agent. */
#include "daemon/agent/agent.h"

#include "daemon/agent/agent_private.h"
#include "daemon/agent/agent_question.h"
#include "daemon/agent/agent_task.h"
#include "daemon/core/pattern.h"
#include "daemon/queue/consumer.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "daemon/server/spawn.h"

#define TASK_SEC_MAX (10 * 366 * 86400.0)

enum {
	CELLS_MIN = 2,
	CELLS_MAX = 10000,
	HISTORY_MAX = 10000000,
	SPEC_BYTES_MAX = 128 * 1024, /* bytes of a command with its environment */
};

struct ensure_args {
	const char *name;
	struct spawn_args spawn;
	const char *pane, *prompt;
	int64_t width;
	bool has_width;
	int64_t height;
	bool has_height;
	int64_t history_limit;
	bool has_history_limit, notices, resume;
	double startup_timeout_sec;
};

static const struct field ensure_fields[] = {
    {FIELD_ROW(STRING, struct ensure_args, name, "name"), .min = 1, .max = AGENT_NAME_MAX,
	.help = "Its name from then on: A-Z a-z 0-9 _ . : -; with pane it may be left out: "
		"then the agent is named after its program."},
    {FIELD_ROW(KEYS, struct ensure_args, spawn.command, "command"),
	.flags = FIELD_CONFIDENTIAL_REST, .max = 256,
	.help = "The program: a string goes to the shell, an array of two or more words is "
		"executed as it is. Left out, only an agent that runs is found."},
    {FIELD_ROW(STRING, struct ensure_args, pane, "pane"), .flags = FIELD_RARE, .min = 1, .max = 256,
	.help = "Instead of command: adopt the agent that a person started in this pane."},
    {FIELD_ROW(STRING, struct ensure_args, spawn.cwd, "cwd"), .flags = FIELD_PATH, .min = 1,
	.max = PATH_MAX - 1,
	.help = "The absolute path of the directory it starts in; left out, the caller's. An "
		"agent that runs is found in any directory if this is left out."},
    {FIELD_ROW(STRING_MAP, struct ensure_args, spawn.env, "env"), .flags = FIELD_CONFIDENTIAL,
	.help = "Environment variables for it."},
    {FIELD_ROW(STRING, struct ensure_args, prompt, "prompt"), .flags = FIELD_CONFIDENTIAL, .min = 1,
	.max = PATTERN_BYTES_MAX,
	.help = "A regular expression that matches what stands before the cursor when it is "
		"ready; left out, its prompt is learned when it first rests."},
    {FIELD_ROW(INT, struct ensure_args, width, "width"),
	.given_offset = offsetof(struct ensure_args, has_width), .unit = "cells", .min = CELLS_MIN,
	.max = CELLS_MAX, .preset = "220",
	.help = "Columns of its window, whichever clients attach."},
    {FIELD_ROW(INT, struct ensure_args, height, "height"),
	.given_offset = offsetof(struct ensure_args, has_height), .unit = "cells", .min = CELLS_MIN,
	.max = CELLS_MAX, .preset = "50", .help = "Rows of its window."},
    {FIELD_ROW(INT, struct ensure_args, history_limit, "history_limit"),
	.given_offset = offsetof(struct ensure_args, has_history_limit), .unit = "lines",
	.max = HISTORY_MAX, .preset = "50000",
	.help = "How many lines tmux keeps that have scrolled away."},
    {FIELD_ROW(BOOL, struct ensure_args, notices, "notices"), .flags = FIELD_RARE,
	.preset = "false",
	.help = "Make notifications for you of what its program tells its terminal (OSC 9, 99, "
		"777)."},
    {FIELD_ROW(BOOL, struct ensure_args, resume, "resume"), .flags = FIELD_RARE, .preset = "false",
	.help = "Without command: start one again that has ended, with the conversation that it "
		"had, and never with a new one."},
    {FIELD_ROW(NUMBER, struct ensure_args, startup_timeout_sec, "startup_timeout_sec"), .unit = "s",
	.min = 0.001, .max = 86400, .preset = "30",
	.help = "How long to wait for its prompt; it goes on starting after that."},
    {.name = NULL},
};

#define AGENT_RESULTS(in)                                                                         \
	{in "agent", "string", "its name"},                                                       \
	    {in "state", "string",                                                                \
		"starting, ready, draft (text stands in the prompt of an agent with signs; "      \
		"others "                                                                         \
		"are busy then), busy, blocked, crashed or gone"},                                \
	    {in "reason", "string", "which fact says so"}, {in "since", "string", "since when"},  \
	    {in "pane", "string|null", "the pane it is in"},                                      \
	    {in "window", "string|null", "the window"},                                           \
	    {in "session", "string|null", "the session"},                                         \
	    {in "pid", "integer", "of the program that the pane was made with"},                  \
	    {in "command", "string|array", "what runs"},                                          \
	    {in "command_cut", "boolean", "true: of command the first 4,000 bytes"},              \
	    {in "program_started", "string|null", "when it was started last"},                    \
	    {in "restarts", "integer", "how often it was started again in a row"},                \
	    {in "restarting", "boolean", "whether it is about to be"},                            \
	    {in "adopted", "boolean", "whether a person started it"},                             \
	    {in "question", "string", "what it asks, if it is blocked: respond answers it"},      \
	    {in "question_id", "string", "which question that is, for respond"},                  \
	    {in "choices", "array",                                                               \
		"its numbered choices: choice, text; none: a text answers it"},                   \
	    {in "secret", "boolean", "with a question: whether what is answered is not shown"},   \
	    {in "output", "string", "the last lines of a program that never was ready"},          \
	    {in "evidence", "object",                                                             \
		"what was seen: row (before the cursor), front (the program), reads (whether it " \
		"waits for input), terminal (raw or cooked), mark (OSC 133), quiet_ms, offset"},  \
	{                                                                                         \
		in "tasks", "array",                                                              \
		    "task, stage (queued, typing, running), created, due, held (why)"             \
	}

static const struct field_result ensure_results[] = {
    AGENT_RESULTS(""),
    {"started", "boolean", "whether it was started for this request"},
    DURABLE_RESULTS,
    {"message", "string", "the same in words"},
    {NULL, NULL, NULL},
};

static bool check_size(struct request *request, const struct spawn_args *spawn)
{
	const struct json *entry = spawn->env != NULL ? spawn->env->child : NULL;
	size_t size = 0;
	for (size_t at = 0; at < spawn->command.count; at++)
		size += strlen(spawn->command.strings[at]);
	for (; entry != NULL; entry = entry->next)
		size += entry->name_len + entry->len;
	if (size <= SPEC_BYTES_MAX)
		return true;
	return request_fail_data(request, MESSAGE_LIMIT, "\"field\":\"command\"",
	    "command: has %zu bytes with its environment, more than %d: put it into a file", size,
	    SPEC_BYTES_MAX);
}

static char **make_env(const struct json *env)
{
	char **entries = xcalloc((env != NULL ? env->count : 0) + 1, sizeof *entries);
	size_t at = 0;
	json_each_member (entry, env)
		entries[at++] = xasprintf("%s=%s", entry->name, entry->text);
	return entries;
}

static bool check_adoption(struct request *request, const struct ensure_args *args)
{
	const struct {
		const char *name;
		bool is_given;
	} others[] = {
	    {"command", args->spawn.command.is_given},
	    {"cwd", args->spawn.cwd != NULL},
	    {"env", args->spawn.env != NULL},
	    {"width", args->has_width},
	    {"height", args->has_height},
	    {"history_limit", args->has_history_limit},
	    {"notices", args->notices},
	    {"resume", args->resume},
	};

	for (size_t at = 0; at < sizeof others / sizeof *others; at++)
		if (others[at].is_given)
			return request_fail_field(request, others[at].name,
			    "is for an agent that is started: the one in pane runs already");
	return true;
}

static void ensure_pane(
    struct request *request, const struct ensure_args *args, struct agent_spec *spec)
{
	const struct muxbus_pane *pane;
	struct pane_ref teller;
	if (!check_adoption(request, args) || !target_pane(request, args->pane, &pane) ||
	    !requester_pane(request, NULL, &teller))
		return;
	once_keep(request_once(request), "");
	agent_adopt(request_daemon(request)->agents, request, spec, pane, &teller);
}

static void ensure_name(
    struct request *request, const struct ensure_args *args, struct agent_spec *spec)
{
	const struct agent *agent =
	    args->name != NULL ? agent_get(request_daemon(request)->agents, args->name) : NULL;
	struct pane_ref teller;
	if (agent == NULL) {
		request_fail_field(
		    request, "command", "is required to start an agent; pane adopts one that runs");
		return;
	}
	if (requester_pane(request, NULL, &teller))
		agent_join(request, agent, spec, &teller);
}

static void ensure_command(
    struct request *request, const struct ensure_args *args, struct agent_spec *spec)
{
	struct pane_ref teller;
	char cwd[PATH_MAX];
	if (args->name == NULL) {
		request_fail_field(request, "name", "is required");
		return;
	}
	if (!spawn_check(request, &args->spawn) || !check_size(request, &args->spawn) ||
	    !requester_pane(request, NULL, &teller) ||
	    !requester_cwd(request, args->spawn.cwd, &teller, cwd, sizeof cwd))
		return;
	spec->command = agent_strings_copy(args->spawn.command.strings, args->spawn.command.count);
	spec->env = make_env(args->spawn.env);
	spec->cwd = xstrdup(cwd);
	once_keep(request_once(request), "");
	agent_ensure(request_daemon(request)->agents, request, spec, &teller);
}

static void handle_ensure(struct request *request, const void *data)
{
	const struct ensure_args *args = data;
	struct agent_spec spec = {.width = args->width,
	    .height = args->height,
	    .history_limit = args->history_limit,
	    .wants_notices = args->notices,
	    .startup_timeout_ms = clock_seconds_to_ms(args->startup_timeout_sec),
	    .has_cwd = args->spawn.cwd != NULL,
	    .resumes = args->resume};
	if (args->name != NULL && !consumer_name_is_valid(args->name)) {
		request_fail_field(request, "name", "must be of A-Z a-z 0-9 _ . : -");
		return;
	}
	snprintf(spec.name, sizeof spec.name, "%s", args->name != NULL ? args->name : "");
	spec.prompt = args->prompt != NULL ? xstrdup(args->prompt) : NULL;
	if (args->pane != NULL)
		ensure_pane(request, args, &spec);
	else if (args->spawn.command.is_given)
		ensure_command(request, args, &spec);
	else
		ensure_name(request, args, &spec);
	agent_spec_finish(&spec);
}

/* A repeated request is handled again, and finds the agent that its first run has made. */
static void handle_ensure_begun(struct request *request, const void *data, const char *id UNUSED)
{
	handle_ensure(request, data);
}

struct send_args {
	struct agent_order order; /* only the members that have a row below */
	bool is_known_call; /* the text was given by its other name (task or response) */
	double timeout_sec;
};

#define SEND_FIELDS(text_also, text_flags, text_help)                                           \
	{FIELD_ROW(STRING, struct send_args, order.agent, "agent"), .min = 1,                   \
	    .max = AGENT_NAME_MAX,                                                              \
	    .help = "The name of the agent; left out: the one called as the caller's session, " \
		    "the one called code, or the only one that is kept."},                      \
	    {FIELD_ROW(STRING, struct send_args, order.text, "text"),                           \
		.flags = (text_flags) | FIELD_CONFIDENTIAL, .max = AGENT_TEXT_MAX,              \
		.help = text_help},                                                             \
	    {.name = (text_also),                                                               \
		.flags = FIELD_ALIAS,                                                           \
		.given_offset = offsetof(struct send_args, is_known_call)},                     \
	    {FIELD_ROW(BOOL, struct send_args, order.wait, "wait"), .preset = "true",           \
		.help = "Answer when its prompt is back; false: at once, and the end is a "     \
			"notification."},                                                       \
	    {FIELD_ROW(NUMBER, struct send_args, timeout_sec, "timeout_sec"), .unit = "s",      \
		.min = 0.001, .max = TASK_SEC_MAX, .preset = "600",                             \
		.help =                                                                         \
		    "End with the outcome timeout after this long, counted from the request."}, \
	    {FIELD_ROW(INT, struct send_args, order.max_bytes, "max_bytes"), .unit = "bytes",   \
		.min = 256, .max = AGENT_OUTPUT_MAX, .preset = "65536",                         \
		.help = "How much of the output, from its end, the answer holds."},             \
	{                                                                                       \
		FIELD_ROW(BOOL, struct send_args, order.progress, "progress"),                  \
		    .preset = "true",                                                           \
		    .help =                                                                     \
			"Tell what it says meanwhile: lines with the method progress, at most " \
			"four a second."                                                        \
	}

static const struct field send_fields[] = {
    SEND_FIELDS("task", FIELD_REQUIRED,
	"The text to type before Enter. Several lines are one paste, where the program "
	"takes such; else they are refused."),
    {.name = NULL},
};

static const struct field respond_fields[] = {
    SEND_FIELDS("response", 0,
	"The text to type before Enter; may be empty: Enter alone. It is never kept. Of a question "
	"with choices: the number or the text of one."),
    {FIELD_ROW(INT, struct send_args, order.choice, "choice"), .min = 1, .max = 9,
	.help = "Instead of text: the number of the choice to take, as list_agents and the outcome "
		"question have them. Needs question_id."},
    {FIELD_ROW(STRING, struct send_args, order.question_id, "question_id"), .min = 1,
	.max = AGENT_QUESTION_ID_SIZE - 1,
	.help = "The question that this answers. If the agent asks something else by now, nothing "
		"is typed, and the error has the new question. Left out: whatever it asks now."},
    {.name = NULL},
};

static const struct field_result send_results[] = {
    {"agent", "string", "its name"},
    {"task", "string", "the id of the task"},
    {"id", "string", "with wait false: the same, of its notification"},
    {"position", "integer", "with wait false: its place in the queue of the agent"},
    DURABLE_RESULTS,
    {"outcome", "string",
	"ready, question, crashed, timeout, released; of a notification also refused, not_asked, "
	"stuck (typed, not submitted), lost (muxbusd ended while it typed)"},
    {"reason", "string", "which fact says so"},
    {"text", "string", "what it said, without escape sequences, the echo and the prompt"},
    {"lossy", "boolean", "true if U+FFFD stands for bytes that are no UTF-8"},
    {"source", "string",
	"hook: the text is the agent's own report; screen: it was read off the pane"},
    {"pane", "string", "where: read_output has the exact bytes"},
    {"from", "integer", "offset in the pane's output of what it said"},
    {"to", "integer", "and of its end"},
    {"text_from", "integer", "offset of what text begins with"},
    {"truncated", "boolean", "whether text begins later than from: more than max_bytes"},
    {"rest", "string", "if truncated: the call that reads all that it said"},
    {"gap", "boolean", "whether output is missing in it"},
    {"question", "string", "outcome question: what is asked, without the choices"},
    {"question_id", "string", "outcome question: which one, for respond"},
    {"choices", "array", "outcome question: choice and text of each; none if a text answers it"},
    {"secret", "boolean", "outcome question: what is answered is not shown"},
    {"screen", "string", "of a full-screen program: what it shows"},
    {"exit_status", "integer", "outcome crashed, where it is known"},
    {"signal", "integer", "outcome crashed: what killed it, where it is known"},
    {"held", "string", "outcome timeout: why it was not typed"},
    {"elapsed_sec", "number", "how long it took"},
    {"typing", "object",
	"what was seen of the typing: echo_seen, enters, typing_ms; also in the data of an error"},
    {"evidence", "object", "as of list_agents"},
    {"message", "string", "with wait false: the same in words"},
    {NULL, NULL, NULL},
};

/* Control characters other than newline and tab would act as keys in the program. */
static bool check_text(struct request *request, const char *text, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		unsigned char byte = (unsigned char)text[at];
		bool is_c1 = byte == 0xc2 && at + 1 < len && (unsigned char)text[at + 1] < 0xa0;
		if ((byte >= ' ' && byte != 0x7f && !is_c1) || byte == '\n' || byte == '\t')
			continue;
		return request_fail_field(request, "text",
		    "holds a control character at byte %zu: send_keys types those", at);
	}
	return true;
}

static void send_answer_begun(struct request *request, const void *data, const char *id)
{
	const struct daemon *daemon = request_daemon(request);
	const struct notification *note = queue_find_id(daemon->queue, id);
	(void)data;
	if (agent_task_join(daemon->agents, request, id))
		return;
	if (note == NULL) {
		repeat_answer_id(request, data, id);
		return;
	}
	repeat_write_members(request, note->data, strlen(note->data));
	request_done(request);
}

static const struct agent *find_of_session(const struct daemon *daemon, const struct pane_ref *pane)
{
	const struct muxbus_model *model = daemon->tmux != NULL ? tmux_model(daemon->tmux) : NULL;
	const struct muxbus_pane *place =
	    model != NULL ? muxbus_model_pane(model, pane->pane) : NULL;
	const struct muxbus_session *session;
	const struct agent *found = NULL;
	const struct muxbus_link *link = NULL;
	while (found == NULL && place != NULL &&
	    (link = muxbus_model_next_link(model, link)) != NULL) {
		session = link->window == place->window ? muxbus_model_session(model, link->session)
							: NULL;
		found = session != NULL ? agent_get(daemon->agents, session->name) : NULL;
	}
	return found;
}

static const struct agent *choose_agent(struct request *request, const struct pane_ref *pane)
{
	const struct daemon *daemon = request_daemon(request);
	const struct agent_set *set = daemon->agents;
	const struct agent *found = find_of_session(daemon, pane);
	if (found == NULL)
		found = agent_get(set, "code");
	if (found == NULL && set->count == 1)
		found = list_entry(set->agents.next, const struct agent, link);
	if (found == NULL)
		request_fail_field(request, "agent", "%s",
		    set->count == 0 ? "is required: there is no agent yet, ensure_agent starts one"
				    : "is required: there are several agents, see list_agents");
	return found;
}

static void send(struct request *request, const struct send_args *args, bool is_response)
{
	struct agent_set *agents = request_daemon(request)->agents;
	struct pane_ref teller;
	const struct agent *agent;
	struct agent_order order = args->order;
	order.text = order.text != NULL ? order.text : "";
	order.len = strlen(order.text);
	order.timeout_ms = clock_seconds_to_ms(args->timeout_sec);
	order.is_response = is_response;
	order.teller = &teller;
	order.once = request_once(request);
	/* Each newline at the end would act as one more Enter. */
	while (order.len > 0 && order.text[order.len - 1] == '\n')
		order.len--;
	if (!check_text(request, order.text, order.len) || !requester_pane(request, NULL, &teller))
		return;
	agent =
	    order.agent != NULL ? agent_get(agents, order.agent) : choose_agent(request, &teller);
	if (agent == NULL && order.agent == NULL)
		return;
	order.agent = agent != NULL ? agent->spec.name : order.agent;
	if (args->is_known_call && agent != NULL && agent->state != AGENT_BLOCKED)
		order.is_response = false; /* nothing is asked, so the text is a task */
	/* Blanks alone look like an empty prompt, and would stay in front of the next text. */
	if (!order.is_response && strspn(order.text, " ") >= order.len) {
		request_fail_field(request, "text", "is blank, and must be a text to type");
		return;
	}
	agent_send(agents, request, &order);
}

static void handle_send(struct request *request, const void *data)
{
	send(request, data, false);
}

static void handle_respond(struct request *request, const void *data)
{
	const struct send_args *args = data;
	if ((args->order.text != NULL) == (args->order.choice > 0))
		request_fail_field(request, "choice", "give text or choice, one of both");
	else if (args->order.choice > 0 && args->order.question_id == NULL)
		request_fail_field(request, "question_id",
		    "choice needs it: it says which question has that choice");
	else
		send(request, args, true);
}

static const struct field_result list_results[] = {
    {"agents", "array",
	"those that ask something first; the kept ones before others, oldest first. Without "
	"kept, agent is the name of its program, which others may have, and state may be unknown: "
	"it has not reported"},
    AGENT_RESULTS("agents[]."),
    {"agents[].kept", "boolean",
	"false: it reports itself, or is known by its command line; ensure_agent with its pane "
	"adopts it"},
    {"agents[].source", "string",
	"if it is not kept: hook, mark or screen, which tells its state; absent if nothing does"},
    {"agents[].thread", "string", "its session as it reports it, if it is not kept"},
    {NULL, NULL, NULL},
};

static void write_list(void *data, const struct agent_look *look)
{
	struct request *request = data;
	struct agent_set *agents = request_daemon(request)->agents;
	struct json_writer *writer = request_result(request);
	json_array_begin(writer, "agents");
	for (int is_blocked = 1; is_blocked >= 0; is_blocked--) {
		list_each (const struct agent, agent, &agents->agents, link) {
			if ((agent->state == AGENT_BLOCKED) != is_blocked)
				continue;
			json_object_begin(writer, NULL);
			agent_write(writer, agent);
			json_put_bool(writer, "kept", true);
			json_object_end(writer);
		}
		agent_write_found(writer, agents, look, is_blocked);
	}
	json_array_end(writer);
	request_done(request);
}

static void handle_list(struct request *request, const void *data UNUSED)
{
	agent_found_look(request_daemon(request)->agents, write_list, request);
}

static bool affects_agent(struct request *request, const void *args, struct pane_ref *ret_pane)
{
	const char *name = role_text(request, args, "agent");
	const struct agent *agent;
	if (name == NULL && !requester_pane(request, NULL, ret_pane))
		return false;
	agent = name != NULL ? agent_get(request_daemon(request)->agents, name)
			     : choose_agent(request, ret_pane);
	if (agent == NULL)
		return name != NULL &&
		    role_affects_caller(request, args, ret_pane); /* the handler will fail */
	*ret_pane = agent->pane;
	return true;
}

struct agent_stop_args {
	const char *agent;
	double grace_sec;
	bool force;
};

static const struct field stop_fields[] = {
    {FIELD_ROW(STRING, struct agent_stop_args, agent, "agent"), .flags = FIELD_REQUIRED, .min = 1,
	.max = AGENT_NAME_MAX, .help = "The name of the agent."},
    {FIELD_ROW(NUMBER, struct agent_stop_args, grace_sec, "grace_sec"), .unit = "s", .max = 300,
	.preset = "5",
	.help = "How long its program may take to end (SIGHUP) before it is killed."},
    {FIELD_ROW(BOOL, struct agent_stop_args, force, "force"), .preset = "false",
	.help = "Also the one that the caller is in, or whose pane is the server's last; and "
		"close the pane of one that was adopted."},
    {.name = NULL},
};

static const struct field_result stop_results[] = {
    {"agent", "string", "its name"},
    {"pane", "string|null", "the pane that was closed, or released"},
    {"released", "boolean", "whether it was adopted, and its program goes on"},
    {"killed", "boolean", "whether it had to be killed"},
    {"exit_status", "integer", "of its program, where it is known"},
    {"signal", "integer", "that ended it"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

static void handle_stop(struct request *request, const void *data)
{
	const struct agent_stop_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	const struct agent *agent = agent_get(daemon->agents, args->agent);
	struct muxbus_model_counts counts;
	bool is_weak;
	if (agent != NULL && !args->force && !agent->is_adopted && agent_has_pane(agent)) {
		muxbus_model_counts(tmux_model(daemon->tmux), &counts);
		if (request_peer_pane(request, &is_weak) == agent->pane.pane || counts.panes == 1) {
			request_fail(request, MESSAGE_REFUSED,
			    "agent \"%s\" is the caller's own, or in the server's last pane: "
			    "\"force\": true stops it",
			    args->agent);
			return;
		}
	}
	agent_stop(daemon->agents, request, args->agent, clock_seconds_to_ms(args->grace_sec),
	    args->force);
}

const struct method methods_agent[] = {
    {.name = METHOD("ensure_agent", METHOD_SEES | METHOD_RUNS | METHOD_WRITES),
	.title = "Ensure an agent",
	.summary = "Finds an interactive program running under a name, or starts it in a window "
		   "of its own, and answers when it is ready.",
	.help = "It is kept alive: when it ends, or falls back to a shell, it is started "
		"again, after a while and at most five times in a row; also in the next tmux "
		"server, if muxbusd saw the end of the last one. An agent whose conversation is "
		"known goes on with that; one of a kind that has conversations, but whose is not "
		"known, is not started in the next server by itself. A program that never "
		"was ready is not: the error says how it ended, with its last lines, and its "
		"window is closed. Each crash is one notification, however often muxbusd is "
		"started after it. The state blocked says that it asks something: respond "
		"answers. With pane, an agent that a person started is adopted: its pane is left "
		"as it is, and it is never started again.",
	METHOD_CALL(handle_ensure, ensure_args, ensure_fields, ensure_results),
	.flags = METHOD_BY_OUTPUT | METHOD_IDEMPOTENT | METHOD_WAITS | METHOD_NEEDS_TMUX |
	    METHOD_OPEN_WORLD,
	.recheck = "list_agents",
	.begun = handle_ensure_begun,
	.example = "{\"name\":\"py\",\"command\":\"python3 -q\"}"},
    {.name = METHOD("list_agents", METHOD_READS | METHOD_SEES),
	.title = "List agents",
	.summary = "Lists the agents with their states, and the facts that say so.",
	.help = "Also those that a person started, if they report themselves or their command "
		"line is known.",
	.results = list_results,
	.flags = METHOD_OPEN_WORLD,
	.handle = handle_list},
    {.name = METHOD("respond", METHOD_SEES | METHOD_TYPES),
	.also = (const char *const[]){"respond_to_gemini", NULL},
	.title = "Answer an agent",
	.summary = "Types an answer to what an agent asks, and answers as send_task does.",
	.help = "Only while its state is blocked, and to the question that it asks then, or to "
		"question_id; else the answer is not_ready, as it is where a person has begun an "
		"answer; a text given as response is a task then. An id is good for one answer, "
		"and for the rows above the choices too. Of "
		"a question with choices Enter takes the one that is marked; of another the number "
		"is typed, and Enter follows only if the program marks that choice and waits. A "
		"text has Enter only where it is seen to stand in its place: a program that takes "
		"one key gets no Enter for what it asks next. Where it is not known whether the "
		"answer was taken, the error says so, and the question has a new id. Nothing is "
		"typed in copy mode, or within five seconds of a person's last key there.",
	METHOD_CALL(handle_respond, send_args, respond_fields, send_results),
	.flags = METHOD_BY_OUTPUT | METHOD_WAITS | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.recheck = "capture_pane",
	.affects = affects_agent,
	.begun = send_answer_begun,
	.example = "{\"agent\":\"py\",\"text\":\"yes\"}"},
    {.name = METHOD("send_task", METHOD_SEES | METHOD_TYPES | METHOD_WRITES),
	.also = (const char *const[]){"code", NULL},
	.title = "Give an agent a task",
	.summary = "Types a text at the prompt of an agent when it is ready, and answers with all "
		   "that it says when its prompt is back.",
	.help = "Tasks of one agent are done in order; it has at most 16, one more is busy. To one "
		"that asks something, respond. Nothing is typed into another program, a draft, a "
		"question or copy mode, or within five seconds of a person's last key there: the "
		"task waits. If the caller goes away, the end is a notification.",
	METHOD_CALL(handle_send, send_args, send_fields, send_results),
	.flags = METHOD_BY_OUTPUT | METHOD_WAITS | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.recheck = "list_agents",
	.affects = affects_agent,
	.begun = send_answer_begun,
	.example = "{\"agent\":\"py\",\"text\":\"print(6 * 7)\"}"},
    {.name = METHOD("stop_agent", METHOD_CLOSES | METHOD_WRITES),
	.title = "Stop an agent",
	.summary = "Ends an agent: its program as when a terminal is closed, then its window.",
	.help = "An agent that was adopted is released instead, unless by force: it is kept "
		"no more, and its program goes on. By force its program is ended too, and a "
		"person's shell around it stays, with the pane.",
	METHOD_CALL(handle_stop, agent_stop_args, stop_fields, stop_results),
	.flags = METHOD_BY_OUTPUT | METHOD_WAITS,
	.recheck = "list_agents",
	.affects = affects_agent,
	.example = "{\"agent\":\"py\"}"},
    {.name = NULL},
};
