/* SPDX-License-Identifier: ISC */
/* One-shot commands against a scripted server: each split of its messages, and hostile ones. */
#include <muxbus.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fail_alloc.h"
#include "lib/connection/imsg.h"
#include "tap.h"
#include "trial.h"

/* A socket at which this process is the server, and one command. */
struct played {
	char dir[32];
	char path[64];
	int listener;
	int server; /* its end of the connection */
	struct muxbus_loop *loop;
	struct muxbus_one_shot *one_shot;
	struct answer answer;
	int status;
	struct buf script;
};

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct played *played = data;
	answer_note(&played->answer, error, replies, count);
	played->status = muxbus_one_shot_status(played->one_shot);
}

static void listen_at(struct played *played)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(played->dir, "/tmp/mbt-XXXXXX");
	if (mkdtemp(played->dir) == NULL)
		abort();
	(void)snprintf(played->path, sizeof played->path, "%s/s", played->dir);
	strcpy(address.sun_path, played->path);
	played->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(played->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(played->listener, 4) != 0 || muxbus_loop_new(&played->loop) != 0)
		abort();
	buf_init(&played->script, 1024 * 1024);
}

static int begin_command(struct played *played, unsigned flags, struct muxbus_command *command)
{
	struct muxbus_one_shot_options options = {.socket_path = played->path,
	    .tmux_path = "/nosuch/tmux",
	    .pane = 3,
	    .flags = flags,
	    .timeout_ms = 200};
	int error, old;
	while ((old = accept(played->listener, NULL, NULL)) >= 0) /* asked for the server's pid */
		close(old);
	memset(&played->answer, 0, sizeof played->answer);
	error = muxbus_one_shot_run(
	    played->loop, &options, command, on_reply, played, &played->one_shot);
	played->server = error == 0 ? accept(played->listener, NULL, NULL) : -1;
	return error;
}

static int begin(struct played *played, unsigned flags)
{
	return begin_command(played, flags, command_of("a", ";", "b", NULL));
}

static void say(struct played *played, uint32_t type, const void *data, size_t len)
{
	(void)imsg_append(&played->script, IMSG_FORM_LENGTH, type, data, len);
}

static void say_numbers(struct played *played, uint32_t type, int a, int b, int c, const char *path)
{
	uint8_t data[64];
	const int numbers[] = {a, b, c};
	size_t count = type == IMSG_READ_OPEN ? 2 : 3;
	memcpy(data, numbers, count * sizeof(int));
	memcpy(data + count * sizeof(int), path, strlen(path) + 1);
	say(played, type, data, count * sizeof(int) + strlen(path) + 1);
}

static void say_text(struct played *played, int stream, const char *text)
{
	uint8_t data[256];
	memcpy(data, &stream, sizeof stream);
	memcpy(data + sizeof stream, text, strlen(text));
	say(played, IMSG_WRITE, data, sizeof stream + strlen(text));
}

/* A turn of the loop may handle only a timer of the loop itself. */
static void turn(struct played *played)
{
	for (int idle = 0; played->answer.calls == 0 && idle < 3;)
		idle += muxbus_loop_dispatch(played->loop, 0) <= 0;
}

/* Writes the script in two pieces and closes; then there is an answer. */
static void play(struct played *played, size_t split)
{
	(void)send(played->server, played->script.data, split, MSG_NOSIGNAL);
	turn(played);
	(void)send(
	    played->server, played->script.data + split, played->script.len - split, MSG_NOSIGNAL);
	turn(played);
	close(played->server);
	turn(played);
	buf_clear(&played->script);
}

/* The messages of a server for a list whose second command fails. */
static void script_failure(struct played *played)
{
	const int one = 1, two = 2, status = 1;
	say(played, 218, "\0\0\0\0\0\0\0", 8);
	say_numbers(played, IMSG_WRITE_OPEN, 1, 1, 0, "-");
	say_text(played, 1, "half and half");
	say_text(played, 1, " of it\n");
	say_numbers(played, IMSG_WRITE_OPEN, 2, 2, 0, "-");
	say_text(played, 2, "no such thing\n");
	say(played, IMSG_WRITE_CLOSE, &one, sizeof one);
	say(played, IMSG_WRITE_CLOSE, &two, sizeof two);
	say(played, IMSG_EXIT, &status, sizeof status);
}

static void test_every_byte(struct played *played)
{
	unsigned wrong = 0;
	size_t len;
	script_failure(played);
	len = played->script.len;
	for (size_t split = 0; split <= len; split++) {
		const struct answer *answer = &played->answer;
		buf_clear(&played->script);
		script_failure(played);
		wrong += begin(played, 0) != 0;
		play(played, split);
		wrong += answer->calls != 1 || answer->error != MUXBUS_ERR_COMMAND ||
		    strcmp(answer->bodies[0], "half and half of it\nno such thing\n") != 0 ||
		    answer->errors[1] != MUXBUS_ERR_SKIPPED || played->status != 1;
	}
	is_int(wrong, 0, "a failure, split at each of %zu bytes", len);
}

static void test_cut(struct played *played)
{
	unsigned wrong = 0;
	size_t len;
	script_failure(played);
	len = played->script.len;
	for (size_t cut = 0; cut < len; cut++) {
		buf_clear(&played->script);
		script_failure(played);
		played->script.len = cut;
		wrong += begin(played, 0) != 0;
		play(played, 0);
		wrong += played->answer.calls != 1 || played->answer.error != MUXBUS_ERR_CLOSED;
	}
	is_int(wrong, 0, "a server that ends after each byte has closed the connection");
}

/* Messages that no server sends. */
static void test_hostile(struct played *played)
{
	static const struct {
		uint32_t type;
		const char *data;
		size_t len;
		int error;
	} rows[] = {
	    {IMSG_WRITE_OPEN, "", 0, MUXBUS_ERR_PROTOCOL},
	    {IMSG_WRITE_OPEN, "\1\0\0\0\1\0\0\0", 8, MUXBUS_ERR_PROTOCOL},
	    {IMSG_WRITE, "\1", 1, MUXBUS_ERR_PROTOCOL},
	    {IMSG_WRITE, "\7\0\0\0stray", 9, MUXBUS_ERR_CLOSED},
	    {IMSG_WRITE_CLOSE, "", 0, MUXBUS_ERR_PROTOCOL},
	    {IMSG_WRITE_CLOSE, "\7\0\0\0", 4, MUXBUS_ERR_CLOSED},
	    {IMSG_READ_OPEN, "\1\0\0\0", 4, MUXBUS_ERR_PROTOCOL},
	    {IMSG_READ_OPEN, "\1\0\0\0\0\0\0\0", 8, MUXBUS_ERR_CLOSED},
	    {IMSG_READ_OPEN, "\1\0\0\0\xff\xff\xff\xff/etc/hosts", 18, MUXBUS_ERR_CLOSED},
	    {IMSG_EXIT, "", 0, MUXBUS_ERR_COMMAND}, /* before the first sentinel */
	    {IMSG_SHUTDOWN, "", 0, MUXBUS_ERR_CLOSED},
	    {IMSG_EXEC, "rm -rf /", 9, MUXBUS_ERR_CLOSED},
	    {IMSG_VERSION, "", 0, MUXBUS_ERR_SPAWN},
	    {9999, "what", 4, MUXBUS_ERR_CLOSED},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		is_int(begin(played, MUXBUS_ONE_SHOT_FILES), 0, "message %u", rows[i].type);
		say(played, rows[i].type, rows[i].data, rows[i].len);
		play(played, played->script.len);
		is_int(played->answer.error, rows[i].error, "... has its error");
	}
	(void)begin(played, 0);
	(void)buf_append(&played->script, "\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
	play(played, 16);
	is_int(played->answer.error, MUXBUS_ERR_PROTOCOL, "a length that is too short");
	(void)begin(played, 0);
	for (int i = 0; i < 40; i++)
		say_numbers(played, IMSG_WRITE_OPEN, i + 10, 1, 0, "-");
	say(played, IMSG_EXIT, "\0\0\0\0", 4);
	play(played, played->script.len);
	is_int(played->answer.calls, 1, "more streams than there are places for");
	(void)begin(played, 0);
	say_numbers(played, IMSG_WRITE_OPEN, 1, 1, 0, "-");
	say_numbers(played, IMSG_WRITE_OPEN, 1, 2, 0, "-");
	play(played, played->script.len);
	is_int(played->answer.error, MUXBUS_ERR_PROTOCOL, "a stream that is opened twice");
}

/* A program without standard descriptors: a file that is opened must not count as one of them. */
static void test_low_descriptor(struct played *played, const char *path)
{
	struct stat info;
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)begin(played, MUXBUS_ONE_SHOT_FILES);
	(void)close(STDIN_FILENO);
	say_numbers(played, IMSG_WRITE_OPEN, 5, -1, O_TRUNC, path);
	say_text(played, 5, "text");
	say(played, IMSG_EXIT, "\0\0\0\0", 4);
	play(played, played->script.len);
	ok(fcntl(STDIN_FILENO, F_GETFD) < 0, "a file is closed if descriptor 0 was free");
	(void)dup2(kept, STDIN_FILENO);
	close(kept);
	ok(stat(path, &info) == 0 && info.st_size == 4, "... and has the text");
	is_str(played->answer.bodies[0], "", "... which is in no reply");
}

/* A file that the server names is not opened without the flag. */
static void test_no_files(struct played *played)
{
	char path[96];
	(void)snprintf(path, sizeof path, "%s/f", played->dir);
	(void)begin(played, 0);
	say_numbers(played, IMSG_WRITE_OPEN, 5, -1, O_TRUNC, path);
	say_text(played, 5, "text");
	say(played, IMSG_EXIT, "\0\0\0\0", 4);
	play(played, played->script.len);
	ok(access(path, F_OK) != 0, "a file is not written without the flag");
	(void)begin(played, MUXBUS_ONE_SHOT_FILES);
	say_numbers(played, IMSG_WRITE_OPEN, 5, -1, O_TRUNC, path);
	say_text(played, 5, "text");
	play(played, 30);
	ok(access(path, F_OK) == 0, "and with the flag, it is");
	test_low_descriptor(played, path);
	(void)unlink(path);
}

/* The same failure, as each of the allocations fails in turn. */
static void test_memory(struct played *played)
{
	unsigned wrong = 0;
	unsigned leaks = 0;
	unsigned refused = 0;
	bool has_failed;
	size_t nth = 0;
	do {
		const struct answer *answer = &played->answer;
		struct muxbus_command *command;
		struct buf script = played->script;
		int error;
		memset(&played->answer, 0, sizeof played->answer);
		buf_init(&played->script, script.max);
		script_failure(played);
		fail_alloc_arm(nth++);
		error = muxbus_command_new(&command);
		if (error == 0) {
			muxbus_command_args(command, "a", NULL);
			muxbus_command_next(command);
			muxbus_command_args(command, "b", NULL);
			error = begin_command(played, 0, command);
		}
		if (error == 0)
			play(played, played->script.len);
		leaks += fail_alloc_live() > 0;
		has_failed = fail_alloc_disarm();
		buf_finish(&played->script);
		wrong += error != 0 && (error != MUXBUS_ERR_NOMEM || answer->calls != 0);
		wrong += error == 0 &&
		    (answer->calls != 1 ||
			(answer->error != MUXBUS_ERR_NOMEM && answer->error != MUXBUS_ERR_COMMAND));
		refused += has_failed;
		played->script = script;
	} while (has_failed);
	ok(refused > 8, "%u allocations failed", refused);
	is_int(wrong, 0, "... each was an error or cost a text");
	is_int(leaks, 0, "... and nothing leaked");
}

static void test_refusals(struct played *played)
{
	struct muxbus_one_shot_options options = {
	    .socket_path = "/nosuch/socket", .pane = MUXBUS_NO_ID};
	struct muxbus_command *command;
	is_int(muxbus_one_shot_run(
		   played->loop, &options, command_of("a", NULL), on_reply, played, NULL),
	    MUXBUS_ERR_NO_SERVER, "no server");
	(void)muxbus_command_new(&command);
	options.socket_path = played->path;
	is_int(muxbus_one_shot_run(played->loop, &options, command, on_reply, played, NULL),
	    MUXBUS_ERR_INVALID, "an empty list");
	is_int(muxbus_one_shot_run(
		   played->loop, &options, command_of("a=b", NULL), on_reply, played, NULL),
	    MUXBUS_ERR_INVALID, "an assignment");
	(void)begin(played, 0);
	while (played->answer.calls == 0)
		(void)muxbus_loop_dispatch(played->loop, 1000);
	is_int(played->answer.error, MUXBUS_ERR_TIMEOUT, "a server that says nothing");
	close(played->server);
	(void)begin(played, 0);
	muxbus_one_shot_cancel(played->one_shot);
	muxbus_one_shot_cancel(NULL);
	turn(played);
	is_int(played->answer.calls, 0, "a cancelled command has no answer");
	close(played->server);
}

int main(void)
{
	struct played played;
	listen_at(&played);
	test_every_byte(&played);
	test_cut(&played);
	test_hostile(&played);
	test_no_files(&played);
	test_memory(&played);
	test_refusals(&played);
	close(played.listener);
	muxbus_loop_free(played.loop);
	buf_finish(&played.script);
	(void)unlink(played.path);
	(void)rmdir(played.dir);
	return done_testing();
}
