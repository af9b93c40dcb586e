/* SPDX-License-Identifier: ISC */
/*
 * A list of tmux commands without a control client: this process talks to the server like the
 * program `tmux` running a command. tmux writes text to streams: for descriptor 1 the output of the
 * list, for descriptor 2 an error. Then the exit status follows.
 *
 * No message here passes a descriptor, so on little-endian machines both forms of the header are
 * the same.
 *
 * A list that does not fit into a message is sent as text, for `source-file -`. tmux then prints a
 * syntax error as output, so a last sentinel shows that all commands were run.
 *
 * A channel is a one-shot that runs several texts: each but the last ends with the command that
 * reads the next text. A channel is about as fast as a control client. tmux asks for the next text
 * by a path that no other command reads, and only if all commands of the list have succeeded; a
 * list that fails ends the channel. `-t {mouse}` names no target, so each text gets the default
 * target of that moment. tmux never frees the client if we hang up while tmux waits for a text. So
 * we send an empty text, which ends the client.
 *
 * tmux waits for a message before it writes the first text of a stream, but not before the second
 * text. Sentinels behind the last command therefore bring output and exit status at once.
 */
#include "lib/connection/one_shot.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/file.h"
#include "lib/connection/command.h"
#include "lib/connection/direct.h"
#include "lib/connection/locate.h"
#include "lib/connection/loop.h"
#include "lib/connection/pending.h"
#include "lib/connection/process.h"
#include "lib/connection/streams.h"

enum {
	TIMEOUT_MS = 5000,
	BYTES_PER_MS = 1024, /* bytes of a list per additional millisecond of timeout */
	IN_BYTES_MAX = 4 * IMSG_MAX,
	LOOK_BYTES_MAX = 1024 * 1024, /* limit of the bytes read in one turn of the loop */
	ARGUMENTS_MAX = 8,
	LISTS_MAX = 40, /* lists of a channel: each is a nested file, and tmux nests up to 50 */
};

#define READ_NEXT " ; source-file -t \"{mouse}\" " STREAMS_CHANNEL_PATH "\n"

#define FLAG_UTF8 UINT64_C(0x10000)

struct muxbus_one_shot {
	struct muxbus_loop *loop;
	int fd; /* connection to the server; -1: none */
	struct loop_watch *watch;
	bool waits_for_room; /* the watch also waits until the socket has room */
	struct loop_timeout timer;
	struct buf in; /* received bytes of an incomplete message */
	size_t sent; /* number of bytes of streams.out that are already sent */
	struct streams streams; /* streams.body is the output of all commands, with sentinels */
	int status; /* exit status; -1: unknown */
	bool has_end; /* the output ends with a sentinel, unless the last command has failed */
	struct process process; /* for MUXBUS_WAY_PROCESS; gets files as descriptors 0 to 2 */
	int files[3];
	char *socket_path; /* in the same block of memory as this struct */
	char *tmux_path; /* in the same block of memory; NULL: not given */
	enum channel_state state; /* CHANNEL_NONE: an ordinary one-shot */
	unsigned lists; /* number of lists that the channel has run */
	bool is_answering; /* the callback of a list of the channel is running */
	bool is_kept; /* the callback keeps the channel */
	struct muxbus_command *command;
	struct pending_queue queue; /* contains only pending, with its replies */
	struct pending *pending;
};

static int flush(struct muxbus_one_shot *one_shot);

/* Keeps errno. */
static void free_one_shot(struct muxbus_one_shot *one_shot)
{
	int saved = errno;
	if (one_shot->is_answering) { /* answer_list() frees it after the callback */
		one_shot->is_kept = false;
		return;
	}
	buf_clear(&one_shot->streams.text);
	if (one_shot->state == CHANNEL_READY && one_shot->streams.input >= 0 &&
	    streams_send_input(&one_shot->streams))
		(void)flush(one_shot);
	loop_timeout_stop(&one_shot->timer);
	loop_unwatch(&one_shot->watch);
	process_finish(&one_shot->process);
	loop_close_fd(&one_shot->fd);
	for (int i = 0; i < 3; i++)
		loop_close_fd(&one_shot->files[i]);
	buf_finish(&one_shot->in);
	streams_finish(&one_shot->streams);
	pending_queue_finish(&one_shot->queue);
	muxbus_command_free(one_shot->command);
	mem_free(one_shot);
	errno = saved;
}

/* Returns the end of a command's sentinel, or NULL if it was not printed. *ret_at is its start. */
static const uint8_t *find_sentinel(
    const uint8_t *from, const uint8_t *end, const struct nonce *nonce, const uint8_t **ret_at)
{
	const uint8_t *at = memmem(from, (size_t)(end - from), nonce->text, MUXBUS_NONCE_LEN);
	if (at == NULL)
		return NULL;
	*ret_at = at;
	at += MUXBUS_NONCE_LEN;
	return at < end && *at == '\n' ? at + 1 : at;
}

static void add_reply(
    struct muxbus_one_shot *one_shot, const void *bytes, size_t len, bool is_error)
{
	struct muxbus_block block = {
	    .is_ours = true, .is_error = is_error, .body = bytes, .body_len = len};
	pending_add_block(&one_shot->queue, &block);
}

/* Returns what tmux prints before a syntax error in the first line of a text. */
static const char *error_place(const struct muxbus_one_shot *one_shot)
{
	return one_shot->state != CHANNEL_NONE ? STREAMS_CHANNEL_PATH ":1: " : "-:1: ";
}

/*
 * Divides the output into replies. After a failed command tmux runs no other. The reply of a failed
 * command is its output, then the error. If all sentinels were printed, and the last command runs
 * no other commands, an error comes from a user's hook and is ignored.
 */
static void divide(struct muxbus_one_shot *one_shot)
{
	struct pending *pending = one_shot->pending;
	const uint8_t *from =
	    one_shot->streams.body.len > 0 ? one_shot->streams.body.data : (const uint8_t *)"";
	const uint8_t *end = from + one_shot->streams.body.len;
	const char *place = error_place(one_shot);
	size_t sentinels = one_shot->has_end ? pending->count : pending->count - 1;
	size_t last = pending->count - 1;
	size_t i = 0;
	for (; i < sentinels; i++) {
		const uint8_t *at;
		const uint8_t *next = find_sentinel(from, end, &pending->nonces[i], &at);
		if (next == NULL)
			break;
		add_reply(one_shot, from, (size_t)(at - from), false);
		if (i < last)
			(void)pending_end_command(&one_shot->queue, i);
		from = next;
	}
	if (i < sentinels && one_shot->streams.errors.len == 0 && one_shot->status > 0 &&
	    (size_t)(end - from) > strlen(place) && memcmp(from, place, strlen(place)) == 0)
		from += strlen(place);
	if (i <= last || (!one_shot->has_end && from != end))
		add_reply(one_shot, from, (size_t)(end - from), i < sentinels);
	if (one_shot->streams.errors.len > 0 &&
	    (i < sentinels || command_sentinels(one_shot->command) == 0))
		add_reply(
		    one_shot, one_shot->streams.errors.data, one_shot->streams.errors.len, true);
	/* tmux prints the syntax error of a file as output. */
	if (one_shot->status > 0 && i >= last && command_reads_file(one_shot->command))
		pending->replies[last].error = MUXBUS_ERR_COMMAND;
	if (one_shot->streams.is_cut)
		pending->replies[i < last ? i : last].error = MUXBUS_ERR_LIMIT;
	/* Commands behind a failed command were not run. */
	(void)pending_end_command(&one_shot->queue, last);
}

static void finish(struct muxbus_one_shot *one_shot, int error)
{
	struct pending *pending = one_shot->pending;
	loop_unwatch(&one_shot->watch);
	loop_timeout_stop(&one_shot->timer);
	if (pending == NULL) { /* a channel without a list: its owner frees it */
		loop_close_fd(&one_shot->fd);
		one_shot->state = one_shot->state == CHANNEL_OPENS ? CHANNEL_REFUSED : CHANNEL_OVER;
		return;
	}
	if (one_shot->state != CHANNEL_NONE)
		one_shot->state = CHANNEL_OVER;
	if (error != 0) {
		pending_fail_all(&one_shot->queue, error);
	} else {
		divide(one_shot);
		pending_answer(&one_shot->queue, pending);
	}
	free_one_shot(one_shot);
}

static void on_timeout(void *data)
{
	finish(data, MUXBUS_ERR_TIMEOUT);
}

static void on_ready(void *data, uint32_t events);

static int watch_connection(struct muxbus_one_shot *one_shot, bool waits_for_room)
{
	if (one_shot->watch != NULL && one_shot->waits_for_room == waits_for_room)
		return 0;
	loop_unwatch(&one_shot->watch);
	one_shot->waits_for_room = waits_for_room;
	return loop_watch(one_shot->loop, one_shot->fd,
	    waits_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN, on_ready, one_shot, &one_shot->watch);
}

/* A closed connection is no error, since received messages may wait to be read. */
static int flush(struct muxbus_one_shot *one_shot)
{
	struct buf *out = &one_shot->streams.out;
	while (one_shot->sent < out->len) {
		ssize_t sent = send(one_shot->fd, out->data + one_shot->sent,
		    out->len - one_shot->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0)
			one_shot->sent += (size_t)sent;
		else if (errno == EAGAIN || errno == ENOBUFS)
			return watch_connection(one_shot, true);
		else if (errno != EINTR)
			break;
	}
	buf_clear(out);
	one_shot->sent = 0;
	return watch_connection(one_shot, false);
}

/* The list and a sentinel are one line, as the rest of a line is not run after an error. */
static int write_text(struct muxbus_one_shot *one_shot)
{
	const struct pending *pending = one_shot->pending;
	const struct buf *list = command_fill(one_shot->command, pending->nonces);
	struct buf *text = &one_shot->streams.text;
	int error = buf_append(text, list->data, list->len);
	if (error == 0 && one_shot->state != CHANNEL_NONE && ++one_shot->lists < LISTS_MAX)
		error = buf_append(text, READ_NEXT, sizeof READ_NEXT - 1);
	else if (error == 0)
		error = buf_printf(text, " ; " LIST_COMMANDS " -F %s " LIST_ONE "\n",
		    pending->nonces[pending->count - 1].text);
	one_shot->has_end = true;
	if (error == 0)
		return 0;
	return error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM;
}

static bool read_back(struct muxbus_one_shot *one_shot, int fd, struct buf *buf)
{
	char bytes[8192];
	ssize_t got;
	off_t at = 0;
	bool is_kept = true;
	while (is_kept && (got = pread(fd, bytes, sizeof bytes, at)) > 0) {
		is_kept = streams_keep(&one_shot->streams, buf, bytes, (size_t)got);
		at += got;
	}
	return is_kept;
}

static void on_process_end(void *data, uint32_t events UNUSED)
{
	struct muxbus_one_shot *one_shot = data;
	if (!process_reap(&one_shot->process))
		return;
	one_shot->status = one_shot->process.exit_status;
	finish(one_shot,
	    read_back(one_shot, one_shot->files[1], &one_shot->streams.body) &&
		    read_back(one_shot, one_shot->files[2], &one_shot->streams.errors)
		? 0
		: MUXBUS_ERR_NOMEM);
}

static int find_program(struct muxbus_one_shot *one_shot, char *out, size_t size)
{
	const char *name = one_shot->tmux_path;
	pid_t pid;
	uid_t uid;
	int error = locate_server(one_shot->socket_path, &pid, &uid);
	if (error != 0)
		return error;
	if (name == NULL && locate_server_binary(pid, uid, out, size))
		return 0;
	return locate_program(name != NULL ? name : "tmux", out, size) ? 0 : MUXBUS_ERR_SPAWN;
}

/* Starts a tmux process. It reads the commands from descriptor 0; memfds hold input and output. */
static int start_process(struct muxbus_one_shot *one_shot)
{
	char program[PATH_MAX];
	const char *const argv[ARGUMENTS_MAX] = {
	    "tmux", "-u", "-N", "-S", one_shot->socket_path, "source-file", "-", NULL};
	const struct buf *text = &one_shot->streams.text;
	int error = text->len == 0 ? write_text(one_shot) : 0;
	if (error == 0)
		error = find_program(one_shot, program, sizeof program);
	for (int i = 0; error == 0 && i < 3; i++) {
		one_shot->files[i] = memfd_create("muxbus", MFD_CLOEXEC);
		error = one_shot->files[i] < 0 ? MUXBUS_ERR_SYSTEM : 0;
	}
	if (error == 0) {
		(void)file_write_all(one_shot->files[0], text->data, text->len);
		if (lseek(one_shot->files[0], 0, SEEK_SET) != 0)
			error = MUXBUS_ERR_SYSTEM;
	}
	if (error == 0)
		error = process_start(
		    &one_shot->process, program, (char *const *)argv, one_shot->files);
	if (error == 0)
		error = loop_watch(one_shot->loop, one_shot->process.handle, EPOLLIN,
		    on_process_end, one_shot, &one_shot->watch);
	return error;
}

/* Starts a tmux process, since the server speaks another protocol version. Returns false. */
static bool on_foreign(struct muxbus_one_shot *one_shot)
{
	int error;
	loop_close(&one_shot->watch, &one_shot->fd);
	error = start_process(one_shot);
	if (error != 0)
		finish(one_shot, error);
	return false;
}

/* Handles a message. Returns false if one_shot was freed or is no longer connected. */
static bool handle(void *data, const struct imsg *message)
{
	struct muxbus_one_shot *one_shot = data;
	bool is_valid;
	switch (message->type) {
	case IMSG_VERSION:
		if (one_shot->pending != NULL)
			return on_foreign(one_shot);
		finish(one_shot, MUXBUS_ERR_PROTOCOL);
		return false;
	case IMSG_SHUTDOWN: /* the server ends before the list does */
		finish(one_shot, MUXBUS_ERR_CLOSED);
		return false;
	case IMSG_EXIT:
		if (!imsg_numbers(message, &one_shot->status, 1))
			one_shot->status = 0;
		/* Do not answer: it would cost tmux time to read a message. */
		finish(one_shot, 0);
		return false;
	default:
		is_valid = streams_take(&one_shot->streams, message);
		break;
	}
	if (!is_valid)
		finish(one_shot,
		    one_shot->streams.lacks_memory ? MUXBUS_ERR_NOMEM : MUXBUS_ERR_PROTOCOL);
	return is_valid;
}

/* Answers the list of a channel. The callback may keep the channel, and run its next list. */
static void answer_list(struct muxbus_one_shot *one_shot)
{
	struct pending *pending = one_shot->pending;
	loop_timeout_stop(&one_shot->timer);
	one_shot->has_end = false; /* tmux asks for the next text instead */
	divide(one_shot);
	muxbus_command_free(one_shot->command);
	one_shot->command = NULL;
	one_shot->pending = NULL;
	one_shot->state = CHANNEL_READY;
	one_shot->is_answering = true;
	one_shot->is_kept = false;
	pending_answer(&one_shot->queue, pending);
	one_shot->is_answering = false;
	if (!one_shot->is_kept)
		free_one_shot(one_shot);
}

/* Handles a request of tmux for the next text. */
static int on_input(struct muxbus_one_shot *one_shot)
{
	switch (one_shot->state) {
	case CHANNEL_OPENS:
		one_shot->state = CHANNEL_READY;
		loop_timeout_stop(&one_shot->timer);
		return 0;
	case CHANNEL_RUNS:
		if (!streams_has_new(&one_shot->streams))
			answer_list(one_shot);
		return 0;
	case CHANNEL_ENDS:
		return streams_send_input(&one_shot->streams) ? flush(one_shot) : MUXBUS_ERR_NOMEM;
	default:
		return 0;
	}
}

static void on_ready(void *data, uint32_t events UNUSED)
{
	struct muxbus_one_shot *one_shot = data;
	uint8_t *bytes = loop_scratch(one_shot->loop);
	size_t total = 0;
	ssize_t got;
	int error;
	do { /* until a read returns less than was asked for: nothing is left then */
		got = recv(one_shot->fd, bytes, IMSG_MAX, MSG_DONTWAIT);
		if (got > 0 && buf_append(&one_shot->in, bytes, (size_t)got) != 0) {
			finish(one_shot, MUXBUS_ERR_NOMEM);
			return;
		}
		error = imsg_each(one_shot->streams.form, &one_shot->in, handle, one_shot);
		if (error == MUXBUS_ERR_PROTOCOL)
			finish(one_shot, error);
		if (error != 0)
			return;
		total += got > 0 ? (size_t)got : 0;
	} while (got == IMSG_MAX && total < LOOK_BYTES_MAX);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		finish(one_shot, MUXBUS_ERR_CLOSED);
	else if ((error = flush(one_shot)) != 0 ||
	    (one_shot->streams.input >= 0 && (error = on_input(one_shot)) != 0))
		finish(one_shot, error);
}

static enum imsg_form form_of(const struct muxbus_one_shot_options *options)
{
	return options->way == MUXBUS_WAY_DIRECT ? IMSG_FORM_FLAGS : IMSG_FORM_LENGTH;
}

static int append_identity(struct buf *out, const struct muxbus_one_shot_options *options)
{
	struct imsg_writer writer = {.out = out, .form = form_of(options)};
	const pid_t pid = getpid();
	char variable[32];
	direct_write_flags(&writer, FLAG_UTF8);
	direct_write_terminal(&writer);
	if (options->directory != NULL)
		imsg_write_text(&writer, IMSG_IDENTIFY_CWD, options->directory);
	imsg_write(&writer, IMSG_IDENTIFY_CLIENTPID, &pid, sizeof pid);
	direct_write_environment(&writer);
	(void)snprintf(variable, sizeof variable, "TMUX_PANE=%%%u", options->pane);
	if (options->pane != MUXBUS_NO_ID)
		imsg_write_text(&writer, IMSG_IDENTIFY_ENVIRON, variable);
	imsg_write(&writer, IMSG_IDENTIFY_DONE, NULL, 0);
	return writer.error;
}

/* Appends the command that makes tmux read a text. */
static int append_source(struct muxbus_one_shot *one_shot)
{
	/* An int takes the place of NNNN: the number of words. */
	static const char once[] = "NNNNsource-file\0-";
	static const char again[] = "NNNNsource-file\0-t\0{mouse}\0" STREAMS_CHANNEL_PATH;
	const bool is_once = one_shot->state == CHANNEL_NONE;
	const int count = is_once ? 2 : 4;
	const size_t size = is_once ? sizeof once : sizeof again;
	char data[sizeof again];
	memcpy(data, is_once ? once : again, size);
	memcpy(data, &count, sizeof count);
	return imsg_append(
	    &one_shot->streams.out, one_shot->streams.form, IMSG_COMMAND, data, size);
}

static int append_commands(struct muxbus_one_shot *one_shot)
{
	struct buf packed = BUF(IMSG_MAX - IMSG_HEADER_BYTES);
	const unsigned sentinels = command_sentinels(one_shot->command);
	int error = command_pack(one_shot->command, one_shot->pending->nonces, sentinels, &packed);
	one_shot->has_end = sentinels > 0;
	if (error == 0)
		error = imsg_append(&one_shot->streams.out, one_shot->streams.form, IMSG_COMMAND,
		    packed.data, packed.len);
	buf_finish(&packed);
	if (error == MUXBUS_ERR_LIMIT && (error = write_text(one_shot)) == 0)
		error = append_source(one_shot);
	return error;
}

static int start(struct muxbus_one_shot *one_shot, const struct muxbus_one_shot_options *options)
{
	int error;
	if (options->way == MUXBUS_WAY_PROCESS)
		return start_process(one_shot);
	one_shot->streams.form = form_of(options);
	error = append_identity(&one_shot->streams.out, options);
	if (error == 0)
		error = append_commands(one_shot);
	if (error != 0)
		return error;
	one_shot->fd = locate_connect(options->socket_path);
	if (one_shot->fd < 0)
		return locate_connect_error(errno);
	return flush(one_shot);
}

static struct muxbus_one_shot *new_one_shot(
    struct muxbus_loop *loop, const struct muxbus_one_shot_options *options)
{
	size_t path_size = strlen(options->socket_path) + 1;
	size_t tmux_size = options->tmux_path != NULL ? strlen(options->tmux_path) + 1 : 0;
	struct muxbus_one_shot *one_shot = mem_calloc(1, sizeof *one_shot + path_size + tmux_size);
	if (one_shot == NULL)
		return NULL;
	one_shot->loop = loop;
	streams_init(&one_shot->streams);
	one_shot->streams.may_open = options->flags & MUXBUS_ONE_SHOT_FILES;
	one_shot->fd = -1;
	one_shot->status = -1;
	one_shot->socket_path = (char *)(one_shot + 1);
	memcpy(one_shot->socket_path, options->socket_path, path_size);
	if (tmux_size > 0)
		one_shot->tmux_path =
		    memcpy(one_shot->socket_path + path_size, options->tmux_path, tmux_size);
	for (int i = 0; i < 3; i++)
		one_shot->files[i] = -1;
	loop_timeout_init(&one_shot->timer, loop, on_timeout, one_shot);
	process_init(&one_shot->process);
	buf_init(&one_shot->in, IN_BYTES_MAX);
	pending_queue_init(&one_shot->queue);
	return one_shot;
}

/* Takes the list, also on an error. Returns 0, or the error why the list cannot be run. */
static int take_list(struct muxbus_one_shot *one_shot, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data)
{
	size_t count;
	int error = command_check(command, &count);
	one_shot->command = command;
	return error != 0
	    ? error
	    : pending_make(loop_nonces(one_shot->loop), count, reply, data, &one_shot->pending);
}

/* bytes is the length of the list. */
static void start_timer(struct muxbus_one_shot *one_shot, unsigned timeout_ms, size_t bytes)
{
	loop_timeout_start(
	    &one_shot->timer, (timeout_ms != 0 ? timeout_ms : TIMEOUT_MS) + bytes / BYTES_PER_MS);
}

int muxbus_one_shot_run(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct muxbus_one_shot **ret_one_shot)
{
	struct muxbus_one_shot *one_shot = new_one_shot(loop, options);
	int error;
	if (one_shot == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	error = take_list(one_shot, command, reply, data);
	if (error == 0)
		error = start(one_shot, options);
	if (error != 0) {
		muxbus_one_shot_cancel(one_shot);
		return error;
	}
	pending_append(&one_shot->queue, one_shot->pending);
	start_timer(
	    one_shot, options->timeout_ms, one_shot->streams.out.len + one_shot->streams.text.len);
	if (ret_one_shot != NULL)
		*ret_one_shot = one_shot;
	return 0;
}

int64_t one_shot_wait(struct muxbus_one_shot *one_shot)
{
	int64_t left_us = one_shot->timer.due_us - clock_mono_us();
	loop_timeout_stop(&one_shot->timer);
	return left_us > 0 ? left_us / 1000 : 0;
}

int muxbus_one_shot_status(const struct muxbus_one_shot *one_shot)
{
	return one_shot->status;
}

void muxbus_one_shot_cancel(struct muxbus_one_shot *one_shot)
{
	if (one_shot == NULL)
		return;
	pending_free(one_shot->pending);
	free_one_shot(one_shot);
}

int channel_open(struct muxbus_loop *loop, const struct muxbus_one_shot_options *options,
    struct muxbus_one_shot **ret_channel)
{
	struct muxbus_one_shot *channel = new_one_shot(loop, options);
	int error = MUXBUS_ERR_NOMEM;
	if (channel == NULL)
		return error;
	channel->state = CHANNEL_OPENS;
	channel->streams.is_channel = true;
	channel->streams.form = form_of(options);
	error = append_identity(&channel->streams.out, options);
	if (error == 0)
		error = append_source(channel);
	if (error == 0 && (channel->fd = locate_connect_now(options->socket_path)) < 0)
		error = locate_connect_error(errno);
	if (error == 0)
		error = flush(channel);
	if (error != 0) {
		free_one_shot(channel);
		return error;
	}
	loop_timeout_start(&channel->timer, TIMEOUT_MS);
	*ret_channel = channel;
	return 0;
}

enum channel_state channel_state(const struct muxbus_one_shot *channel)
{
	return channel->state;
}

int channel_run(struct muxbus_one_shot *channel, unsigned timeout_ms,
    struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	struct streams *streams = &channel->streams;
	size_t text_len = 0;
	int error = take_list(channel, command, reply, data);
	if (error == 0) {
		streams_reset(streams);
		error = write_text(channel);
		text_len = streams->text.len;
	}
	if (error == 0 && !streams_send_input(streams))
		error = MUXBUS_ERR_NOMEM;
	if (error == 0)
		error = flush(channel);
	if (error != 0) {
		muxbus_one_shot_cancel(channel);
		return error;
	}
	channel->state = CHANNEL_RUNS;
	pending_append(&channel->queue, channel->pending);
	start_timer(channel, timeout_ms, text_len);
	return 0;
}

bool channel_keep(struct muxbus_one_shot *channel)
{
	channel->is_kept = channel->is_answering && channel->state == CHANNEL_READY;
	return channel->is_kept;
}

void channel_end(struct muxbus_one_shot *channel)
{
	bool is_ready = channel->state == CHANNEL_READY;
	int error = 0;
	channel->state = CHANNEL_ENDS;
	if (is_ready)
		error = on_input(channel);
	if (error != 0)
		finish(channel, error);
}
