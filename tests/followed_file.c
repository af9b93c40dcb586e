/* SPDX-License-Identifier: ISC */
/* A test directory with a followed file. */
#include "followed_file.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "tap.h"

#define BOUND_MS 10000
#define POLL_MS 20

const char *const place_mode_names[] = {
    [PLACE_INOTIFY] = "inotify", [PLACE_POLL] = "poll", [PLACE_RESTART] = "restart"};

static void lines_add(struct lines *lines, const char *text, size_t len)
{
	if (lines->count == lines->size) {
		lines->size = lines->size ? 2 * lines->size : 64;
		lines->texts = xrealloc(lines->texts, lines->size * sizeof *lines->texts);
	}
	lines->texts[lines->count++] = xmemdup(text, len);
}

static void lines_finish(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		mem_free(lines->texts[i]);
	mem_free(lines->texts);
	*lines = (struct lines){0};
}

static bool on_block(void *data, const struct tail_block *block)
{
	struct place *place = data;
	const char *end = block->text + block->len;
	place->cut += (block->flags & TAIL_CUT) != 0;
	place->partial += (block->flags & TAIL_PARTIAL) != 0;
	for (const char *at = block->text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline != NULL ? newline : end;
		size_t len = (size_t)(stop - at);
		if (newline != NULL && len > 0 && at[len - 1] == '\r')
			len--;
		lines_add(&place->told, at, len);
		at = newline != NULL ? newline + 1 : end;
	}
	return true;
}

static void on_changed(void *data, enum tail_change change)
{
	((struct place *)data)->changes[change]++;
}

static void on_partial(void *data, const struct tail_block *block)
{
	(void)block;
	((struct place *)data)->shown++;
}

static void on_looked(void *data)
{
	(void)data;
}

static const struct tail_loop_handlers handlers = {
    .block = on_block, .changed = on_changed, .partial = on_partial, .looked = on_looked};

static void on_tick(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	(void)data;
}

void place_open(struct place *place, enum place_mode mode)
{
	static const struct timeval tick = {.tv_usec = 5000};
	*place = (struct place){.mode = mode};
	snprintf(place->dir, sizeof place->dir, "%s/muxbus-follow-XXXXXX",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	place->base = event_base_new();
	if (!mkdtemp(place->dir) || place->base == NULL)
		abort();
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "log"));
	place->tick = event_new(place->base, -1, EV_PERSIST, on_tick, NULL);
	event_add(place->tick, &tick);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	(void)remove(path);
	return 0;
}

static void place_stop(struct place *place)
{
	tail_loop_free(place->tail_loop);
	tail_loop_set_free(place->set);
	place->tail_loop = NULL;
	place->set = NULL;
}

void place_close(struct place *place)
{
	place_stop(place);
	event_free(place->tick);
	event_base_free(place->base);
	lines_finish(&place->written);
	lines_finish(&place->told);
	(void)nftw(place->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void place_start(struct place *place, const struct tail_place *places, size_t count)
{
	const struct tail_loop_options options = {
	    .is_polling = place->mode == PLACE_POLL, .poll_ms = POLL_MS};
	place->set = tail_loop_set_new(place->base, &options);
	place->tail_loop = tail_loop_new(place->set, place->path, places, count, &handlers, place);
}

void place_follow(struct place *place)
{
	place_start(place, NULL, 0);
}

void place_restart(struct place *place)
{
	struct tail_place places[TAIL_PLACES_MAX];
	size_t count = tail_places(tail_loop_tail(place->tail_loop), places);
	place_stop(place);
	place_start(place, places, count);
}

const char *place_at(const struct place *place, const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	if (snprintf(path, PATH_MAX, "%s/%s", place->dir, name) >= PATH_MAX)
		abort();
	return path;
}

void place_expect(struct place *place, const char *text)
{
	lines_add(&place->written, text, strlen(text));
}

void place_put(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = write(fd, at, len);
		if (n < 0) {
			diag("write: %s", strerror(errno));
			abort();
		}
		at += n;
		len -= (size_t)n;
	}
}

int place_open_file(struct place *place, const char *name, int flags)
{
	int fd = open(place_at(place, name), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		diag("%s: %s", name, strerror(errno));
		abort();
	}
	return fd;
}

void place_say(struct place *place, int fd, const char *text)
{
	char line[8192];
	int len = snprintf(line, sizeof line, "%s\n", text);
	place_put(fd, line, (size_t)len);
	place_expect(place, text);
}

void place_add(struct place *place, const char *name, const char *text)
{
	int fd = place_open_file(place, name, O_APPEND);
	place_say(place, fd, text);
	close(fd);
}

void place_move(const struct place *place, const char *from, const char *to)
{
	if (rename(place_at(place, from), place_at(place, to)) < 0) {
		diag("rename %s %s: %s", from, to, strerror(errno));
		abort();
	}
}

bool place_until(struct place *place, const size_t *number, size_t least)
{
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	while (*number < least && clock_mono_ms() < end_ms)
		event_base_loop(place->base, EVLOOP_ONCE);
	return *number >= least;
}

bool place_turn(struct place *place)
{
	bool is_there = place_until(place, &place->told.count, place->written.count);
	place->is_late |= !is_there;
	/* Events without lines are recorded too: one whole look at the path. */
	tail_loop_set_look(place->set);
	event_base_loop(place->base, EVLOOP_ONCE);
	if (place->mode == PLACE_RESTART)
		place_restart(place);
	return is_there;
}

void place_run(struct place *place, int64_t ms)
{
	int64_t end_ms = clock_mono_ms() + ms;
	while (clock_mono_ms() < end_ms)
		event_base_loop(place->base, EVLOOP_ONCE);
}

static int by_text(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static char **sorted(const struct lines *lines)
{
	char **texts = xalloc((lines->count + 1) * sizeof *texts);
	if (lines->count > 0)
		memcpy(texts, lines->texts, lines->count * sizeof *texts);
	qsort(texts, lines->count, sizeof *texts, by_text);
	return texts;
}

static void show(const char *what, const char *text, size_t number)
{
	if (number < 5)
		diag("%s: %.60s", what, text);
}

bool place_agrees(const struct place *place, size_t *ret_missing, size_t *ret_invented)
{
	char **written = sorted(&place->written);
	char **told = sorted(&place->told);
	size_t i = 0, j = 0;
	*ret_missing = 0;
	*ret_invented = 0;
	while (i < place->written.count || j < place->told.count) {
		int order = i == place->written.count ? 1
		    : j == place->told.count          ? -1
						      : strcmp(written[i], told[j]);
		if (order < 0)
			show("missed", written[i], (*ret_missing)++);
		if (order > 0)
			show("invented", told[j], (*ret_invented)++);
		i += order <= 0;
		j += order >= 0;
	}
	mem_free(written);
	mem_free(told);
	return *ret_missing == 0 && *ret_invented == 0;
}

void place_add_old(struct place *place, const char *name)
{
	int fd = place_open_file(place, name, O_APPEND);
	place_put(fd, "an old line\n", 12);
	close(fd);
}

void place_begin(struct place *place)
{
	place_add_old(place, "log");
	place_follow(place);
}

static void run_scenario(const struct scenario *scenario, enum place_mode mode)
{
	struct place place;
	size_t missing, invented;
	bool agrees, is_in_time;
	place_open(&place, mode);
	scenario->run(&place);
	is_in_time =
	    place.tail_loop == NULL || place_until(&place, &place.told.count, place.written.count);
	if (place.tail_loop != NULL)
		place_run(&place, 60); /* for lines that may be reported twice */
	agrees = place_agrees(&place, &missing, &invented);
	ok(is_in_time && agrees && !place.is_late, "%s: %s: %zu lines, %zu missed, %zu invented",
	    place_mode_names[mode], scenario->name, place.written.count, missing, invented);
	place_close(&place);
}

void place_run_all(const struct scenario *scenarios, size_t count, const char *only)
{
	for (int mode = 0; mode < PLACE_MODE_COUNT_; mode++) {
		for (size_t i = 0; i < count; i++) {
			if (strstr(scenarios[i].name, only))
				run_scenario(&scenarios[i], (enum place_mode)mode);
		}
	}
}
