/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/queue_command.h"

#include <muxbus.h>

#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/deliver/mail.h"
#include "daemon/deliver/program.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/input/submit.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/pane/thread_seat.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

extern char **environ;

enum {
	SAID_MAX = 120, /* bytes of the command's output in a reason */
	ANCESTORS_MAX = 8,
	WORDS_MAX = 8,
	VARIABLES_MAX = 4096,
	OUTPUT_MAX = 256 * 1024, /* bytes of output; a write of more fails */
	TIME_MS = 10000, /* time until the command is killed, and has failed */
	TRACE_STEP_MS = 50, /* time between checks of a command that an earlier daemon started */
	REASON_SIZE = 200,
	TRACE_WORDS = 4, /* words of the shell that runs the command, before the command's own */
};

#define SESSION_WORD "%session"
#define TEXT_WORD "%text"

/* Agents with their queue commands. SESSION_WORD and TEXT_WORD stand for session and message. */
static const struct {
	const char *agent, *words[WORDS_MAX];
} commands[] = {
    {"codex", {"codex", "queue", "--thread", SESSION_WORD, "--message", TEXT_WORD, NULL}},
};

/* Variables that the command gets from the agent's environment, if set there; else the daemon's. */
static const char *const inherited[] = {"PATH", "HOME", "CODEX_HOME"};
#define INHERITED_COUNT (sizeof inherited / sizeof *inherited)

/* A session of an agent, and the process whose program and environment the command gets. */
struct queue_target {
	char agent[PRESENCE_NAME_MAX + 1], session[PRESENCE_SESSION_MAX + 1];
	pid_t pid; /* 0: unknown */
};

/* The trace file of a command. The shell that runs it writes the file, for the next daemon. */
struct queue_trace {
	bool is_running, is_ended;
	pid_t pid; /* of the shell, which leads its process group */
	int status; /* exit status, as in $? */
	char said[4096]; /* the start of its output */
};

static const char trace_script[] =
    "umask 077; echo $$ >\"$0\"; said=$(\"$@\" 2>&1); status=$?; "
    "printf '%s\\n' \"$said\"; "
    "printf '%s\\n%s\\nend\\n' $status \"$said\" >>\"$0\"; exit $status";
static const char trace_end[] = "\nend\n";

struct queued_command {
	struct mail *mail;
	struct program *program; /* NULL: not started, or by an earlier daemon */
	struct loop_timer *timer;
	char trace[PATH_MAX + 32];
	int64_t until_ms; /* CLOCK_MONOTONIC: limit for a command of an earlier daemon */
	char reason[REASON_SIZE]; /* why the agent did not get the message */
};

struct queued_kept {
	uint64_t *batch; /* numbers of the notifications that the command reports */
	size_t count;
	char *trace;
};

static const struct record_field kept_fields[] = {
    {RECORD_ROW(NUMBERS, struct queued_kept, batch, "batch"),
	.count_offset = offsetof(struct queued_kept, count)},
    {RECORD_ROW(TEXT, struct queued_kept, trace, "trace")},
};

static const struct record_kind queued_kind = {.prefix = "queued/",
    .noun = "a message that was being queued",
    .rows = RECORD_ROWS(kept_fields, NULL),
    .source = SOURCE_POST};

static const char *const *find_words(const char *agent)
{
	for (size_t at = 0; at < sizeof commands / sizeof *commands; at++)
		if (strcmp(commands[at].agent, agent) == 0)
			return commands[at].words;
	return NULL;
}

bool queue_command_is_of(const char *agent)
{
	return find_words(agent) != NULL;
}

static bool set_target(struct queue_target *target, const struct presence *presence,
    const char *agent, const char *session)
{
	if (presence == NULL || presence->is_by_mark || strcmp(presence->agent, agent) != 0 ||
	    session[0] == '\0' || find_words(agent) == NULL)
		return false;
	snprintf(target->agent, sizeof target->agent, "%s", agent);
	snprintf(target->session, sizeof target->session, "%s", session);
	target->pid = presence->pid;
	return true;
}

/*
 * Finds the session: the address's thread, or else the session that the agent in the pane reported.
 * Returns false if there is none, its agent has no queue command, or its process has ended. Writes
 * a reason only for a thread that is not loaded, else "".
 */
static bool find_target(const struct daemon *parts, const struct pane_ref *address,
    struct queue_target *ret_target, char ret_reason[REASON_SIZE])
{
	struct presence_set *presences = parts->presences;
	const struct presence *in_pane = presence_of_pane(presences, address);
	char agent[PRESENCE_NAME_MAX + 1];
	const char *session;
	ret_reason[0] = '\0';
	if (in_pane == NULL && address->pane != MUXBUS_NO_ID) {
		thread_seat_look(presences, address);
		in_pane = presence_of_pane(presences, address);
	}
	if (address->thread[0] == '\0' || !presence_split(address->thread, agent, &session))
		return in_pane != NULL &&
		    set_target(ret_target, in_pane, in_pane->agent, in_pane->session);
	/*
	 * The session's process is tried first: the agent in the pane may have another session now.
	 */
	if (set_target(
		ret_target, presence_of_session(presences, agent, session), agent, session) ||
	    set_target(ret_target, in_pane, agent, session))
		return true;
	snprintf(ret_reason, REASON_SIZE,
	    "thread %.64s is not loaded: the process of %.32s has ended", session, agent);
	return false;
}

pid_t queue_command_process(const char *agent, pid_t pid)
{
	const char *const *words = find_words(agent);
	pid_t at = process_parent(pid);
	for (int generation = 0; words != NULL && at > 1 && generation < ANCESTORS_MAX;
	     generation++) {
		if (process_runs(at, words[0]))
			return at;
		at = process_parent(at);
	}
	return 0;
}

/*
 * Finds the program of the process if it has this name, or else the first program of this name in
 * dirs, a list as PATH.
 */
static bool find_program(const char *name, pid_t pid, const char *dirs, char *out, size_t size)
{
	pid = process_find_program(pid, name, 1);
	if (pid > 0 && process_program(pid, out, size) && out[0] == '/' && access(out, X_OK) == 0)
		return true;
	return file_find_program(name, dirs, out, size);
}

/*
 * Returns our environment with the agent's values of inherited[]. The caller frees the array, whose
 * strings stay in block.
 */
static char **make_environ(const struct buf *block)
{
	size_t count = 0, room = 1;
	char **made;
	while (environ[room - 1] != NULL && room < VARIABLES_MAX)
		room++;
	made = xcalloc(room + INHERITED_COUNT + 1, sizeof *made);
	for (size_t at = 0; at < INHERITED_COUNT; at++) {
		const char *text = process_variable(block, inherited[at]);
		if (text != NULL)
			made[count++] = (char *)(uintptr_t)text;
	}
	for (size_t at = 0; at + 1 < room; at++) {
		bool is_replaced = false;
		for (size_t own = 0; own < INHERITED_COUNT; own++) {
			size_t len = strlen(inherited[own]);
			is_replaced |= strncmp(environ[at], inherited[own], len) == 0 &&
			    environ[at][len] == '=' &&
			    process_variable(block, inherited[own]) != NULL;
		}
		if (!is_replaced)
			made[count++] = environ[at];
	}
	return made;
}

/* Returns the first line of output that begins with "error", or the last. The caller frees it. */
static char *find_said(char *text)
{
	const char *said = "";
	char *rest = text, *line;
	while ((line = strsep(&rest, "\r\n")) != NULL) {
		if (line[strspn(line, " \t")] == '\0')
			continue;
		said = line;
		if (strncasecmp(line, "error", 5) == 0)
			break;
	}
	return notification_clean_text(said, strlen(said));
}

static bool check(void *data UNUSED, const char *name UNUSED, const struct json *value)
{
	struct queued_kept kept = {0};
	if (!record_read(queued_kind.rows, value, &kept))
		return false;
	record_finish(queued_kind.rows, &kept);
	return true;
}

void queue_command_load(struct queue *queue)
{
	queue_load(queue, &queued_kind, check, NULL);
}

static struct store *store_of(const struct mail *mail)
{
	return queue_store(mail->office->parts->queue);
}

static void keep(struct queued_command *command)
{
	static unsigned number;
	const struct mail *mail = command->mail;
	struct queued_kept kept = {
	    .batch = (uint64_t *)mail->batch, .count = mail->batch_count, .trace = command->trace};
	char name[PANE_REF_NAME_SIZE];
	pane_ref_name(&mail->pane, name);
	(void)snprintf(command->trace, sizeof command->trace, "%s/queued.%d.%u",
	    mail->office->parts->config->state_dir, (int)getpid(), ++number);
	record_put(store_of(mail), &queued_kind, name, &kept);
}

static void forget(struct queued_command *command)
{
	char name[PANE_REF_NAME_SIZE];
	pane_ref_name(&command->mail->pane, name);
	record_delete(store_of(command->mail), &queued_kind, name);
	(void)unlink(command->trace);
}

static void command_free(struct queued_command *command)
{
	program_free(command->program);
	loop_timer_free(command->timer);
	mem_free(command);
}

/* Gives the receipts and goes on with the mail: notifications that have come meanwhile follow. */
static void end(struct queued_command *command, bool is_taken)
{
	struct mail *mail = command->mail;
	bool has_pane = mail->pane.pane != MUXBUS_NO_ID;
	forget(command);
	mail->work = NULL;
	mail->has_failed = !is_taken;
	mail->tries = is_taken ? 0 : mail->tries + 1;
	if (is_taken)
		receipt_put_all(mail->office->parts, mail->batch, mail->batch_count, NOTE_DELIVERED,
		    way_queue_command.result, way_queue_command.name, NULL);
	else
		receipt_put_all(mail->office->parts, mail->batch, mail->batch_count, NOTE_QUEUED,
		    "deferred", has_pane ? way_queue_command.name : way_none.name, command->reason);
	snprintf(mail->reason, sizeof mail->reason, "%s", is_taken ? "" : command->reason);
	mail->reason_way = has_pane ? NULL : way_none.name;
	mail->batch_count = 0;
	command_free(command);
	if (!is_taken && mail->office->changed != NULL)
		mail->office->changed(mail->office->changed_data);
	mail->office->go(mail);
}

/* Decides whether the agent has the message. status: of waitpid(2). Changes text, the output. */
static void judge(struct queued_command *command, bool is_late, int status, char *text)
{
	bool is_done = !is_late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	bool is_not_loaded = strcasestr(text, "not loaded") != NULL;
	char *said = find_said(text);
	if (is_late)
		snprintf(command->reason, sizeof command->reason,
		    "its queue command did not end within %d s", TIME_MS / 1000);
	else if (is_not_loaded)
		snprintf(command->reason, sizeof command->reason, "its thread is not loaded: %.*s",
		    SAID_MAX, said);
	else if (!is_done)
		snprintf(command->reason, sizeof command->reason,
		    "its queue command ended with %s %d%s%.*s",
		    WIFEXITED(status) ? "status" : "signal",
		    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		    said[0] != '\0' ? ": " : "", SAID_MAX, said);
	command->reason[utf8_valid_prefix(command->reason, strlen(command->reason))] = '\0';
	mem_free(said);
	end(command, is_done && !is_not_loaded);
}

static void on_ended(void *data, const struct program_end *ended)
{
	struct queued_command *command = data;
	char *text = program_output(command->program);
	judge(command, ended->is_late, ended->status, text);
	mem_free(text);
}

/* Returns true if the process is still the shell that writes this trace. */
static bool trace_is_running(pid_t pid, const char *path)
{
	char words[sizeof trace_script + PATH_MAX + 48];
	ssize_t len = process_read(pid, "cmdline", words, sizeof words);
	return len > 0 && memmem(words, (size_t)len, path, strlen(path)) != NULL;
}

/* Reads a trace file. Without is_running and is_ended, the command was killed or not started. */
static void trace_read(const char *path, struct queue_trace *ret_trace)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[sizeof ret_trace->said + 32] = "", last[sizeof trace_end] = "";
	struct stat info;
	int used = 0;
	*ret_trace = (struct queue_trace){0};
	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && pread(fd, text, sizeof text - 1, 0) > 0 &&
	    sscanf(text, "%d\n%d\n%n", &ret_trace->pid, &ret_trace->status, &used) > 0) {
		ret_trace->is_ended = used > 0 &&
		    pread(fd, last, sizeof trace_end - 1,
			info.st_size - (off_t)sizeof trace_end + 1) > 0 &&
		    strcmp(last, trace_end) == 0;
		if (ret_trace->is_ended && info.st_size < (off_t)sizeof text)
			text[info.st_size - 4] = '\0'; /* "end\n" is not of the output */
		ret_trace->is_running = !ret_trace->is_ended && ret_trace->pid > 1 &&
		    trace_is_running(ret_trace->pid, path);
		(void)snprintf(ret_trace->said, sizeof ret_trace->said, "%s", text + used);
	}
	(void)close(fd);
}

/* Watches an earlier daemon's command. If it was killed or not started, delivers the mail again. */
static void on_trace(void *data)
{
	struct queued_command *command = data;
	struct mail *mail = command->mail;
	struct queue_trace trace;
	trace_read(command->trace, &trace);
	if (trace.is_ended) {
		judge(command, false, W_EXITCODE(trace.status, 0), trace.said);
	} else if (!trace.is_running) {
		/* A killed command may have delivered its message: this counts as one delivery. */
		for (size_t at = 0; at < mail->batch_count && trace.pid > 0; at++)
			queue_count_redelivery(mail->office->parts->queue, mail->batch[at], 1);
		forget(command);
		command_free(command);
		mail->work = NULL;
		mail->batch_count = 0;
		mail->office->go(mail);
	} else if (clock_mono_ms() < command->until_ms) {
		loop_timer_arm(command->timer, TRACE_STEP_MS);
	} else {
		(void)kill(-trace.pid, SIGKILL);
		judge(command, true, 0, trace.said);
	}
}

void queue_command_open(struct mail *mail)
{
	struct queue *queue = mail->office->parts->queue;
	struct queued_kept kept = {0};
	struct queued_command *command;
	char name[PANE_REF_NAME_SIZE];
	pane_ref_name(&mail->pane, name);
	if (mail->batch_count > 0 || !record_get(store_of(mail), &queued_kind, name, &kept))
		return;
	for (size_t at = 0; at < kept.count && mail->batch_count < MAIL_BATCH_MAX; at++) {
		const struct notification *note = queue_find(queue, kept.batch[at]);
		if (note != NULL && mail_is_for(mail, note))
			mail->batch[mail->batch_count++] = kept.batch[at];
	}
	command = xcalloc(1, sizeof *command);
	command->mail = mail;
	command->until_ms = clock_mono_ms() + TIME_MS;
	command->timer = loop_timer_new(mail->office->parts->base, on_trace, command);
	snprintf(command->trace, sizeof command->trace, "%s", kept.trace);
	record_finish(queued_kind.rows, &kept);
	mail->way = &way_queue_command;
	mail->work = command;
	loop_timer_arm(command->timer, 0);
}

static void on_timer(void *data)
{
	end(data, false);
}

/*
 * Starts the agent's own program or, if that cannot be found, the first program of its name in the
 * agent's PATH or in ours.
 */
static bool run(struct queued_command *command, const struct queue_target *target, const char *text)
{
	const char *const *words = find_words(target->agent);
	char program[PATH_MAX];
	const char *argv[TRACE_WORDS + WORDS_MAX] = {"sh", "-c", trace_script, command->trace};
	struct program_order order = {.path = "/bin/sh",
	    .argv = (char *const *)(uintptr_t)argv,
	    .input = -1,
	    .output_max = OUTPUT_MAX,
	    .time_ms = TIME_MS};
	const char *path;
	struct buf block = BUF(PROCESS_ENVIRON_MAX);
	char **env;
	for (size_t at = 0; words[at] != NULL; at++)
		argv[TRACE_WORDS + at] = (strcmp(words[at], SESSION_WORD) == 0 ? target->session
			: strcmp(words[at], TEXT_WORD) == 0                    ? text
									       : words[at]);
	process_read_environ(target->pid, &block);
	order.env = env = make_environ(&block);
	path = process_variable(&block, "PATH");
	errno = ENOENT;
	argv[TRACE_WORDS] = program;
	if (find_program(words[0], target->pid, path != NULL ? path + 5 : getenv("PATH"), program,
		sizeof program))
		command->program =
		    program_start(command->mail->office->parts->base, &order, on_ended, command);
	if (command->program == NULL)
		snprintf(command->reason, sizeof command->reason, "its program %s: %s", words[0],
		    strerror(errno));
	mem_free(env);
	buf_finish(&block);
	return command->program != NULL;
}

static void start_command(struct mail *mail, const struct queue_target *target)
{
	const struct notification *notes[MAIL_BATCH_MAX];
	struct queued_command *command = xcalloc(1, sizeof *command);
	struct buf text = BUF(SUBMIT_LINE_MAX);
	mail_end_deferral(mail);
	mail_gather(mail, notes);
	command->mail = mail;
	queue_begin(mail->office->parts->queue);
	mail_set_delivering(mail);
	keep(command);
	(void)queue_commit(mail->office->parts->queue);
	command->timer = loop_timer_new(mail->office->parts->base, on_timer, command);
	mail->work = command;
	/* Other users can see the arguments of a program, so there are no quotations. */
	prompt_line_compose(&text, notes, mail->batch_count, NULL);
	if (!run(command, target, (const char *)text.data))
		loop_timer_arm(command->timer, 0);
	buf_finish(&text);
}

static enum way_use use(const struct way_place *place, struct way_found *found)
{
	char reason[REASON_SIZE] = "";
	struct queue_target target;
	if (place->failure == NULL && find_target(place->parts, place->address, &target, reason)) {
		snprintf(found->text, WAY_TEXT_SIZE, "handed over by %.32s queue, thread %.128s",
		    target.agent, target.session);
		return WAY_TAKES;
	}
	snprintf(found->text, WAY_TEXT_SIZE, "%s",
	    place->failure != NULL  ? place->failure
		: reason[0] != '\0' ? reason
				    : "you are in no pane of this tmux server");
	return place->address->pane == MUXBUS_NO_ID ? WAY_WAITS : WAY_PASSES;
}

/*
 * Starts the command. Without a session, or after a failure, the mail stays queued; after a failure
 * a timer tries again.
 */
static void start(struct mail *mail, const struct way_found *found)
{
	char reason[REASON_SIZE];
	struct queue_target target;
	if (found->way == &way_queue_command &&
	    find_target(mail->office->parts, &mail->pane, &target, reason)) {
		start_command(mail, &target);
		return;
	}
	if (mail->has_failed)
		mail_try_again(mail, mail->tries > 0 ? mail->tries - 1 : 0);
	mail_defer(mail, way_none.name, found->text, strcmp(found->text, mail->reason) != 0);
}

static void cancel(struct mail *mail)
{
	struct queued_command *command = mail->work;
	if (command == NULL)
		return;
	if (command->program != NULL)
		forget(command); /* command_free() will kill it, and its result does not count */
	command_free(command);
}

static void find_pid(const struct daemon *parts, const struct pane_ref *address,
    struct foreground_program *ret_program)
{
	char reason[REASON_SIZE];
	struct queue_target target;
	if (!find_target(parts, address, &target, reason) || target.pid <= 0)
		return;
	ret_program->pid = target.pid;
	ret_program->start = process_start_ticks(target.pid);
}

const struct way way_queue_command = {.name = "queue_command",
    .result = "handed_over",
    .use = use,
    .start = start,
    .cancel = cancel,
    .program = find_pid};
