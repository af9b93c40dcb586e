/* SPDX-License-Identifier: ISC */
/* The commands by which agents queue messages to their sessions. */
#include "daemon/deliver/queue_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/process.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/deliver/program.h"
#include "daemon/queue/notification.h"
#include "io/loop_timer.h"

extern char **environ;

enum {
	SAID_MAX = 120, /* bytes of its output in a reason */
	ANCESTORS_MAX = 8,
	CHILDREN_MAX = 1023, /* bytes of the pids of a launcher's children; the rest is not read */
	WORDS_MAX = 8,
	ENVIRON_MAX = 256 * 1024,
	VARIABLES_MAX = 4096,
};

#define SESSION_WORD "%session"
#define TEXT_WORD "%text"

/* The commands, by agent. The words after % stand for themselves, each one argument. */
static const struct {
	const char *agent;
	const char *words[WORDS_MAX];
} commands[] = {
    {"codex", {"codex", "queue", "--thread", SESSION_WORD, "--message", TEXT_WORD, NULL}},
};

/* The variables such a command needs from its agent's environment, beside ours. */
static const char *const inherited[] = {"PATH", "HOME", "CODEX_HOME"};
#define INHERITED_COUNT (sizeof inherited / sizeof *inherited)

struct queue_command {
	queue_command_fn *done;
	void *data;
	struct program *program; /* NULL: it was not started */
	struct loop_timer *timer;
	char reason[QUEUE_REASON_SIZE];
};

static const char *const *find_words(const char *agent)
{
	for (size_t at = 0; at < sizeof commands / sizeof *commands; at++) {
		if (strcmp(commands[at].agent, agent) == 0)
			return commands[at].words;
	}
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

bool queue_command_find(struct presence_set *presences, const struct pane_ref *address,
    struct queue_target *ret_target, char ret_reason[QUEUE_REASON_SIZE])
{
	const struct presence *in_pane = presence_of_pane(presences, address);
	char agent[PRESENCE_NAME_MAX + 1];
	const char *session;
	ret_reason[0] = '\0';
	if (address->thread[0] == '\0' || !presence_split(address->thread, agent, &session))
		return in_pane != NULL &&
		    set_target(ret_target, in_pane, in_pane->agent, in_pane->session);
	/* Another session in the pane may have taken the place of this one in the same program. */
	if (set_target(
		ret_target, presence_of_session(presences, agent, session), agent, session) ||
	    set_target(ret_target, in_pane, agent, session))
		return true;
	snprintf(ret_reason, QUEUE_REASON_SIZE,
	    "thread %.64s is not loaded: the process of %.32s has ended", session, agent);
	return false;
}

/* Whether the program of a process bears a name. */
static bool is_program_of(pid_t pid, const char *name)
{
	char link[64], path[PATH_MAX];
	const char *slash;
	ssize_t len;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof path - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	return slash != NULL && strcmp(slash + 1, name) == 0;
}

pid_t queue_command_process(const char *agent, pid_t pid)
{
	const char *const *words = find_words(agent);
	pid_t at = process_parent(pid);
	for (int generation = 0; words != NULL && at > 1 && generation < ANCESTORS_MAX;
	     generation++) {
		if (is_program_of(at, words[0]))
			return at;
		at = process_parent(at);
	}
	return 0;
}

/* Reads "NAME=VALUE" texts of a process, each ended by a NUL; empty if that is not allowed. */
static void read_environ(pid_t pid, struct buf *out)
{
	char path[64];
	ssize_t count;
	int fd;
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	/* The last NUL has its place too. */
	while (
	    buf_reserve(out, 16384 + 1) == 0 && (count = read(fd, out->data + out->len, 16384)) > 0)
		out->len += (size_t)count;
	(void)close(fd); /* only read */
	(void)buf_append_byte(out, '\0');
}

/* The text "NAME=VALUE" of a variable, or NULL. */
static const char *find_variable(const struct buf *block, const char *name)
{
	size_t len = strlen(name);
	for (size_t at = 0; at < block->len; at += strlen((const char *)block->data + at) + 1) {
		const char *text = (const char *)block->data + at;
		if (strncmp(text, name, len) == 0 && text[len] == '=')
			return text;
	}
	return NULL;
}

/* The process of a program: that one, or a child of that launcher; 0: neither, or not known. */
static pid_t find_process(const char *name, pid_t pid)
{
	char path[64], text[CHILDREN_MAX + 1], *at = text, *end;
	ssize_t len;
	int fd;
	if (pid <= 0 || is_program_of(pid, name))
		return pid;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		(void)close(fd); /* only read */
	text[len > 0 ? len : 0] = '\0';
	/* A space ends each: the last one of too many is cut off. */
	for (long child; (child = strtol(at, &end, 10)) > 0 && *end == ' '; at = end) {
		if (is_program_of((pid_t)child, name))
			return (pid_t)child;
	}
	return 0;
}

/* The agent's own program, if it bears the name; else the first in a path of directories. */
static bool find_program(const char *name, pid_t pid, const char *dirs, char *out, size_t size)
{
	char link[64];
	ssize_t len;
	pid = find_process(name, pid);
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	len = pid > 0 ? readlink(link, out, size - 1) : -1;
	if (len > 0) {
		out[len] = '\0';
		if (out[0] == '/' && access(out, X_OK) == 0)
			return true;
	}
	return program_find(name, dirs, out, size);
}

/* Our environment, with what is the agent's own before it. Its array is the caller's. */
static char **make_environ(const struct buf *block)
{
	size_t count = 0, room = 1;
	char **made;
	while (environ[room - 1] != NULL && room < VARIABLES_MAX)
		room++;
	made = xcalloc(room + INHERITED_COUNT + 1, sizeof *made);
	for (size_t at = 0; at < INHERITED_COUNT; at++) {
		const char *text = find_variable(block, inherited[at]);
		if (text != NULL)
			made[count++] = (char *)(uintptr_t)text;
	}
	for (size_t at = 0; at + 1 < room; at++) {
		bool is_replaced = false;
		for (size_t own = 0; own < INHERITED_COUNT; own++) {
			size_t len = strlen(inherited[own]);
			is_replaced |= strncmp(environ[at], inherited[own], len) == 0 &&
			    environ[at][len] == '=' && find_variable(block, inherited[own]) != NULL;
		}
		if (!is_replaced)
			made[count++] = environ[at];
	}
	return made;
}

/* The line of an output that says most: the first error, else the last line. xalloc()ed. */
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

static void on_ended(void *data, const struct program_end *end)
{
	struct queue_command *command = data;
	int status = end->status;
	bool is_done = !end->is_late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	char *text = program_output(command->program);
	bool is_not_loaded = strcasestr(text, "not loaded") != NULL;
	char *said = find_said(text);
	if (end->is_late)
		snprintf(command->reason, sizeof command->reason,
		    "its queue command did not end within %d s", QUEUE_COMMAND_MS / 1000);
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
	mem_free(text);
	command->done(command->data, is_done && !is_not_loaded, command->reason);
}

/* It could not be started. */
static void on_timer(void *data)
{
	struct queue_command *command = data;
	command->done(command->data, false, command->reason);
}

static bool start(struct queue_command *command, struct event_base *base,
    const struct queue_target *target, const char *text)
{
	const char *const *words = find_words(target->agent);
	char program[PATH_MAX], *argv[WORDS_MAX] = {NULL};
	struct program_order order = {
	    .path = program,
	    .argv = argv,
	    .input = -1,
	    .output_max = QUEUE_COMMAND_OUT_MAX,
	    .time_ms = QUEUE_COMMAND_MS,
	};
	const char *path;
	struct buf block;
	char **env;
	for (size_t at = 0; words[at] != NULL; at++)
		argv[at] =
		    (char *)(uintptr_t)(strcmp(words[at], SESSION_WORD) == 0 ? target->session
			    : strcmp(words[at], TEXT_WORD) == 0              ? text
									     : words[at]);
	buf_init(&block, ENVIRON_MAX);
	read_environ(target->pid, &block);
	order.env = env = make_environ(&block);
	path = find_variable(&block, "PATH");
	errno = ENOENT;
	if (find_program(words[0], target->pid, path != NULL ? path + 5 : getenv("PATH"), program,
		sizeof program))
		command->program = program_start(base, &order, on_ended, command);
	if (command->program == NULL)
		snprintf(command->reason, sizeof command->reason, "its program %s: %s", words[0],
		    strerror(errno));
	mem_free(env);
	buf_finish(&block);
	return command->program != NULL;
}

struct queue_command *queue_command_start(struct event_base *base,
    const struct queue_target *target, const char *text, queue_command_fn *done, void *data)
{
	struct queue_command *command = xcalloc(1, sizeof *command);
	command->done = done;
	command->data = data;
	command->timer = loop_timer_new(base, on_timer, command);
	if (!start(command, base, target, text))
		loop_timer_arm(command->timer, 0);
	return command;
}

void queue_command_free(struct queue_command *command)
{
	if (command == NULL)
		return;
	program_free(command->program);
	loop_timer_free(command->timer);
	mem_free(command);
}
