/* SPDX-License-Identifier: ISC */
#include "lib/connection/client.h"

#include <sys/socket.h>

#include "lib/connection/locate.h"
#include "lib/connection/loop.h"

/* OUTPUT_PIPE_BYTES: not more, since by default all pipes of a user may have 64 MiB together. */
enum { OUTPUT_PIPE_BYTES = 256 * 1024, ARGUMENTS_MAX = 16, TARGET_SIZE = 16 };

/* Limit of the bytes that wait to be sent; memory to keep when no bytes wait. */
#define OUT_MAX (4 * (size_t)MUXBUS_COMMAND_MAX)
#define OUT_KEEP_BYTES ((size_t)64 * 1024)

void client_init(struct client *client)
{
	memset(client, 0, sizeof *client);
	client->handle = -1;
	client->input = -1;
	client->output = -1;
	client->errors = -1;
	client->has_ended = true;
	buf_init(&client->out, OUT_MAX);
	direct_init(&client->direct);
	process_init(&client->process);
}

static bool make_streams(struct client *client, int theirs[3], bool has_errors)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	client->input = pair[0];
	theirs[0] = pair[1];
	if (pipe2(pair, O_CLOEXEC) != 0)
		return false;
	client->output = pair[0];
	theirs[1] = pair[1];
	if (has_errors) {
		if (pipe2(pair, O_CLOEXEC) != 0)
			return false;
		client->errors = pair[0];
		theirs[2] = pair[1];
		if (fcntl(client->errors, F_SETFL, O_NONBLOCK) != 0)
			return false;
	}
	return fcntl(client->input, F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(client->output, F_SETFL, O_NONBLOCK) == 0;
}

static bool has_output(const struct muxbus_connection_options *options)
{
	return !(options->flags & MUXBUS_CONNECTION_NO_OUTPUT);
}

static int open_direct(struct client *client, const struct muxbus_connection_options *options,
    const int theirs[3], int *spare)
{
	enum imsg_form form = client->way == MUXBUS_WAY_DIRECT ? IMSG_FORM_FLAGS : IMSG_FORM_LENGTH;
	int fd = locate_take(spare);
	if (fd < 0)
		fd = locate_connect(options->socket_path);
	if (fd < 0)
		return locate_connect_error(errno);
	direct_init(&client->direct);
	client->pid = getpid();
	client->handle = fd;
	return direct_attach(
	    &client->direct, fd, form, theirs[0], theirs[1], options->session, has_output(options));
}

static int start_program(struct client *client, const char *program,
    const struct muxbus_connection_options *options, const int theirs[3])
{
	const char *argv[ARGUMENTS_MAX];
	char target[TARGET_SIZE];
	size_t count = 0;
	int error;
	argv[count++] = "tmux";
	argv[count++] = "-u"; /* otherwise tmux replaces non-ASCII characters by '_' */
	argv[count++] = "-N"; /* do not start a server if this one ends meanwhile */
	argv[count++] = "-S";
	argv[count++] = options->socket_path;
	argv[count++] = "-C";
	argv[count++] = "attach-session";
	argv[count++] = "-E"; /* do not change the session's environment */
	argv[count++] = "-f";
	argv[count++] = has_output(options) ? "ignore-size" : "ignore-size,no-output";
	if (options->session != MUXBUS_NO_ID) {
		(void)snprintf(target, sizeof target, "$%u", options->session);
		argv[count++] = "-t";
		argv[count++] = target;
	}
	argv[count] = NULL;
	error = process_start(&client->process, program, (char *const *)argv, theirs);
	client->pid = client->process.pid;
	client->handle = client->process.handle;
	return error;
}

/* Starts the binary of the options, or the server's own binary, or the one in PATH. */
static int open_process(
    struct client *client, const struct muxbus_connection_options *options, const int theirs[3])
{
	const char *name = options->tmux_path;
	char program[PATH_MAX];
	pid_t pid;
	uid_t uid;
	int error = locate_server(options->socket_path, &pid, &uid);
	if (error != 0)
		return error;
	if (name == NULL && locate_server_binary(pid, uid, program, sizeof program)) {
		error = start_program(client, program, options, theirs);
		if (error != MUXBUS_ERR_SPAWN)
			return error;
	}
	if (!locate_program(name != NULL ? name : "tmux", program, sizeof program))
		return MUXBUS_ERR_SPAWN;
	return start_program(client, program, options, theirs);
}

int client_open(struct client *client, const struct muxbus_connection_options *options, int *spare)
{
	int theirs[3] = {-1, -1, -1};
	int error = MUXBUS_ERR_SYSTEM;
	int saved;
	client->way = options->way;
	if (make_streams(client, theirs, options->way == MUXBUS_WAY_PROCESS))
		error = options->way == MUXBUS_WAY_PROCESS
		    ? open_process(client, options, theirs)
		    : open_direct(client, options, theirs, spare);
	saved = errno;
	for (int i = 0; i < 3; i++)
		loop_close_fd(&theirs[i]);
	client->has_ended = false;
	if (error != 0)
		client_close(client);
	errno = saved;
	return error;
}

/* The server refused if it closed the connection without a message, or speaks another protocol. */
bool client_was_refused(const struct client *client, enum muxbus_way *ret_way)
{
	const struct direct *direct = &client->direct;
	if (client->way == MUXBUS_WAY_PROCESS || (direct->was_heard && !direct->is_foreign))
		return false;
	*ret_way = client->way == MUXBUS_WAY_DIRECT && !direct->is_foreign ? MUXBUS_WAY_DIRECT_3_6
									   : MUXBUS_WAY_PROCESS;
	return true;
}

void client_widen_output(struct client *client)
{
	(void)fcntl(client->output, F_SETPIPE_SZ, OUTPUT_PIPE_BYTES);
}

static void empty_out(struct client *client)
{
	buf_clear(&client->out);
	buf_shrink(&client->out, OUT_KEEP_BYTES);
	client->sent = 0;
}

static void compact_out(struct client *client)
{
	if (client->sent < OUT_KEEP_BYTES || client->sent < client->out.len / 2)
		return;
	buf_consume(&client->out, client->sent);
	client->sent = 0;
}

enum client_sent client_send(struct client *client)
{
	struct buf *bytes = &client->out;
	while (client->sent < bytes->len) {
		ssize_t sent = send(client->input, bytes->data + client->sent,
		    bytes->len - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0) {
			client->sent += (size_t)sent;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			compact_out(client);
			return CLIENT_SENT_FULL;
		} else if (errno != EINTR) {
			empty_out(client);
			return CLIENT_SENT_BROKEN;
		}
	}
	if (bytes->len > 0)
		empty_out(client);
	return CLIENT_SENT_ALL;
}

bool client_read_end(struct client *client)
{
	if (client->has_ended)
		return true;
	if (client->way == MUXBUS_WAY_PROCESS) {
		client->has_ended = process_reap(&client->process);
	} else if (!direct_read(&client->direct)) {
		direct_hang_up(&client->direct); /* tmux then closes our output */
		client->has_ended = true;
	}
	return client->has_ended;
}

void client_end(struct client *client, int signal_number)
{
	if (client->way == MUXBUS_WAY_PROCESS)
		process_signal(&client->process, signal_number);
	else
		direct_hang_up(&client->direct);
}

void client_close_streams(struct client *client)
{
	loop_close_fd(&client->input);
	loop_close_fd(&client->output);
	loop_close_fd(&client->errors);
}

void client_close(struct client *client)
{
	process_finish(&client->process);
	direct_finish(&client->direct);
	client->handle = -1; /* process or direct has closed it */
	client_close_streams(client);
	client->has_ended = true;
}

void client_finish(struct client *client)
{
	client_close(client);
	buf_finish(&client->out);
}
