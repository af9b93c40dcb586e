/* SPDX-License-Identifier: ISC */
/* Lists the panes of a tmux server: cc list.c $(pkg-config --cflags --libs muxbus) */
#include <muxbus.h>

#include <stdio.h>

struct list {
	struct muxbus_sync *sync;
	bool is_done;
};

static void on_state(void *data, enum muxbus_sync_state state, int error, const char *reason)
{
	struct list *list = (struct list *)data;
	const struct muxbus_pane *pane = NULL;

	(void)error;
	if (state != MUXBUS_SYNC_LIVE) {
		fprintf(stderr, "waiting for tmux: %s\n", reason);
		return;
	}
	while ((pane = muxbus_model_next_pane(muxbus_sync_model(list->sync), pane)) != NULL)
		printf("%%%u %ux%u %s\n", pane->id, pane->width, pane->height, pane->command);
	list->is_done = true;
}

int main(void)
{
	char socket_path[4096];
	struct muxbus_sync_options options = {.socket_path = socket_path};
	struct muxbus_sync_handlers handlers = {.state = on_state};
	struct list list = {0};
	struct muxbus_loop *loop = NULL;
	int error = muxbus_socket_path(socket_path, sizeof(socket_path), NULL, NULL);

	if (error == 0)
		error = muxbus_loop_new(&loop);
	if (error == 0)
		error = muxbus_sync_new(loop, &options, &handlers, &list, &list.sync);
	if (error == 0)
		error = muxbus_sync_start(list.sync);
	while (error >= 0 && !list.is_done)
		error = muxbus_loop_dispatch(loop, -1);
	if (error < 0)
		fprintf(stderr, "list: %s\n", muxbus_strerror(error));
	muxbus_sync_free(list.sync);
	muxbus_loop_free(loop);
	return error < 0 ? 1 : 0;
}
