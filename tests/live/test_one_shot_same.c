/* SPDX-License-Identifier: ISC */
/*
 * A one-shot command prints and returns what the program `tmux` does: each list is run on two equal
 * servers, on one by the library, on the other by the program. Compared are the output with the
 * errors, the status, and then the objects and options of both servers.
 */
#include <muxbus.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness.h"
#include "one_shot_cases.h"
#include "person.h"
#include "trial.h"

enum {
	WORDS_MAX = 1200,
	OUTPUT_MAX = 8 * 1024 * 1024,
	WAIT_MS = 300,
	SETTLE_MS = 2000,
	BLOCK_BYTES = 16384
};

/* Statuses that no program has. */
enum { STATUS_WAITS = -2, STATUS_REFUSED = -3, STATUS_LOST = -4 };

struct outcome {
	struct buf text; /* the output, then the errors */
	int status;
	bool lacks_error; /* the status is that of an error, but no reply says so */
};

struct twins {
	struct live *mine, *other;
	struct person persons[2];
	struct muxbus_loop *loop;
	struct muxbus_one_shot_options options;
	struct muxbus_one_shot *one_shot;
	struct outcome got, want;
	unsigned calls, count;
};

/* Looks at all of a server that a command may change. */
static const char look[] =
    "list-panes -a -F '#{session_name}:#{window_index}.#{pane_index} #{pane_id} #{window_name} "
    "#{pane_active} #{pane_mode} #{pane_width}x#{pane_height} #{session_attached}' "
    "';' list-clients -F '#{client_session}' ';' list-buffers -F '#{buffer_name} #{buffer_size}' "
    "';' show-options -s ';' show-options -g ';' show-options -gw ';' list-keys -T prefix "
    "';' show-environment -g NAME";

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct twins *twins = data;
	struct outcome *got = &twins->got;
	twins->calls++;
	got->status = muxbus_one_shot_status(twins->one_shot);
	if (error == MUXBUS_ERR_TIMEOUT)
		got->status = STATUS_WAITS;
	else if (error == MUXBUS_ERR_CLOSED)
		got->status = STATUS_LOST;
	else if (error != 0 && error != MUXBUS_ERR_COMMAND)
		(void)buf_printf(&got->text, "(%s)", muxbus_strerror(error));
	else if ((error != 0) != (got->status == 1))
		got->lacks_error = true;
	for (size_t i = 0; i < count; i++)
		if (replies[i].error != MUXBUS_ERR_SKIPPED)
			(void)buf_append(&got->text, replies[i].body, replies[i].body_len);
}

static void run_mine(struct twins *twins, const char *const *words)
{
	struct muxbus_command *command;
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	int error;
	(void)muxbus_command_new(&command);
	for (; *words != NULL; words++) {
		if (strcmp(*words, ";") == 0)
			muxbus_command_next(command);
		else
			muxbus_command_arg(command, *words, strlen(*words));
	}
	twins->calls = 0;
	buf_clear(&twins->got.text);
	twins->got.lacks_error = false;
	error = muxbus_one_shot_run(
	    twins->loop, &twins->options, command, on_reply, twins, &twins->one_shot);
	if (error != 0) {
		twins->got.status = STATUS_REFUSED;
		(void)buf_printf(&twins->got.text, "%s", muxbus_strerror(error));
		return;
	}
	while (twins->calls == 0 && live_now_ms() < end_ms)
		(void)muxbus_loop_dispatch(twins->loop, 100);
	if (twins->calls == 0)
		live_bail("no answer");
}

static void take_file(struct buf *out, int fd)
{
	static char bytes[65536];
	off_t at = 0;
	ssize_t got;
	while ((got = pread(fd, bytes, sizeof bytes, at)) > 0) {
		(void)buf_append(out, bytes, (size_t)got);
		at += got;
	}
	close(fd);
}

/* The program divides commands at a ';' that ends an argument. */
static char *program_word(const char *word)
{
	size_t len = strlen(word);
	char *copy = malloc(len + 2);
	memcpy(copy, word, len + 1);
	if (len > 0 && word[len - 1] == ';' && len > 1)
		memcpy(copy + len - 1, "\\;", 3);
	return copy;
}

static void start_program(const struct live *live, char *const *argv, const int *files)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (chdir(live->dir) == 0 && dup2(null, 0) == 0 && dup2(files[0], 1) == 1 &&
	    dup2(files[1], 2) == 2)
		execv(live->tmux, argv);
	_exit(127);
}

static void run_other(struct twins *twins, const char *const *words, int timeout_ms)
{
	static char tmux[] = "tmux", utf8[] = "-u", socket[] = "-S";
	char *argv[WORDS_MAX + 5] = {tmux, utf8, socket, twins->other->tmux_socket};
	int files[2] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
	struct outcome *want = &twins->want;
	struct pollfd end = {.events = POLLIN};
	int count = 4, status = 0;
	pid_t pid;
	for (; *words != NULL; words++)
		argv[count++] = program_word(*words);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0)
		start_program(twins->other, argv, files);
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	want->status = poll(&end, 1, timeout_ms) == 1 ? 0 : STATUS_WAITS;
	if (want->status != 0)
		(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	if (want->status == 0)
		want->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	buf_clear(&want->text);
	take_file(&want->text, files[0]);
	take_file(&want->text, files[1]);
	close(end.fd);
	while (count > 4)
		free(argv[--count]);
}

static size_t divide(char *text, const char **ret_words)
{
	size_t count = 0;
	char *at = text;
	while (count < WORDS_MAX - 1 && (ret_words[count] = strsep(&at, "|")) != NULL)
		count++;
	ret_words[count] = NULL;
	return count;
}

static void show(const char *who, const struct outcome *outcome)
{
	int len = outcome->text.len < 200 ? (int)outcome->text.len : 200;
	diag("%s: status %d, %zu bytes: %.*s", who, outcome->status, outcome->text.len, len,
	    len > 0 ? (const char *)outcome->text.data : "");
}

static bool has_same_text(const struct buf *got, const struct buf *want)
{
	return got->len == want->len &&
	    (got->len == 0 || memcmp(got->data, want->data, got->len) == 0);
}

/* The error of a hook stands at the end of what tmux prints. */
static bool is_same(struct twins *twins, unsigned flags)
{
	struct outcome *got = &twins->got, *want = &twins->want;
	if (flags & ENDS) {
		return got->status == STATUS_LOST ||
		    (got->status == want->status && has_same_text(&got->text, &want->text));
	}
	if (flags & WAITS)
		return got->status == want->status;
	if (flags & DROPS)
		return got->status == want->status && got->lacks_error &&
		    got->text.len < want->text.len &&
		    (got->text.len == 0 ||
			memcmp(got->text.data, want->text.data, got->text.len) == 0);
	if (flags & UNLIKE)
		return got->status == want->status;
	return got->status == want->status && !got->lacks_error &&
	    has_same_text(&got->text, &want->text);
}

/* A client that is detached, or a program that has ended, is gone a little later. */
static bool is_same_server(struct twins *twins)
{
	int64_t end_ms = live_now_ms() + SETTLE_MS;
	const char *mine, *other;
	size_t at = 0;
	do {
		mine = live_tmux(twins->mine, "%s", look);
		other = live_tmux(twins->other, "%s", look);
	} while (strcmp(mine, other) != 0 && live_now_ms() < end_ms);
	if (strcmp(mine, other) == 0)
		return true;
	while (mine[at] == other[at])
		at++;
	while (at > 0 && mine[at - 1] != '\n')
		at--;
	diag("mine: %.100s", mine + at);
	diag("other: %.100s", other + at);
	return false;
}

static void check(struct twins *twins, const char *name, unsigned flags)
{
	bool is_same_now = is_same(twins, flags);
	if (!is_same_now) {
		show("mine", &twins->got);
		show("other", &twins->want);
	}
	twins->count++;
	ok(is_same_now && (flags & ENDS || is_same_server(twins)), "%s: %s", twins->mine->version,
	    name);
}

static void run_words(
    struct twins *twins, const char *const *words, const char *name, unsigned flags)
{
	twins->options.timeout_ms = flags & WAITS ? WAIT_MS : 0;
	run_mine(twins, words);
	run_other(twins, words, flags & WAITS ? WAIT_MS : LIVE_TIMEOUT_MS);
	check(twins, name, flags);
}

static void prepare(struct twins *twins, const char *command)
{
	if (command == NULL)
		return;
	(void)live_tmux(twins->mine, "%s", command);
	(void)live_tmux(twins->other, "%s", command);
}

static void wait_for_end(struct live *live)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (live->server_pid != 0 && kill(live->server_pid, 0) == 0 && live_now_ms() < end_ms)
		live_sleep_ms(5);
	live->server_pid = 0;
}

static void start(struct twins *twins)
{
	wait_for_end(twins->mine);
	wait_for_end(twins->other);
	live_start_tmux(twins->mine, "exec sleep 3600");
	live_start_tmux(twins->other, "exec sleep 3600");
	prepare(twins,
	    "set -g automatic-rename off ';' set -g display-panes-time 1 ';' set -g "
	    "default-command 'exec sleep 3600' ';' "
	    "rename-window main ';' set-environment -g HOME /");
}

static void run_case(struct twins *twins, const struct same *same)
{
	char *text = strdup(same->words), *name = strdup(same->words);
	const char *words[WORDS_MAX];
	for (char *at = name; *at != '\0'; at++)
		if (*at == '|' || (unsigned char)*at < ' ' || (unsigned char)*at > '~')
			*at = *at == '|' ? ' ' : '?';
	(void)divide(text, words);
	prepare(twins, same->before);
	run_words(twins, words, name, same->flags);
	if (same->flags & ENDS)
		start(twins);
	else
		prepare(twins, same->after);
	free(text);
	free(name);
}

static char *filled(size_t len)
{
	char *text = malloc(len + 1);
	for (size_t at = 0; at < len; at++)
		text[at] = (char)('a' + at % 26);
	text[len] = '\0';
	return text;
}

/* The program cannot send as much as the library: it has tmux load a file. */
static void run_long(struct twins *twins, size_t len)
{
	char *text = filled(len), path[80], title[48];
	const char *set[] = {"set-buffer", "-b", "big", "--", text, NULL};
	const char *shown[] = {"show-buffer", "-b", "big", NULL};
	const char *load[] = {"load-buffer", "-b", "big", path, NULL};
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/big", twins->other->dir);
	(void)snprintf(title, sizeof title, "%zu bytes", len);
	file = fopen(path, "w");
	if (file == NULL || fwrite(text, 1, len, file) != len || fclose(file) != 0)
		live_bail("no file");
	run_mine(twins, set);
	run_other(twins, load, LIVE_TIMEOUT_MS);
	check(twins, title, 0);
	run_words(twins, shown, title, 0);
	free(text);
}

static void run_many_words(struct twins *twins, size_t count)
{
	const char *words[WORDS_MAX] = {"bind-key", "F12", "display-message"};
	char title[48];
	for (size_t at = 3; at < count; at++)
		words[at] = "x";
	words[count] = NULL;
	(void)snprintf(title, sizeof title, "%zu words", count);
	run_words(twins, words, title, count > 1000 ? UNLIKE : 0);
	words[0] = "display-message";
	run_words(twins, words, title, UNLIKE);
}

static void run_bounds(struct twins *twins)
{
	static const int around[] = {
	    -160, -120, -100, -80, -70, -60, -50, -40, -30, -20, -10, -1, 0, 1, 100};
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		run_long(twins, (size_t)(BLOCK_BYTES + around[i]));
		run_long(twins, (size_t)(2 * BLOCK_BYTES + around[i]));
	}
	run_long(twins, 100 * 1024);
	for (size_t count = 990; count <= 1005; count++)
		run_many_words(twins, count);
}

static void run_attended(struct twins *twins)
{
	prepare(twins, "new-session -d -s other");
	twins->persons[0] = person_attach(twins->mine, "=main");
	twins->persons[1] = person_attach(twins->other, "=main");
	if (!live_tmux_until(twins->mine, "main", "list-clients -F '#{client_session}'") ||
	    !live_tmux_until(twins->other, "main", "list-clients -F '#{client_session}'"))
		live_bail("no person");
	for (size_t i = 0; i < sizeof attended_cases / sizeof *attended_cases; i++) {
		run_case(twins, &attended_cases[i]);
		person_look(&twins->persons[0]);
		person_look(&twins->persons[1]);
	}
	person_leave(&twins->persons[0]);
	person_leave(&twins->persons[1]);
}

static void test_version(const char *tmux)
{
	struct twins twins = {.mine = live_new(tmux), .other = live_new(tmux)};
	start(&twins);
	twins.options = (struct muxbus_one_shot_options){.socket_path = twins.mine->tmux_socket,
	    .tmux_path = twins.mine->tmux,
	    .pane = MUXBUS_NO_ID,
	    .way = MUXBUS_WAY_DIRECT,
	    .flags = MUXBUS_ONE_SHOT_FILES,
	    .directory = twins.mine->dir};
	buf_init(&twins.got.text, OUTPUT_MAX);
	buf_init(&twins.want.text, OUTPUT_MAX);
	if (muxbus_loop_new(&twins.loop) != 0)
		live_bail("no loop");
	for (size_t i = 0; i < sizeof same_cases / sizeof *same_cases; i++)
		run_case(&twins, &same_cases[i]);
	run_bounds(&twins);
	run_attended(&twins);
	diag("tmux %s: %u lists", twins.mine->version, twins.count);
	buf_finish(&twins.got.text);
	buf_finish(&twins.want.text);
	muxbus_loop_free(twins.loop);
	live_free(twins.mine);
	live_free(twins.other);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	for (size_t i = 0; paths[i] != NULL; i++)
		test_version(paths[i]);
	return done_testing();
}
