/* SPDX-License-Identifier: ISC */
/*
 * Bytes into a real tmux and out again: arguments through set-buffer, fields through a user
 * option, names, titles and directories through the expansion of formats. The bytes are random,
 * from a seed that is printed; "test_quote_live SEED" repeats a run.
 */
#include <muxbus.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness.h"

enum { BUFFERS = 300, FIELDS = 300, NAMES = 150, TEXT_MAX = 120 };

extern char **environ;

struct tried {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_connection *connection;
	struct muxbus_version version;
	bool is_ready;
	bool is_closed;
	bool is_answered;
	int error; /* of the last command */
	struct buf body; /* of its reply */
	unsigned seed;
};

static unsigned next_random(struct tried *tried)
{
	tried->seed = tried->seed * 1103515245u + 12345u;
	return tried->seed >> 16;
}

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct tried *tried = data;
	(void)session;
	tried->version = *version;
	tried->is_ready = true;
}

static void on_closed(void *data, int error, const char *reason)
{
	struct tried *tried = data;
	diag("closed: %d %s", error, reason);
	tried->is_closed = true;
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tried *tried = data;
	tried->is_answered = true;
	tried->error = error;
	buf_clear(&tried->body);
	if (count == 1)
		(void)buf_append(&tried->body, replies[0].body, replies[0].body_len);
}

static void wait_for(struct tried *tried, const bool *fact)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (!*fact && !tried->is_closed && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(tried->loop, 100);
	if (!*fact)
		live_bail("tmux does not answer");
}

static struct muxbus_command *command_of(const char *name)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		live_bail("out of memory");
	muxbus_command_args(command, name, NULL);
	return command;
}

static int run(struct tried *tried, struct muxbus_command *command)
{
	tried->is_answered = false;
	if (muxbus_connection_run(tried->connection, command, on_reply, tried) != 0)
		live_bail("the command is not taken");
	wait_for(tried, &tried->is_answered);
	return tried->error;
}

/* Random bytes. */

static size_t make_bytes(struct tried *tried, char out[TEXT_MAX])
{
	static const char special[] = "\"\\$~#%';{}[]()\n\t\r\033\001\177\200\377 ,:-=";
	size_t len = 1 + next_random(tried) % (TEXT_MAX - 1);
	unsigned style = next_random(tried) % 3;
	for (size_t i = 0; i < len; i++) {
		if (style == 0 || (style == 1 && next_random(tried) % 4 == 0))
			out[i] = special[next_random(tried) % (sizeof special - 1)];
		else if (style == 1)
			out[i] = (char)('a' + next_random(tried) % 26);
		else
			out[i] = (char)(1 + next_random(tried) % 255);
	}
	return len;
}

/* Printable, like names, with the characters of formats. */
static size_t make_name(struct tried *tried, char out[TEXT_MAX])
{
	static const char *const parts[] = {"#", "##", "###", "[", "]", "{", "}", "(", ")", ",",
	    "#{pane_id}", "#(touch pwned)", "#[fg=red]", "#S", "%H", "%%", "a", "b c", "é", "日本",
	    "#{=3:x}", "#,", "#}", "$HOME", "~", "'", "\"", ";", "-", "="};
	unsigned count = 1 + next_random(tried) % 8;
	size_t len = 0;
	out[len++] = 'x'; /* no option, and not empty */
	for (unsigned i = 0; i < count; i++) {
		const char *part = parts[next_random(tried) % (sizeof parts / sizeof parts[0])];
		if (len + strlen(part) + 1 < TEXT_MAX)
			len += (size_t)sprintf(out + len, "%s", part);
	}
	out[len++] = 'x'; /* no blank at the end */
	return len;
}

static void add_literal(struct muxbus_command *command, const char *bytes, size_t len)
{
	char *literal = malloc(MUXBUS_LITERAL_MAX(len));
	muxbus_command_arg(command, literal, muxbus_literal(literal, bytes, len));
	free(literal);
}

/* Arguments. */

/* All bytes that a process of tmux prints. */
static void read_buffer(struct tried *tried, const char *name, struct buf *out)
{
	char *argv[] = {(char *)tried->live->tmux, (char *)"-S", tried->live->tmux_socket,
	    (char *)"save-buffer", (char *)"-b", (char *)name, (char *)"-", NULL};
	posix_spawn_file_actions_t actions;
	char piece[4096];
	int fds[2];
	ssize_t len;
	pid_t pid;
	buf_clear(out);
	if (pipe(fds) != 0)
		live_bail("pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	posix_spawn_file_actions_addclose(&actions, fds[1]);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		live_bail("tmux cannot be started");
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	while ((len = read(fds[0], piece, sizeof piece)) > 0)
		(void)buf_append(out, piece, (size_t)len);
	close(fds[0]);
	(void)waitpid(pid, NULL, 0);
}

static bool try_buffer(struct tried *tried, const char *bytes, size_t len)
{
	struct muxbus_command *command = command_of("set-buffer");
	struct buf got;
	bool is_same;
	muxbus_command_args(command, "-b", "quote", "--", NULL);
	muxbus_command_arg(command, bytes, len);
	if (run(tried, command) != 0)
		return false;
	buf_init(&got, 65536);
	read_buffer(tried, "quote", &got);
	is_same = got.len == len && memcmp(got.data, bytes, len) == 0;
	if (!is_same)
		is_mem(got.data, got.len, bytes, len, "bytes of an argument");
	buf_finish(&got);
	return is_same;
}

static void test_arguments(struct tried *tried)
{
	char all[255];
	unsigned bad = 0;
	for (unsigned i = 0; i < sizeof all; i++)
		all[i] = (char)(i + 1);
	ok(try_buffer(tried, all, sizeof all), "an argument of every byte but NUL");
	for (int i = 0; i < BUFFERS && bad == 0; i++) {
		char text[TEXT_MAX];
		size_t len = make_bytes(tried, text);
		bad += !try_buffer(tried, text, len);
	}
	is_int(bad, 0, "%d random arguments", BUFFERS);
}

/* Fields. */

/* Reads a variable of the session or its window in a record, as listings do. */
static ssize_t read_field(struct tried *tried, const char *variable, char *out, size_t size)
{
	struct muxbus_command *command = command_of("list-panes");
	char format[256] = "P\t";
	char *field;
	size_t len;
	if (muxbus_field_format(format + 2, sizeof format - 2, variable) < 0)
		return -1;
	muxbus_command_args(
	    command, "-s", "-t", "main", "-f", "#{window_active}", "-F", format, NULL);
	if (run(tried, command) != 0 || tried->body.len < 3 || tried->body.len - 3 > size)
		return -1;
	field = (char *)tried->body.data + 2;
	len = tried->body.len - 3;
	if (memcmp(tried->body.data, "P\t", 2) != 0 || field[len] != '\n' ||
	    memchr(field, '\n', len) != NULL || memchr(field, '\t', len) != NULL)
		return -1;
	memcpy(out, field, len);
	return muxbus_field_decode(out, len, tried->version.caps);
}

static bool is_field(struct tried *tried, const char *variable, const char *want, size_t want_len)
{
	char got[4096];
	ssize_t len = read_field(tried, variable, got, sizeof got);
	if (len == (ssize_t)want_len && memcmp(got, want, want_len) == 0)
		return true;
	return is_mem(got, len < 0 ? 0 : (size_t)len, want, want_len, "%s", variable);
}

static bool try_field(struct tried *tried, const char *bytes, size_t len)
{
	struct muxbus_command *command = command_of("set-option");
	muxbus_command_args(command, "-g", "--", "@field", NULL);
	muxbus_command_arg(command, bytes, len);
	return run(tried, command) == 0 && is_field(tried, "@field", bytes, len);
}

static void test_fields(struct tried *tried)
{
	char all[255];
	unsigned bad = 0;
	for (unsigned i = 0; i < sizeof all; i++)
		all[i] = (char)(i + 1);
	ok(try_field(tried, all, sizeof all), "a field of every byte but NUL");
	for (int i = 0; i < FIELDS && bad == 0; i++) {
		char text[TEXT_MAX];
		size_t len = make_bytes(tried, text);
		bad += !try_field(tried, text, len);
	}
	is_int(bad, 0, "%d random fields", FIELDS);
}

/* Expanded formats. */

static bool try_name(struct tried *tried, const char *name, const char *flag, const char *variable,
    const char *bytes, size_t len)
{
	struct muxbus_command *command = command_of(name);
	muxbus_command_args(command, "-t", "main:", NULL);
	if (flag != NULL)
		muxbus_command_args(command, flag, NULL);
	else
		muxbus_command_args(command, "--", NULL);
	add_literal(command, bytes, len);
	if (run(tried, command) != 0) {
		diag("%s: %.*s", name, (int)tried->body.len, (const char *)tried->body.data);
		return false;
	}
	return is_field(tried, variable, bytes, len);
}

static void test_names(struct tried *tried)
{
	static const char *const nasty[] = {"#(touch pwned)", "#{pane_id}", "a#b", "###", "#",
	    "##{pane_id}", "#[", "##[", "###[fg=red]x", "#[#{pane_id}", "#,", "#}", "x#",
	    "#S #W %H %%", "日本#"};
	unsigned bad = 0;
	for (size_t i = 0; i < sizeof nasty / sizeof nasty[0]; i++) {
		size_t len = strlen(nasty[i]);
		ok(try_name(tried, "rename-window", NULL, "window_name", nasty[i], len),
		    "a window called %s", nasty[i]);
		ok(try_name(tried, "select-pane", "-T", "pane_title", nasty[i], len),
		    "a pane titled %s", nasty[i]);
	}
	for (int i = 0; i < NAMES && bad == 0; i++) {
		char text[TEXT_MAX];
		size_t len = make_name(tried, text);
		/*
		 * tmux 3.3a puts a backslash before $HOME in the name of a window: this is not our
		 * quoting.
		 */
		if (memchr(text, '$', len) == NULL ||
		    (tried->version.caps & MUXBUS_CAP_NAMES_ENCODED) == 0)
			bad += !try_name(tried, "rename-window", NULL, "window_name", text, len);
		bad += !try_name(tried, "select-pane", "-T", "pane_title", text, len);
	}
	is_int(bad, 0, "%d random names and titles", NAMES);
}

static bool try_new_window(struct tried *tried, const char *path, const char *name)
{
	struct muxbus_command *command = command_of("new-window");
	char got[4096];
	ssize_t len = -1;
	bool is_same = false;
	muxbus_command_args(command, "-t", "main:", "-n", NULL);
	add_literal(command, name, strlen(name));
	muxbus_command_args(command, "-c", NULL);
	add_literal(command, path, strlen(path));
	muxbus_command_args(command, "sleep 600", NULL);
	if (run(tried, command) != 0)
		return false;
	for (int i = 0; i < 100 && !is_same; i++) { /* the program takes a moment to start */
		len = read_field(tried, "pane_current_path", got, sizeof got);
		is_same = len == (ssize_t)strlen(path) && memcmp(got, path, (size_t)len) == 0;
		if (!is_same)
			live_sleep_ms(20);
	}
	if (!is_same)
		is_mem(got, len < 0 ? 0 : (size_t)len, path, strlen(path), "the directory");
	return is_field(tried, "window_name", name, strlen(name)) && is_same;
}

static void test_directories(struct tried *tried)
{
	static const char *const names[] = {"#(touch pwned)", "#{pane_id}", "a#b", "###", "#[x",
	    "##[x", "%end 1 2 1\n%exit", "a\"$HOME'~;", "tab\there", "\303\251\346\227\245",
	    "#,#}"};
	char path[512];
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", tried->live->dir, names[i]);
		if (mkdir(path, 0700) != 0)
			live_bail("%s: %s", path, strerror(errno));
		ok(try_new_window(tried, path, "x#(touch pwned)#{pane_id}"), "a window in %s",
		    names[i]);
		if (run(tried, command_of("kill-window")) != 0)
			ok(false, "the window is closed");
	}
}

/* Each tmux. */

static void test_tmux(const char *tmux, unsigned seed)
{
	static const struct muxbus_connection_handlers handlers = {
	    .ready = on_ready, .closed = on_closed};
	struct tried tried = {.live = live_new(tmux), .seed = seed};
	struct muxbus_connection_options options = {.socket_path = tried.live->tmux_socket,
	    .session = MUXBUS_NO_ID,
	    .flags = MUXBUS_CONNECTION_NO_OUTPUT};
	char pwned[128];
	live_start_tmux(tried.live, "exec sleep 600");
	diag("tmux %s, seed %u", tried.live->version, seed);
	buf_init(&tried.body, 1 << 24);
	if (muxbus_loop_new(&tried.loop) != 0 ||
	    muxbus_connection_open(tried.loop, &options, &handlers, &tried, &tried.connection) != 0)
		live_bail("no connection");
	wait_for(&tried, &tried.is_ready);
	test_arguments(&tried);
	test_fields(&tried);
	test_names(&tried);
	test_directories(&tried);
	(void)snprintf(pwned, sizeof pwned, "%s/pwned", tried.live->dir);
	ok(access(pwned, F_OK) != 0, "no command in a name was run");
	muxbus_connection_free(tried.connection);
	muxbus_loop_free(tried.loop);
	buf_finish(&tried.body);
	live_free(tried.live);
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)time(NULL);
	const char *const *paths = live_tmux_paths();
	for (size_t i = 0; paths[i] != NULL; i++)
		test_tmux(paths[i], seed);
	return done_testing();
}
