/* SPDX-License-Identifier: ISC */
/*
 * muxbus mcp: the MCP server that agents configure. It passes lines between the agent and muxbusd.
 * It starts muxbusd if none runs, unless --no-start is given. After a shutdown of muxbusd, only a
 * request starts it again. A failed start is repeated at growing intervals, REST_TRIES times; from
 * then on, only a request starts muxbusd. The bridge then looks each REST_LONG_MS for a muxbusd
 * that another program has started, but not through ssh.
 */
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/process.h"
#include "cli/catalog.h"
#include "cli/mcp/mcp_replay.h"
#include "cli/verb.h"
#include "config.h"
#include "wire/message.h"

#define READ_SIZE ((size_t)64 * 1024)
#define WRITE_SIZE 4096 /* a writable pipe accepts at least this much without blocking */
#define SEEK_STEP_MS 20
#define SEEK_GRACE_MS 500 /* time for another process to restart the daemon */
#define REST_TRIES 20 /* attempts at growing intervals */
#define REST_LONG_MS 60000 /* interval of later attempts; through ssh, only a request causes one */
#define LOSSES_MAX 5 /* losses, or starts, that are allowed within LOSSES_MS */
#define LOSSES_MS 10000

#define ANCESTORS_MAX 32

enum phase {
	PHASE_CONNECTED,
	PHASE_SEEKING, /* tries to connect at short intervals */
	PHASE_LAUNCHING, /* a child process starts the daemon */
	PHASE_RESTING, /* the last attempt failed; the next one is at next_ms or for a request */
};

struct mcp_options {
	const char *tools; /* words with commas, or NULL */
	bool is_legacy;
	bool starts_nothing; /* --no-start: start no daemon */
	bool is_read_only, owns_panes;
	const char *role; /* of --read-only or --own-panes; NULL: full */
};

struct losses {
	int64_t times[LOSSES_MAX]; /* times of the last losses or starts */
	size_t count;
};

struct bridge {
	const struct cli *cli;
	struct mcp_replay *replay;
	bool may_start;
	const char *role;
	enum phase phase;
	struct link *link; /* NULL while not connected */
	int64_t next_ms; /* time of the next attempt; -1: only on request */
	int64_t seek_until_ms;
	int rest_tries;
	unsigned delay_ms; /* back-off between attempts while resting */
	bool had_socket; /* the socket existed when the rest began */
	/* Start the daemon only on request: after a shutdown or REST_TRIES, or if it ends often. */
	bool is_on_request;
	struct losses lost, launched; /* lost connections, and starts of the daemon */
	int launch_fd; /* pipe with the child's error; -1: no child */
	pid_t launch_pid;
	struct buf launch_said;
	bool agent_has_ended;
	bool is_unread; /* standard output cannot be written */
};

static void rest(struct bridge *bridge)
{
	bridge->phase = PHASE_RESTING;
	bridge->seek_until_ms = 0;
	bridge->had_socket = access(bridge->cli->socket, F_OK) == 0;
	if (bridge->rest_tries++ < REST_TRIES) {
		bridge->next_ms = clock_mono_ms() + backoff_next_ms(&bridge->delay_ms);
		return;
	}
	bridge->is_on_request = true;
	bridge->next_ms = remote_is(bridge->cli) ? -1 : clock_mono_ms() + REST_LONG_MS;
}

static void give_up(struct bridge *bridge, const char *reason)
{
	char text[PATH_MAX + 1024];
	(void)snprintf(text, sizeof text,
	    "muxbus cannot reach its daemon: %s. A person can see what is wrong with `muxbus "
	    "doctor`; later calls try again.",
	    reason);
	log_warning("%s", reason);
	mcp_replay_refused(bridge->replay, text);
	rest(bridge);
}

/* As give_up(), for a daemon that ends again and again: only a request starts another one. */
static void give_up_starts(struct bridge *bridge, const char *reason)
{
	bridge->is_on_request = true;
	give_up(bridge, reason);
}

static void seek(struct bridge *bridge, int64_t grace_ms)
{
	bridge->phase = PHASE_SEEKING;
	bridge->seek_until_ms = clock_mono_ms() + grace_ms;
	bridge->next_ms = 0;
}

/* Starts the daemon in a child, because that takes a while. The child's error comes by a pipe. */
static void launch(struct bridge *bridge)
{
	int fds[2] = {-1, -1};
	pid_t pid = pipe2(fds, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid < 0) {
		give_up(bridge, strerror(errno));
		(void)close(fds[0]);
		(void)close(fds[1]);
		return;
	}
	if (pid == 0) {
		char reason[PATH_MAX + 1024];
		if (ask_launch(bridge->cli, reason, sizeof reason) == 0)
			_exit(EXIT_SUCCESS);
		(void)!write(fds[1], reason, strlen(reason)); /* if it fails, no reason is shown */
		_exit(EXIT_FAILURE);
	}
	(void)close(fds[1]);
	buf_clear(&bridge->launch_said);
	bridge->phase = PHASE_LAUNCHING;
	bridge->launch_fd = fds[0];
	bridge->launch_pid = pid;
}

/*
 * Codex runs the children of all its windows under one process, so our environment may name the
 * pane where that process was started instead of ours.
 */
static bool is_under_codex(void)
{
	char name[64];
	pid_t pid = getppid();
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = process_parent(pid))
		if (process_read(pid, "comm", name, sizeof name) > 0 &&
		    strncmp(name, "codex", strlen("codex")) == 0)
			return true;
	return false;
}

/*
 * Restricts the connection to the bridge's role before the agent's first message. Returns false if
 * the daemon refuses, as one without roles does; do not use the connection then.
 */
static bool narrow(const struct bridge *bridge, char *ret_reason, size_t size)
{
	char own[16];
	const char *pane = NULL;
	if (bridge->role == NULL)
		return true;
	if (locate_own_pane(bridge->cli, own, sizeof own) && !is_under_codex())
		pane = own;
	if (ask_narrow(bridge->link, bridge->role, pane))
		return true;
	return cli_refuse(ret_reason, size,
	    "muxbusd did not give this bridge the role %s: restart it if it is older than "
	    "muxbus " PACKAGE_VERSION,
	    bridge->role);
}

static bool is_hopeless(struct losses *losses)
{
	int64_t now_ms = clock_mono_ms();
	int64_t *oldest = &losses->times[losses->count++ % LOSSES_MAX];
	bool is_often = losses->count > LOSSES_MAX && now_ms - *oldest < LOSSES_MS;
	*oldest = now_ms;
	return is_often;
}

_Static_assert(LOSSES_MAX == 5 && LOSSES_MS == 10000, "as the text has it");

static void find_next_daemon(struct bridge *bridge)
{
	link_close(bridge->link);
	bridge->link = NULL;
	bridge->is_on_request = access(bridge->cli->socket, F_OK) < 0;
	if (is_hopeless(&bridge->lost))
		give_up_starts(
		    bridge, "muxbusd closed the connection more than 5 times within 10 s");
	else
		seek(bridge, SEEK_GRACE_MS);
}

static void lose(struct bridge *bridge)
{
	mcp_replay_lost(bridge->replay);
	find_next_daemon(bridge);
}

static bool has_ended(const struct link *link)
{
	char byte;
	ssize_t n = recv(link_fd(link), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno != EAGAIN);
}

static void try_to_connect(struct bridge *bridge)
{
	char reason[PATH_MAX + 512];
	enum link_state state = ask_open(&bridge->link, bridge->cli->socket, reason, sizeof reason);
	int64_t now_ms = clock_mono_ms();
	bool is_missing = state == LINK_NO_SOCKET || state == LINK_DEAD;
	bool is_waiting = mcp_replay_is_waiting(bridge->replay);
	bool is_resting = bridge->phase == PHASE_RESTING;
	/* A shutdown removes the socket; a crash leaves it. */
	bridge->is_on_request |= is_resting && bridge->had_socket && state == LINK_NO_SOCKET;
	if (state == LINK_OK && !narrow(bridge, reason, sizeof reason)) {
		if (has_ended(bridge->link)) {
			find_next_daemon(bridge);
			return;
		}
		link_close(bridge->link);
		bridge->link = NULL;
		give_up(bridge, reason);
	} else if (state == LINK_OK) {
		bridge->phase = PHASE_CONNECTED;
		bridge->rest_tries = 0;
		bridge->delay_ms = 0;
		bridge->is_on_request = false;
		mcp_replay_connected(bridge->replay);
	} else if (is_missing && now_ms < bridge->seek_until_ms) {
		bridge->next_ms = now_ms + SEEK_STEP_MS;
	} else if (is_missing && bridge->is_on_request && !is_waiting) {
		rest(bridge);
	} else if (is_missing && bridge->may_start) {
		launch(bridge);
	} else if (is_resting && !is_waiting) {
		rest(bridge);
	} else {
		give_up(bridge, reason);
	}
}

static void on_launch(struct bridge *bridge)
{
	char bytes[512];
	ssize_t n = read(bridge->launch_fd, bytes, sizeof bytes);
	if (n > 0)
		(void)buf_append(
		    &bridge->launch_said, bytes, (size_t)n); /* if cut, the beginning is enough */
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	(void)close(bridge->launch_fd);
	bridge->launch_fd = -1;
	while (waitpid(bridge->launch_pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (bridge->launch_said.len > 0)
		give_up(bridge, buf_text(&bridge->launch_said));
	else
		seek(bridge, SEEK_GRACE_MS);
	/* The start has succeeded. Do not restart a daemon forever that ends again and again. */
	if (bridge->phase == PHASE_SEEKING && is_hopeless(&bridge->launched))
		give_up_starts(bridge, "muxbusd was started more than 5 times within 10 s");
}

static void read_agent(struct bridge *bridge)
{
	static char bytes[READ_SIZE];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
	if (n > 0) {
		mcp_replay_from_agent(bridge->replay, bytes, (size_t)n);
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		mcp_replay_agent_ended(bridge->replay);
		bridge->agent_has_ended = true;
	}
}

static void write_agent(struct bridge *bridge)
{
	const struct buf *out = mcp_replay_to_agent(bridge->replay);
	ssize_t n = write(STDOUT_FILENO, out->data, out->len < WRITE_SIZE ? out->len : WRITE_SIZE);
	if (n > 0) {
		mcp_replay_wrote_agent(bridge->replay, (size_t)n);
	} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
		cli_keep_error(errno == EPIPE);
		bridge->is_unread = true;
	}
}

static void read_daemon(struct bridge *bridge)
{
	static char bytes[READ_SIZE];
	ssize_t n = recv(link_fd(bridge->link), bytes, sizeof bytes, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* A reset counts as the end of the connection. */
	if (n <= 0 || !mcp_replay_from_daemon(bridge->replay, bytes, (size_t)n))
		lose(bridge);
}

static void write_daemon(struct bridge *bridge)
{
	const struct buf *out = mcp_replay_to_daemon(bridge->replay);
	ssize_t n = send(link_fd(bridge->link), out->data, out->len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		mcp_replay_wrote_daemon(bridge->replay, (size_t)n);
	/* Errors are left to read_daemon(), which first reads the last answers. */
}

enum { IN, OUT, DAEMON, LAUNCH, FDS_COUNT };

/* Sets the descriptors to poll; -1: none. */
static void prepare(const struct bridge *bridge, struct pollfd fds[FDS_COUNT])
{
	const struct mcp_replay *replay = bridge->replay;
	bool may_read = !bridge->agent_has_ended && mcp_replay_wants_agent(replay);
	short in = mcp_replay_wants_daemon(replay) ? POLLIN : 0;
	short out = mcp_replay_to_daemon(replay)->len > 0 ? POLLOUT : 0;
	fds[IN] = (struct pollfd){.fd = may_read ? STDIN_FILENO : -1, .events = POLLIN};
	fds[OUT] = (struct pollfd){
	    .fd = STDOUT_FILENO, .events = mcp_replay_to_agent(replay)->len > 0 ? POLLOUT : 0};
	fds[DAEMON] = (struct pollfd){.fd = -1};
	if (bridge->phase == PHASE_CONNECTED && (in || out))
		fds[DAEMON] =
		    (struct pollfd){.fd = link_fd(bridge->link), .events = (short)(in | out)};
	fds[LAUNCH] = (struct pollfd){.fd = bridge->launch_fd, .events = POLLIN};
}

static int wait_ms(const struct bridge *bridge)
{
	int64_t left_ms;
	if (bridge->phase != PHASE_SEEKING && bridge->phase != PHASE_RESTING)
		return -1;
	if (bridge->phase == PHASE_RESTING && mcp_replay_is_waiting(bridge->replay))
		return 0;
	if (bridge->next_ms < 0)
		return -1;
	left_ms = bridge->next_ms - clock_mono_ms();
	return left_ms < 0 ? 0 : (int)left_ms;
}

static void turn(struct bridge *bridge)
{
	struct pollfd fds[FDS_COUNT];
	bool is_due;
	prepare(bridge, fds);
	if (poll(fds, FDS_COUNT, wait_ms(bridge)) < 0)
		return;
	if (fds[OUT].revents & (POLLERR | POLLNVAL))
		bridge->is_unread = true;
	else if (fds[OUT].revents & POLLOUT)
		write_agent(bridge);
	if (fds[IN].revents)
		read_agent(bridge);
	if (fds[DAEMON].revents & POLLOUT)
		write_daemon(bridge);
	if (fds[DAEMON].revents & (POLLIN | POLLHUP | POLLERR))
		read_daemon(bridge);
	if (fds[LAUNCH].revents)
		on_launch(bridge);
	is_due = (bridge->phase == PHASE_SEEKING || bridge->phase == PHASE_RESTING) &&
	    wait_ms(bridge) == 0;
	if (is_due)
		try_to_connect(bridge);
}

static bool is_over(const struct bridge *bridge)
{
	if (bridge->is_unread)
		return true;
	return bridge->agent_has_ended && mcp_replay_is_done(bridge->replay) &&
	    mcp_replay_to_agent(bridge->replay)->len == 0 &&
	    (bridge->phase != PHASE_CONNECTED || mcp_replay_to_daemon(bridge->replay)->len == 0);
}

/* Runs until the input has ended and all requests are answered, or the output has no reader. */
static enum cli_status run_bridge(const struct cli *cli, const struct mcp_replay_config *config,
    const struct mcp_options *options)
{
	struct bridge bridge = {.cli = cli,
	    .may_start = !options->starts_nothing,
	    .role = options->role,
	    .launch_fd = -1};
	bridge.replay = mcp_replay_new(config);
	buf_init(&bridge.launch_said, PATH_MAX + 1024);
	seek(&bridge, 0);
	while (!is_over(&bridge))
		turn(&bridge);
	if (bridge.launch_fd >= 0)
		(void)close(bridge.launch_fd);
	link_close(bridge.link);
	buf_finish(&bridge.launch_said);
	mcp_replay_free(bridge.replay);
	return cli_flush(CLI_DONE);
}

#define HELLO_MAX ((size_t)64 * 1024)
#define NAMES_MAX 1000 /* names of groups and methods */

/* Agents and the environment variables with their session id. */
static const struct {
	const char *agent;
	const char *mark; /* a variable that this agent sets */
	const char *session; /* NULL: no variable has the session */
} agents[] = {
    {"claude", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"},
    {"copilot", "COPILOT_AGENT_SESSION_ID", "COPILOT_AGENT_SESSION_ID"},
    {"gemini", "GEMINI_CLI", NULL},
    {"opencode", "OPENCODE", NULL},
};

static const char *variable(const char *name)
{
	const char *value = name != NULL ? getenv(name) : NULL;
	return value != NULL && *value ? value : NULL;
}

/*
 * Writes the lines that each daemon gets first: the tools of --tools, our pane, and the agent's
 * session. The daemon cannot read the last two, which are from our environment.
 */
static void write_greeting(
    const struct cli *cli, const struct mcp_options *options, struct buf *out)
{
	struct json_writer writer;
	char pane[16];
	bool has_pane = locate_own_pane(cli, pane, sizeof pane) && !is_under_codex();
	json_writer_init(&writer, out);
	if (has_pane || options->tools != NULL) {
		message_begin_notice(&writer, "notifications/muxbus/hello");
		json_put_given(&writer, "tools", options->tools);
		if (has_pane)
			json_put_str(&writer, "pane", pane);
		message_end_notice(&writer);
	}
	for (size_t i = 0; has_pane && i < sizeof agents / sizeof *agents; i++) {
		if (variable(agents[i].mark) == NULL)
			continue;
		message_begin_notice(&writer, "report_agent");
		json_put_str(&writer, "agent", agents[i].agent);
		json_put_str(&writer, "pane", pane);
		json_put_given(&writer, "session", variable(agents[i].session));
		message_end_notice(&writer);
		break; /* an agent in another agent has both marks: report the first row */
	}
}

static const struct option_row option_rows[] = {
    {"legacy", 0, OPTION_FLAG, offsetof(struct mcp_options, is_legacy), NULL},
    {"no-start", 0, OPTION_FLAG, offsetof(struct mcp_options, starts_nothing), NULL},
    {"own-panes", 0, OPTION_FLAG, offsetof(struct mcp_options, owns_panes), NULL},
    {"read-only", 0, OPTION_FLAG, offsetof(struct mcp_options, is_read_only), NULL},
    {"tools", 0, OPTION_TEXT, offsetof(struct mcp_options, tools), NULL},
    {0},
};

static void collect_names(const struct json *object, const char **names, size_t *count)
{
	json_each_member (at, object)
		if (*count < NAMES_MAX)
			names[(*count)++] = at->name;
}

static bool check_tools(const struct cli *cli, const char *tools)
{
	char reason[512], *words = xstrdup(tools), *rest = words;
	const char *names[NAMES_MAX + 1] = {"all", "default"};
	struct catalog *catalog = catalog_open(cli, ASK_PARAMS({0}), reason, sizeof reason);
	size_t count = 2;
	bool is_good = true;
	if (catalog != NULL) {
		const struct json *tables = catalog_tables(catalog);
		collect_names(json_member(tables, "groups"), names, &count);
		collect_names(json_member(tables, "methods"), names, &count);
	}
	for (char *word; catalog != NULL && is_good && (word = strsep(&rest, ",")) != NULL;) {
		const char *nearest = str_nearest(word, names);
		is_good = *word == '\0' || str_is_in(word, names);
		if (!is_good)
			(void)cli_usage("mcp", "--tools: there is no group or tool \"%s\"%s%s%s",
			    word, STR_NEAREST(nearest, ""));
	}
	catalog_close(catalog);
	mem_free(words);
	return is_good;
}

enum cli_status mcp_run(struct cli *cli, int argc, char **argv)
{
	struct mcp_options options = {0};
	struct buf greeting = BUF(HELLO_MAX);
	struct mcp_replay_config config;
	enum cli_status status;
	if (!option_read(cli, argc, argv, option_rows, &options, NULL, &status))
		return status;
	if (cli->is_terminal && isatty(STDIN_FILENO))
		return cli_usage("mcp",
		    "agents run this: it speaks MCP on standard input and output. `muxbus setup` "
		    "tells an agent of it");
	if (options.is_read_only && options.owns_panes)
		return cli_usage("mcp", "--read-only and --own-panes exclude each other");
	options.role = options.is_read_only ? "read_only" : options.owns_panes ? "own_panes" : NULL;
	if (options.tools != NULL && !check_tools(cli, options.tools))
		return CLI_USAGE;
	log_open(STDERR_FILENO, "muxbus", LOG_LEVEL_WARNING);
	write_greeting(cli, &options, &greeting);
	config = (struct mcp_replay_config){
	    .greeting = (const char *)greeting.data, .is_legacy = options.is_legacy};
	status = run_bridge(cli, &config, &options);
	buf_finish(&greeting);
	return status;
}
