/* SPDX-License-Identifier: ISC */
/*
 * Channels on each tmux: the same replies as those of one-shots, a default target of each list's
 * own time, limits, callbacks that run or cancel, and that tmux is left as it was.
 */
#include <muxbus.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "harness.h"
#include "lib/connection/one_shot.h"
#include "trial.h"

enum { OUTPUT_BYTES = 3 * 1024 * 1024, CYCLES = 1000, LISTS = 100, LEAK_KIB = 1000 };

struct told {
	unsigned calls;
	int error;
	size_t count;
	int errors[4];
	struct buf bodies; /* of all replies, each with its NUL */
};

struct tried {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_one_shot_options options;
	struct muxbus_one_shot *channel; /* NULL: none */
	bool drops; /* the callback cancels the channel that it has kept */
	const char *next; /* the callback runs a command that prints this; NULL: none */
	struct told told;
};

static void note(struct told *told, int error, const struct muxbus_reply *replies, size_t count)
{
	told->calls++;
	told->error = error;
	told->count = count;
	buf_clear(&told->bodies);
	for (size_t i = 0; i < count; i++) {
		if (i < sizeof told->errors / sizeof told->errors[0])
			told->errors[i] = replies[i].error;
		(void)buf_append(&told->bodies, replies[i].body, replies[i].body_len);
		(void)buf_append_byte(&told->bodies, 0);
	}
}

static void on_dropped(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tried *tried = data;
	tried->channel = NULL;
	note(&tried->told, error, replies, count);
}

static void on_one_shot(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	note(&((struct tried *)data)->told, error, replies, count);
}

static void on_list(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct tried *tried = data;
	struct muxbus_one_shot *channel = tried->channel;
	tried->channel = channel_keep(channel) ? channel : NULL;
	note(&tried->told, error, replies, count);
	if (tried->next != NULL && tried->channel != NULL) {
		struct muxbus_command *command =
		    command_of("display-message", "-p", tried->next, NULL);
		tried->next = NULL;
		if (channel_run(channel, 0, command, on_list, tried) != 0)
			live_bail("no next list");
	}
	if (tried->drops) {
		muxbus_one_shot_cancel(tried->channel);
		tried->channel = NULL;
	}
}

static void turn_until(struct tried *tried, unsigned calls)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (tried->told.calls < calls && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(tried->loop, 100);
	if (tried->told.calls < calls)
		live_bail("no answer");
}

static enum channel_state wait_while(struct tried *tried, enum channel_state state)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (channel_state(tried->channel) == state && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(tried->loop, 100);
	return channel_state(tried->channel);
}

static enum channel_state open_channel(struct tried *tried)
{
	if (channel_open(tried->loop, &tried->options, &tried->channel) != 0)
		live_bail("no channel");
	return wait_while(tried, CHANNEL_OPENS);
}

static enum channel_state end_channel(struct tried *tried)
{
	enum channel_state state;
	if (tried->channel == NULL)
		return CHANNEL_OVER;
	channel_end(tried->channel);
	state = wait_while(tried, CHANNEL_ENDS);
	muxbus_one_shot_cancel(tried->channel);
	tried->channel = NULL;
	return state;
}

/* Runs a list over the channel, which is opened if there is none. Returns the text of all bodies. */
static const char *list(struct tried *tried, struct muxbus_command *command)
{
	tried->told.calls = 0;
	if (tried->channel == NULL && open_channel(tried) != CHANNEL_READY)
		live_bail("the channel is not ready");
	if (channel_run(tried->channel, 0, command, on_list, tried) != 0)
		live_bail("the list does not begin");
	turn_until(tried, 1);
	return (const char *)tried->told.bodies.data;
}

static struct muxbus_command *parsed(const char *line)
{
	struct muxbus_command *command;
	char words[256];
	char *rest = words;
	char *word;
	(void)snprintf(words, sizeof words, "%s", line);
	(void)muxbus_command_new(&command);
	while ((word = strsep(&rest, " ")) != NULL) {
		if (strcmp(word, ";") == 0)
			muxbus_command_next(command);
		else
			muxbus_command_arg(command, word, strlen(word));
	}
	return command;
}

/* Each line is run as a one-shot and over a channel; no line changes what a later one prints. */
static void test_same(struct tried *tried)
{
	static const char *const lines[] = {
	    "display-message -p one",
	    "display-message -p ",
	    "display-message -p #{pane_id}#{window_index}#{session_name}",
	    "display-message -p %if",
	    "display-message -p -- -:1:",
	    "display-message -p a ; display-message -p b ; display-message -p c",
	    "display-message -p a ; has-session -t =nosuch ; display-message -p c",
	    "has-session -t =nosuch",
	    "has-session -t main",
	    "list-sessions -F #{session_name}",
	    "list-windows -a -F #{window_id}",
	    "list-panes -a -F #{pane_id}",
	    "list-panes -t nosuch",
	    "list-buffers -F #{buffer_sample}",
	    "list-keys -T nosuch",
	    "list-keys -T prefix",
	    "list-commands",
	    "list-commands nosuch",
	    "list-clients",
	    "show-options -g",
	    "show-options -s",
	    "show-options -g nosuch",
	    "show-environment -g HOME",
	    "show-hooks -g",
	    "set-buffer -b same x$HOME;'\"\\~#{pane_id}",
	    "delete-buffer -b nosuch",
	    "set-option -g nosuch 1",
	    "set-option -t main @mine {a}",
	    "capture-pane -p -t main",
	    "send-keys -t main -l hello",
	    "send-keys -t nosuch x",
	    "select-window -t main:0",
	    "select-pane -t main:0.7",
	    "rename-window -t main:0 same",
	    "kill-session -t nosuch",
	    "kill-pane -t %99",
	    "new-session -d -s main",
	    "display-message -Z",
	    "display-message -p a ; display-message -Z",
	    "list-windows -t",
	    "list-nosuch",
	    "display-message -p a ; nosuchcommand",
	    "load-buffer -b stolen - ; display-message -p a",
	    "source-file - ; display-message -p a",
	    "display-message -p a ; load-buffer -b stolen - ; display-message -p b",
	    "split-window -d -I -t main:0",
	    "show-buffer -b stolen ; display-message -p a",
	    "list-hijacked",
	    "list-root",
	    "display-message -p a ; list-root ; display-message -p b",
	};
	(void)live_tmux(tried->live,
	    "set-option -s command-alias[100] list-hijacked='load-buffer -b stolen -' ; "
	    "set-option -s command-alias[101] list-root='source-file /'");
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct told want;
		const char *bodies;
		tried->told.calls = 0;
		if (muxbus_one_shot_run(tried->loop, &tried->options, parsed(lines[i]), on_one_shot,
			tried, NULL) != 0)
			live_bail("no one-shot");
		turn_until(tried, 1);
		want = tried->told;
		buf_init(&tried->told.bodies, 2 * OUTPUT_BYTES);
		bodies = list(tried, parsed(lines[i]));
		ok(tried->told.bodies.len == want.bodies.len &&
			memcmp(bodies, want.bodies.data, want.bodies.len) == 0,
		    "the same replies: %s", lines[i]);
		if (tried->told.bodies.len != want.bodies.len)
			diag("'%s' not '%s'", bodies, (const char *)want.bodies.data);
		ok(tried->told.error == want.error && tried->told.count == want.count &&
			memcmp(tried->told.errors, want.errors, sizeof want.errors) == 0,
		    "... with the same errors (%d)", want.error);
		buf_finish(&want.bodies);
	}
}

/* A list sees what another client has changed since the list before it. */
static void test_target(struct tried *tried)
{
	(void)live_tmux(tried->live, "new-window -d -t main:5");
	is_str(list(tried, parsed("display-message -p #{window_index}")), "0\n", "a window");
	(void)live_tmux(tried->live, "select-window -t main:5");
	is_str(list(tried, parsed("display-message -p #{window_index}")), "5\n",
	    "the window that was chosen meanwhile");
	(void)live_tmux(tried->live, "kill-window -t main:5");
	is_str(list(tried, parsed("display-message -p #{window_index}")), "0\n",
	    "... and what is left when it is closed");
	(void)list(tried, parsed("new-window -t main:6"));
	(void)live_tmux(tried->live, "select-window -t main:0");
	is_str(list(tried, parsed("display-message -p #{window_index}")), "0\n",
	    "a list does not choose the target of the next one");
	(void)list(tried, parsed("kill-window -t main:6"));
}

static void test_much(struct tried *tried)
{
	unsigned wrong = 0;
	char want[32];
	char *long_text = malloc(OUTPUT_BYTES / 4);
	memset(long_text, 'l', OUTPUT_BYTES / 4);
	long_text[OUTPUT_BYTES / 4 - 1] = '\0';
	(void)live_run(tried->live, "yes 0123456789 | head -c 400000 >%s/big", tried->live->dir);
	(void)live_tmux(tried->live, "set-option -g @big \"$(cat %s/big)\"", tried->live->dir);
	for (int i = 0; i < LISTS; i++) {
		struct muxbus_command *command;
		(void)muxbus_command_new(&command);
		muxbus_command_args(command, "display-message", "-p", NULL);
		muxbus_command_argf(command, "number %d", i);
		(void)snprintf(want, sizeof want, "number %d\n", i);
		wrong += strcmp(list(tried, command), want) != 0;
	}
	is_int(wrong, 0, "%d lists, more than a channel takes", LISTS);
	(void)list(tried, command_of("set-buffer", "-b", "long", long_text, NULL));
	is_int(tried->told.error, 0, "a long list");
	(void)snprintf(want, sizeof want, "%d\n", OUTPUT_BYTES / 4 - 1);
	is_str(list(tried, parsed("list-buffers -f #{==:#{buffer_name},long} -F #{buffer_size}")),
	    want, "... arrives whole");
	(void)list(tried, parsed("list-keys"));
	ok(tried->told.bodies.len > 10000, "much output (%zu bytes)", tried->told.bodies.len);
	free(long_text);
}

static void test_callbacks(struct tried *tried)
{
	tried->next = "next";
	(void)list(tried, parsed("display-message -p first"));
	turn_until(tried, 2);
	is_str((const char *)tried->told.bodies.data, "next\n", "a callback runs the next list");
	tried->drops = true;
	is_str(list(tried, parsed("display-message -p dropped")), "dropped\n",
	    "a callback that cancels");
	tried->next = "never";
	(void)list(tried, parsed("display-message -p both"));
	is_int(tried->told.calls, 1, "... and one that runs a list first");
	tried->drops = false;
	tried->next = NULL;
	(void)list(tried, parsed("display-message -p left"));
	is_int(tried->told.error, 0, "a channel afterwards");
}

static uint64_t data_kib(const struct tried *tried)
{
	return strtoul(live_run(tried->live, "sed -n 's/^VmData:[^0-9]*//p' /proc/%d/status",
			   (int)tried->live->server_pid),
	    NULL, 10);
}

static void test_left(struct tried *tried)
{
	uint64_t before_kib = 0;
	unsigned wrong = 0;
	is_str(list(tried, parsed("list-clients")), "", "a channel is no client that is listed");
	is_str(list(tried, parsed("display-message -p #{session_attached}")), "0\n",
	    "... and attaches nothing");
	wrong += end_channel(tried) != CHANNEL_OVER;
	for (int i = 0; i < 2 * CYCLES; i++) {
		if (i == CYCLES)
			before_kib = data_kib(tried);
		(void)list(tried, parsed("display-message -p x"));
		wrong += end_channel(tried) != CHANNEL_OVER;
	}
	is_int(wrong, 0, "%d channels, each of which tmux ends", 2 * CYCLES);
	ok(data_kib(tried) <= before_kib + LEAK_KIB, "... leave no memory behind in tmux");
}

/* A channel that is freed while tmux waits for a text, and one that its callback does not keep. */
static void test_freed(struct tried *tried)
{
	uint64_t before_kib = 0;
	for (int i = 0; i < 2 * CYCLES; i++) {
		if (i == CYCLES)
			before_kib = data_kib(tried);
		(void)list(tried, parsed("display-message -p kept"));
		tried->told.calls = 0;
		if (i % 2 == 0) {
			muxbus_one_shot_cancel(tried->channel);
			tried->channel = NULL;
		} else if (channel_run(tried->channel, 0, parsed("display-message -p x"),
			       on_dropped, tried) == 0) {
			turn_until(tried, 1);
		}
	}
	(void)list(tried, parsed("display-message -p x"));
	(void)end_channel(tried);
	ok(data_kib(tried) <= before_kib + LEAK_KIB, "%d freed channels leave none behind either",
	    2 * CYCLES);
}

static void test_end(struct tried *tried)
{
	(void)list(tried, parsed("display-message -p last"));
	(void)kill(tried->live->server_pid, SIGKILL);
	is_int(wait_while(tried, CHANNEL_READY), CHANNEL_OVER, "the server ends while it waits");
	muxbus_one_shot_cancel(tried->channel);
	tried->channel = NULL;
}

static void test_version(const char *tmux)
{
	struct tried tried = {.options.pane = MUXBUS_NO_ID};
	tried.live = live_new(tmux);
	live_start_tmux(tried.live, "sleep 1000");
	diag("tmux %s", tried.live->version);
	tried.options.socket_path = tried.live->tmux_socket;
	buf_init(&tried.told.bodies, 2 * OUTPUT_BYTES);
	if (muxbus_loop_new(&tried.loop) != 0)
		live_bail("no loop");
	if (strcmp(tried.live->version, "3.4") < 0) {
		is_int(open_channel(&tried), CHANNEL_REFUSED, "no channel before 3.4");
		muxbus_one_shot_cancel(tried.channel);
	} else {
		test_same(&tried);
		/* A user's alias has the name of the command that ends the output of another. */
		(void)live_tmux(
		    tried.live, "set-option -s command-alias[101] list-commands=kill-server");
		test_target(&tried);
		test_left(&tried); /* before tmux has free memory, which would hide leaks */
		test_freed(&tried);
		test_much(&tried);
		test_callbacks(&tried);
		test_end(&tried);
	}
	buf_finish(&tried.told.bodies);
	muxbus_loop_free(tried.loop);
	live_free(tried.live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	for (size_t i = 0; paths[i] != NULL; i++)
		test_version(paths[i]);
	return done_testing();
}
