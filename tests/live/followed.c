/* SPDX-License-Identifier: ISC */
/* A sync of the library on a live server. */
#include "followed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Names are written with an id or not at all. */
static void tell_id(struct followed *followed, char sigil, uint32_t id)
{
	if (id != MUXBUS_NO_ID)
		(void)buf_printf(&followed->log, " %c%u", sigil, id);
}

static void on_state(void *data, enum muxbus_sync_state state, int error, const char *reason)
{
	struct followed *followed = data;
	(void)buf_printf(&followed->log, "state %s %d %s\n",
	    state == MUXBUS_SYNC_LIVE ? "live" : "searching", error, reason);
}

static void on_change(void *data, const struct muxbus_change *change)
{
	struct followed *followed = data;
	(void)buf_append_str(&followed->log, muxbus_change_name(change->kind));
	tell_id(followed, '$', change->session);
	tell_id(followed, '@', change->window);
	tell_id(followed, '%', change->pane);
	if (change->kind == MUXBUS_CHANGE_PANE_EXITED)
		(void)buf_printf(&followed->log, " status %d signal %d", change->exit_status,
		    change->exit_signal);
	if (change->kind == MUXBUS_CHANGE_TITLE_CHANGED)
		(void)buf_printf(&followed->log, " %s", change->pane_now->title);
	if (change->kind == MUXBUS_CHANGE_PATH_CHANGED)
		(void)buf_printf(&followed->log, " %s", change->pane_now->path);
	(void)buf_append_byte(&followed->log, '\n');
}

static struct buf *output_of(struct followed *followed, uint32_t pane)
{
	struct buf *output = map_get(&followed->outputs, pane);
	if (output != NULL)
		return output;
	output = xcalloc(1, sizeof *output);
	buf_init(output, (size_t)1 << 30);
	if (map_set(&followed->outputs, pane, output) != 0)
		abort();
	return output;
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len)
{
	struct followed *followed = data;
	if (!followed->keeps_output)
		return;
	if (buf_append(output_of(followed, pane), bytes, len) != 0)
		abort();
}

static void on_gap(void *data, uint32_t pane, uint64_t offset, const char *reason)
{
	struct followed *followed = data;
	(void)buf_printf(
	    &followed->log, "gap %%%u %llu %s\n", pane, (unsigned long long)offset, reason);
}

static void on_log(void *data, enum muxbus_log_level level, const char *text)
{
	(void)data;
	if (level <= MUXBUS_LOG_WARNING)
		diag("%s", text);
}

static bool is_attached(void *data)
{
	struct followed *followed = data;
	const struct muxbus_session *session = NULL;
	struct muxbus_sync_info info;
	unsigned wanted = 0;
	if (muxbus_sync_state(followed->sync) != MUXBUS_SYNC_LIVE)
		return false;
	while ((session = muxbus_model_next_session(muxbus_sync_model(followed->sync), session)) !=
	    NULL)
		wanted += !session->destroy_unattached || session->attached > 0;
	muxbus_sync_info(followed->sync, &info);
	return info.connections == wanted;
}

struct followed *followed_new_searching(struct live *live, bool all_output)
{
	const struct muxbus_sync_options options = {
	    .socket_path = live->tmux_socket, .all_output = all_output};
	const struct muxbus_sync_handlers handlers = {
	    .state = on_state, .change = on_change, .output = on_output, .gap = on_gap};
	struct followed *followed = xcalloc(1, sizeof *followed);
	followed->live = live;
	followed->keeps_output = true;
	buf_init(&followed->log, (size_t)64 << 20);
	map_init(&followed->outputs);
	muxbus_set_log(on_log, NULL);
	if (muxbus_loop_new(&followed->loop) != 0 ||
	    muxbus_sync_new(followed->loop, &options, &handlers, followed, &followed->sync) != 0 ||
	    muxbus_sync_start(followed->sync) != 0)
		abort();
	return followed;
}

struct followed *followed_new(struct live *live, bool all_output)
{
	struct followed *followed = followed_new_searching(live, all_output);
	if (!followed_until(followed, is_attached, followed)) {
		printf("Bail out! the server is not followed: %s\n",
		    followed->log.data != NULL ? (const char *)followed->log.data : "");
		exit(1);
	}
	return followed;
}

static void on_stopped(void *data)
{
	*(bool *)data = true;
}

static bool is_true(void *data)
{
	return *(bool *)data;
}

void followed_free(struct followed *followed)
{
	bool is_stopped = false;
	muxbus_sync_stop(followed->sync, on_stopped, &is_stopped);
	ok(followed_until(followed, is_true, &is_stopped), "the sync stops");
	muxbus_sync_free(followed->sync);
	muxbus_loop_free(followed->loop);
	map_each (struct buf, output, &followed->outputs) {
		buf_finish(output);
		mem_free(output);
	}
	map_finish(&followed->outputs);
	buf_finish(&followed->log);
	mem_free(followed);
}

bool followed_until(struct followed *followed, bool (*done)(void *data), void *data)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (!done(data)) {
		if (live_now_ms() > end_ms)
			return false;
		if (muxbus_loop_dispatch(followed->loop, 50) < 0)
			return false;
	}
	return true;
}

struct awaited_line {
	struct followed *followed;
	char text[256];
};

static bool is_logged(void *data)
{
	const struct awaited_line *line = data;
	return followed_count(line->followed, line->text) > 0;
}

bool followed_until_line(struct followed *followed, const char *format, ...)
{
	struct awaited_line line = {.followed = followed};
	va_list args;
	va_start(args, format);
	(void)vsnprintf(line.text, sizeof line.text, format, args);
	va_end(args);
	if (followed_until(followed, is_logged, &line))
		return true;
	diag("not reported: %s; but:\n%s", line.text,
	    followed->log.data != NULL ? (const char *)followed->log.data : "");
	return false;
}

static bool is_over(void *data)
{
	return live_now_ms() >= *(int64_t *)data;
}

void followed_run_ms(struct followed *followed, int ms)
{
	int64_t end_ms = live_now_ms() + ms;
	(void)followed_until(followed, is_over, &end_ms);
}

unsigned followed_count(const struct followed *followed, const char *text)
{
	const char *line = (const char *)followed->log.data;
	size_t len = strlen(text);
	unsigned count = 0;
	while (followed->log.len > 0 && line != NULL && *line != '\0') {
		count += strncmp(line, text, len) == 0 &&
		    (line[len] == '\n' || line[len] == ' ' || line[len] == '\0');
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	return count;
}

void followed_forget(struct followed *followed)
{
	buf_clear(&followed->log);
}

static void on_refreshed(void *data, int error)
{
	*(int *)data = error == 0 ? 1 : -1;
}

static bool is_not_zero(void *data)
{
	return *(int *)data != 0;
}

bool followed_refresh(struct followed *followed)
{
	int result = 0;
	if (muxbus_sync_refresh(followed->sync, MUXBUS_PART_ALL, 0, on_refreshed, &result) != 0)
		return false;
	return followed_until(followed, is_not_zero, &result) && result > 0;
}
