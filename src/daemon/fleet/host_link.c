/* SPDX-License-Identifier: ISC */
/* One connection to the daemon of a host. */
#include "daemon/fleet/host_parts.h"

#include "base/process.h"
#include "client/loop_link.h"
#include "client/loop_process.h"
#include "daemon/core/rlimit.h"
#include "wire/relay.h"

extern char **environ;

enum { COMMAND_MAX = 8192, SSH_OPTIONS = 16 };

struct host_link {
	const struct host_link_handlers *handlers;
	void *data;
	const struct host_spec *spec; /* the host's own spec, so that a new name is seen here too */
	struct loop_link *local; /* the link to a local daemon, or NULL */
	struct loop_process *process; /* ssh, or NULL */
	bool has_hello;
	unsigned noise; /* lines before the hello */
	char said[STR_SHOWN_SIZE]; /* the last of these lines; "" if none */
	char reason[HOST_REASON_SIZE]; /* why the link ends; "" while it does not */
};

void host_link_end(struct host_link *link, const char *reason)
{
	if (link->reason[0] != '\0')
		return;
	(void)snprintf(link->reason, sizeof link->reason, "%s", reason);
	if (link->local != NULL)
		loop_link_end(link->local);
	else
		loop_process_stop(link->process);
}

static const char too_long[] = "a message of it is longer than 12 MiB";

static void on_too_long(void *data)
{
	host_link_end(data, too_long);
}

static void read_hello(struct host_link *link, const char *bytes, size_t len)
{
	char line[RELAY_LINE_MAX], version[HOST_VERSION_SIZE], reason[HOST_REASON_SIZE];
	unsigned protocol;
	(void)snprintf(
	    line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), bytes);
	if (!relay_read_hello(line, &protocol, version, sizeof version)) {
		relay_keep_noise(line, link->said);
		if (++link->noise > RELAY_NOISE_MAX)
			host_link_end(link, RELAY_NOISE_REASON);
		return;
	}
	if (protocol != RELAY_PROTOCOL) {
		relay_refuse(link->spec->name, version, protocol, reason, sizeof reason);
		host_link_end(link, reason);
		return;
	}
	link->has_hello = true;
	link->handlers->up(link->data, version);
}

static void on_line(void *data, const char *line, size_t len)
{
	struct host_link *link = data;
	if (link->reason[0] != '\0')
		return;
	if (link->has_hello)
		link->handlers->line(link->data, line, len);
	else
		read_hello(link, line, len);
}

static void on_local_up(void *data)
{
	struct host_link *link = data;
	link->has_hello = true;
	link->handlers->up(link->data, "");
}

static void on_local_down(void *data, int error)
{
	struct host_link *link = data;
	const char *how = error == 0 ? "the daemon has closed it"
	    : error == EPERM         ? "another user listens there"
	    : error == EMSGSIZE      ? too_long
				     : strerror(error);
	link->handlers->ended(link->data, link->reason[0] != '\0' ? link->reason : how);
}

static void start_local(struct host_link *link, struct event_base *base)
{
	const struct loop_link_options options = {
	    .path = link->spec->socket, .line_max = HOST_LINE_BYTES, .is_once = true};
	const struct loop_link_handlers handlers = {
	    .up = on_local_up, .line = on_line, .down = on_local_down, .data = link};
	link->local = loop_link_new(base, &options, &handlers);
	loop_link_start(link->local);
}

/* ssh has closed its output. on_process_ended() will know why. */
static void on_process_closed(void *data)
{
	struct host_link *link = data;
	if (link->reason[0] == '\0')
		loop_process_stop(link->process);
}

static void on_process_ended(void *data, const char *how)
{
	struct host_link *link = data;
	struct relay_end end = {
	    .host = host_destination(link->spec), .how = how, .noise = link->said};
	char remark[LOOP_PROCESS_REMARK_SIZE];
	end.said = loop_process_said(link->process, &end.said_len);
	loop_process_remark(link->process, remark);
	if (link->reason[0] == '\0' && !link->has_hello)
		relay_explain(&end, link->reason, sizeof link->reason);
	else if (link->reason[0] == '\0' && remark[0] != '\0')
		(void)snprintf(link->reason, sizeof link->reason, "%s", remark);
	else if (link->reason[0] == '\0')
		(void)snprintf(
		    link->reason, sizeof link->reason, "the connection has ended: %s", how);
	link->handlers->ended(link->data, link->reason);
}

static void start_ssh(struct host_link *link, struct event_base *base)
{
	const struct host_spec *spec = link->spec;
	static const struct loop_process_handlers handlers = {
	    .line = on_line,
	    .too_long = on_too_long,
	    .closed = on_process_closed,
	    .ended = on_process_ended,
	};
	char words[RELAY_SSH_SIZE], supervisor[PATH_MAX];
	const char *argv[RELAY_SSH_MAX + SSH_OPTIONS];
	size_t count = relay_ssh_words(words, argv);
	static const char *const options[] = {"-o", "BatchMode=yes", "-o", "ServerAliveInterval=15",
	    "-o", "ServerAliveCountMax=3", "--"};
	struct loop_program program = {
	    .argv = argv,
	    .env = (const char *const *)environ,
	    .cwd = "/",
	    .files = rlimit_given_files(),
	    .queue_max = HOST_QUEUE_BYTES,
	};
	struct buf command = BUF(COMMAND_MAX);
	for (size_t at = 0; at < sizeof options / sizeof *options; at++)
		argv[count++] = options[at];
	argv[count++] = host_destination(spec);
	/* The hosts file limits the length of these strings, so the command fits. */
	(void)relay_append_command(&command, spec->program, spec->tmux_name, spec->tmux_path);
	argv[count++] = (const char *)command.data + 1; /* without the blank at its beginning */
	argv[count] = NULL;
	sibling_find("muxbus-job", supervisor, sizeof supervisor);
	link->process = loop_process_new(base, supervisor, &program, &handlers, link);
	buf_finish(&command);
}

struct host_link *host_link_new(struct event_base *base, const struct host_spec *spec,
    const struct host_link_handlers *handlers, void *data)
{
	struct host_link *link = xcalloc(1, sizeof *link);
	link->handlers = handlers;
	link->data = data;
	link->spec = spec;
	if (spec->socket != NULL)
		start_local(link, base);
	else
		start_ssh(link, base);
	return link;
}

void host_link_free(struct host_link *link)
{
	if (link == NULL)
		return;
	loop_link_free(link->local);
	loop_process_free(link->process);
	mem_free(link);
}

bool host_link_is_open(const struct host_link *link)
{
	if (link == NULL || link->reason[0] != '\0' || !link->has_hello)
		return false;
	return link->local != NULL ? loop_link_is_up(link->local)
				   : loop_process_is_open(link->process);
}

bool host_link_write(struct host_link *link, const void *line, size_t len)
{
	if (!host_link_is_open(link))
		return false;
	return link->local != NULL ? loop_link_write(link->local, line, len)
				   : loop_process_write(link->process, line, len);
}
