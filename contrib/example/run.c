/* SPDX-License-Identifier: ISC */
/* Runs one command over a connection: cc run.c $(pkg-config --cflags --libs muxbus) */
#include <muxbus.h>
#include <stdio.h>
#include <stdlib.h>

static struct muxbus_connection *connection;
static int status = -1; /* of this program; -1: still running */

static void on_panes(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	(void)data, (void)count;
	fwrite(replies[0].body, 1, replies[0].body_len, error ? stderr : stdout);
	status = error ? EXIT_FAILURE : EXIT_SUCCESS;
	muxbus_connection_close(connection);
}

static void on_closed(void *data, int error, const char *reason)
{
	(void)data;
	if (error)
		fprintf(stderr, "run: %s: %s\n", muxbus_strerror(error), reason);
	if (error || status < 0)
		status = EXIT_FAILURE;
	muxbus_connection_free(connection);
	connection = NULL;
}

int main(void)
{
	const struct muxbus_connection_handlers handlers = {.closed = on_closed};
	struct muxbus_connection_options options = {
	    .session = MUXBUS_NO_ID, .flags = MUXBUS_CONNECTION_NO_OUTPUT};
	struct muxbus_command *command;
	struct muxbus_loop *loop;
	char path[108];
	int error;

	if (muxbus_socket_path(path, sizeof path, NULL, NULL) || muxbus_loop_new(&loop))
		return EXIT_FAILURE;
	options.socket_path = path;
	error = muxbus_connection_open(loop, &options, &handlers, NULL, &connection);
	if (!error && !(error = muxbus_command_new(&command))) {
		muxbus_command_args(
		    command, "list-panes", "-a", "-F", "#{pane_id} #{pane_current_command}", NULL);
		error = muxbus_connection_run(connection, command, on_panes, NULL);
	}
	if (error)
		fprintf(stderr, "run: %s\n", muxbus_strerror(error));
	while (!error && connection != NULL)
		muxbus_loop_dispatch(loop, -1);
	muxbus_connection_free(connection);
	muxbus_loop_free(loop);
	return error ? EXIT_FAILURE : status;
}
