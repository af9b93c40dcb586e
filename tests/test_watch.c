/* SPDX-License-Identifier: ISC */
/* Watches through the queue: their reports, each of them once, and over restarts. */
#include "daemon/watch/watch.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <ftw.h>
#include <muxbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "tap.h"
#include "torn_disk.h"

#define BOUND_MS 10000

struct world {
	struct torn_disk disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct watch_set *watches;
	struct boot_clock clock;
	int64_t boot_ms; /* clock that the test advances */
	int64_t real_ms; /* by how much the wall clock was set */
	int64_t alarm_ms;
	struct event_base *base;
	struct event *tick;
	bool is_polling;
	char dir[64];
};

static int64_t world_boot_ms(void *data)
{
	return ((struct world *)data)->boot_ms;
}

static int64_t world_real_ms(void *data)
{
	const struct world *world = data;
	return 1800000000000 + world->real_ms + world->boot_ms;
}

static void world_arm(void *data, int64_t boot_ms)
{
	((struct world *)data)->alarm_ms = boot_ms;
}

static void world_load(struct world *world)
{
	const struct tail_loop_options options = {.is_polling = world->is_polling, .poll_ms = 20};
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	if (world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->watches = watch_set_new(world->base, world->queue, &world->clock, &options);
}

static void world_unload(struct world *world)
{
	watch_set_free(world->watches);
	queue_free(world->queue);
	store_close(world->store);
}

static void on_tick(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	(void)data;
}

static void world_open(struct world *world, bool is_polling)
{
	static const struct timeval tick = {.tv_usec = 5000};
	char reason[128];
	*world = (struct world){.is_polling = is_polling, .boot_ms = 5000};
	torn_disk_init(&world->disk, 7);
	world->clock = (struct boot_clock){
	    .boot_ms = world_boot_ms,
	    .real_ms = world_real_ms,
	    .arm = world_arm,
	    .boot_id = "first-start",
	    .data = world,
	};
	strcpy(world->dir, "/tmp/muxbus-watch-XXXXXX");
	world->base = event_base_new();
	world->tick = event_new(world->base, -1, EV_PERSIST, on_tick, NULL);
	event_add(world->tick, &tick);
	world->events = event_log_new(NULL, 1000, 1 << 22, reason, sizeof reason);
	if (!mkdtemp(world->dir))
		abort();
	world_load(world);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void world_finish(struct world *world)
{
	world_unload(world);
	event_log_free(world->events);
	torn_disk_finish(&world->disk);
	event_free(world->tick);
	event_base_free(world->base);
	(void)nftw(world->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Killed: the contents of memory are gone, written data stay. */
static void world_kill(struct world *world)
{
	struct torn_disk copy;
	torn_disk_copy(&copy, &world->disk);
	torn_disk_kill(&copy);
	world_unload(world);
	torn_disk_finish(&world->disk);
	world->disk = copy;
	world_load(world);
}

static const char *at(const struct world *world, const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", world->dir, name);
	return path;
}

static void append(const struct world *world, const char *name, const char *text)
{
	int fd = open(at(world, name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

static void run(struct world *world, int64_t ms)
{
	int64_t end_ms = clock_mono_ms() + ms;
	while (clock_mono_ms() < end_ms)
		event_base_loop(world->base, EVLOOP_ONCE);
}

static size_t count_notes(const struct world *world)
{
	const struct notification *note = NULL;
	size_t count = 0;
	while ((note = queue_next(world->queue, note)) != NULL)
		count++;
	return count;
}

/* Runs until there are so many notifications; returns the newest, or an empty one. */
static const struct notification *wait_notes(struct world *world, size_t count)
{
	static char empty[] = "";
	static const struct notification none = {.text = empty, .data = empty};
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	const struct notification *note;
	while (count_notes(world) < count && clock_mono_ms() < end_ms)
		event_base_loop(world->base, EVLOOP_ONCE);
	note = queue_find(world->queue, queue_last(world->queue));
	return note != NULL && count_notes(world) >= count ? note : &none;
}

static const struct pane_ref pane = {
    .pane = 3, .pane_pid = 70, .server_pid = 60, .server_start = 9};

static const struct watch *add(
    struct world *world, const char *name, const char *regex, bool on_change, bool is_staying)
{
	char reason[256] = "";
	const struct watch_order order = {
	    .file = at(world, name),
	    .regex = regex,
	    .on_change = on_change,
	    .is_staying = is_staying,
	    .timeout_ms = 60000,
	    .pane = &pane,
	};
	const struct watch *watch = watch_add(world->watches, &order, reason, sizeof reason);
	if (watch == NULL)
		diag("%s", reason);
	return watch;
}

static void has(const struct notification *note, const char *part)
{
	ok(strstr(note->data, part) != NULL, "the reason is %s", part);
	if (!strstr(note->data, part))
		diag("data: %s", note->data);
}

static void test_match(struct world *world)
{
	const struct notification *note;
	const struct watch *watch;
	char id[NOTIFICATION_ID_SIZE];
	append(world, "log", "an old ERROR 1\n");
	watch = add(world, "log", "(x)?ERROR (?<code>\\d+)(?:$| . here)", false, false);
	strcpy(id, watch->id);
	append(world, "log", "one\ntwo\nthree\nfour\nthe ERR");
	run(world, 30);
	is_int((int)count_notes(world), 0, "existing or other lines cause no wake-up");
	append(world, "log", "OR 42 \xff here\nERROR 43\n");
	note = wait_notes(world, 1);
	is_int(note->source, SOURCE_WATCH, "a match is reported");
	is_str(note->id, id, "under the watch's id");
	is_int((int)note->pane.pane, 3, "to its pane");
	ok(strstr(note->text, "ERROR") == NULL, "the text contains nothing of the file: %s",
	    note->text);
	has(note, "\"line\":\"the ERROR 42 \xef\xbf\xbd here\",\"lossy\":true");
	has(note, "\"offset\":34");
	has(note, "\"captures\":[null,\"42\"]");
	has(note, "\"named\":{\"code\":\"42\"}");
	has(note, "\"context\":[\"two\",\"three\",\"four\"]");
	has(note, "\"reason\":\"match\"");
	is_int((int)watch_count(world->watches), 0, "and it is over");
	append(world, "log", "ERROR 44\n");
	run(world, 50);
	is_int((int)count_notes(world), 1, "once");
}

static void test_change(struct world *world)
{
	(void)add(world, "log", NULL, false, false);
	append(world, "log", "");
	has(wait_notes(world, 1), "\"change\":\"appeared\"");
	(void)add(world, "log", NULL, false, false);
	append(world, "log", "half a");
	has(wait_notes(world, 2), "\"line\":\"half a\"");
	(void)add(world, "log", "never", true, false);
	unlink(at(world, "log"));
	has(wait_notes(world, 3), "\"change\":\"gone\"");
	append(world, "log", "some text\n");
	(void)add(world, "log", "never", true, false);
	if (truncate(at(world, "log"), 0) < 0)
		abort();
	has(wait_notes(world, 4), "\"change\":\"truncated\"");
	(void)add(world, "log", "e+", true, false);
	append(world, "log", "seen\n");
	has(wait_notes(world, 5), "\"reason\":\"match\"");
}

static void test_stay(struct world *world)
{
	const struct watch *watch = add(world, "log", "hit", false, true);
	int64_t end_ms;
	const struct notification *note;
	append(world, "log", "hit 1\n");
	note = wait_notes(world, 1);
	has(note, "\"ended\":false");
	append(world, "log", "hit 2\nhit 3\n");
	end_ms = clock_mono_ms() + BOUND_MS;
	while (watch->count < 3 && clock_mono_ms() < end_ms)
		event_base_loop(world->base, EVLOOP_ONCE);
	is_int((int)watch->count, 3, "a watch that stays continues");
	is_int((int)count_notes(world), 1, "an untaken match is one notification");
	is_int((int)note->count, 3, "that counts the lines");
	(void)queue_set_state(world->queue, note->seq, NOTE_ACKNOWLEDGED, NULL);
	append(world, "log", "hit 4\nhit 5\n");
	has(wait_notes(world, 2), "\"count\":2");
	/* Killed right after it: nothing is reported twice, nothing is lost. */
	world_kill(world);
	is_int((int)watch_count(world->watches), 1, "it outlives a kill");
	run(world, 60);
	is_int((int)count_notes(world), 2, "and repeats no report");
	note = queue_find(world->queue, queue_last(world->queue));
	(void)queue_set_state(world->queue, note->seq, NOTE_ACKNOWLEDGED, NULL);
	append(world, "log", "hit 6\n");
	has(wait_notes(world, 3), "\"line\":\"hit 6\"");
	ok(watch_cancel(world->watches, watch_next(world->watches, NULL)->id), "it is cancelled");
	note = wait_notes(world, 4);
	is_int(note->state, NOTE_CANCELLED, "and the cancelling is its terminal notification");
	ok(!watch_cancel(world->watches, "Z9Z9"), "a missing watch cannot be cancelled");
}

static void test_restart(struct world *world)
{
	append(world, "log", "before\n");
	(void)add(world, "log", "needle", false, false);
	(void)add(world, "absent", "needle", false, false);
	run(world, 30);
	world_kill(world);
	is_int((int)watch_count(world->watches), 2, "watches outlive a kill");
	world_unload(world);
	append(world, "log", "a needle\n");
	if (rename(at(world, "log"), at(world, "log.1")) < 0)
		abort();
	append(world, "log", "a new file\n");
	append(world, "absent", "the needle of one that was not there\n");
	world_load(world);
	(void)wait_notes(world, 2);
	is_int((int)count_notes(world), 2, "lines written meanwhile are found, rotated or new");
	is_int((int)watch_count(world->watches), 0, "and they are over");
	world_kill(world);
	run(world, 50);
	is_int((int)count_notes(world), 2, "for good");
}

/* Writes a file again, in place. */
static void write_again(const struct world *world, const char *name, const char *text)
{
	if (truncate(at(world, name), 0) < 0)
		abort();
	append(world, name, text);
}

/* A status file is written again while no daemon runs, and its end is the same, with more behind. */
static void test_written_again(struct world *world)
{
#define SAME "\nthe last bytes that a place remembers are those of a line of some length\n"
	append(world, "status", "waiting" SAME);
	append(world, "open", "without an end");
	(void)add(world, "status", "working", false, false);
	(void)add(world, "open", NULL, true, true);
	run(world, 60);
	world_kill(world);
	run(world, 60);
	is_int((int)count_notes(world), 0, "a file that stays as it was is not reported");
	world_unload(world);
	write_again(world, "status", "working" SAME "more\n");
	write_again(world, "open", "within the end");
	world_load(world);
	(void)wait_notes(world, 2);
	is_int((int)count_notes(world), 2, "one that is written again is");
}

/* Of a line that is too long the end is not looked at, and counted as such. */
static void test_long_line(struct world *world)
{
	static char line[TAIL_LINE_MAX + 100];
	memset(line, 'x', sizeof line - 1);
	append(world, "log", "");
	(void)add(world, "log", "needle", false, false);
	append(world, "log", line);
	append(world, "log", " needle\na needle\n");
	has(wait_notes(world, 1), "\"line\":\"a needle\"");
	has(wait_notes(world, 1), "\"cut_lines\":1");
}

/* A watch with an unreadable record ends as lost, once, and the others continue. */
static void test_unreadable(struct world *world)
{
	const struct notification *note;
	(void)add(world, "log", "needle", false, false);
	store_put(world->store, "watch/Z9Z9", "{\"file\":", 8);
	world_kill(world);
	note = queue_next(world->queue, NULL);
	ok(note != NULL, "an unreadable record is reported");
	if (note != NULL) {
		is_str(note->id, "Z9Z9", "by its id");
		is_str(note->data, "{\"reason\":\"lost\",\"record\":\"watch/Z9Z9\"}", "as lost");
	}
	ok(store_get(world->store, "watch/Z9Z9", NULL) == NULL, "and is removed");
	is_int((int)watch_count(world->watches), 1, "another watch continues");
	world_kill(world);
	is_int((int)count_notes(world), 1, "the loss is reported once");
}

static void test_timeout(struct world *world)
{
	(void)add(world, "log", "needle", false, false);
	(void)add(world, "other", "needle", false, false);
	is_int((int)(world->alarm_ms - world->boot_ms), 60000, "the alarm is set");
	append(world, "other", "needle\n");
	has(wait_notes(world, 1), "\"reason\":\"match\"");
	world->boot_ms += 59999;
	watch_ring(world->watches);
	is_int((int)count_notes(world), 1, "not before its time");
	world_kill(world);
	world->boot_ms += 1;
	/* A match at the instant of the timeout: one of the two is reported, and only one. */
	append(world, "log", "needle\n");
	watch_ring(world->watches);
	run(world, 60);
	is_int((int)count_notes(world), 2, "a timeout is reported");
	has(wait_notes(world, 2), "\"reason\":\"timeout\"");
	is_int((int)world->alarm_ms, -1, "no alarm is left");
}

static void test_set_clock(struct world *world)
{
	(void)add(world, "log", "needle", false, false);
	world->real_ms += 7200000;
	watch_ring(world->watches);
	world->clock.boot_id = "second-start";
	world->real_ms += world->boot_ms - 100;
	world->boot_ms = 100;
	world_kill(world);
	is_int(
	    (int)(world->alarm_ms - world->boot_ms), 60000, "the next boot has the clock as set");
	world->real_ms += 20000;
	watch_ring(world->watches);
	is_int((int)(world->alarm_ms - world->boot_ms), 40000, "and one that is set later counts");
	world->clock.boot_id = "first-start";
}

static void test_set_without(struct world *world)
{
	(void)add(world, "log", "needle", false, false);
	world->real_ms += 7200000;
	world_kill(world);
	world->clock.boot_id = "second-start";
	world_kill(world);
	is_int((int)(world->alarm_ms - world->boot_ms), 60000,
	    "a clock that was set while no daemon ran counts in the next boot");
	world->clock.boot_id = "first-start";
}

static void test_partial(struct world *world)
{
	const struct watch *watch;
	const struct notification *note;
	(void)add(world, "log", "Proceed\\?", false, false);
	append(world, "log", "Proceed?");
	note = wait_notes(world, 1);
	has(note, "\"partial\":true");
	watch = add(world, "log", "hit", false, true);
	append(world, "log", "\nhit");
	(void)wait_notes(world, 2);
	append(world, "log", " and its end\nmiss\n");
	run(world, 60);
	is_int((int)watch->count, 1, "a line shown before its end is reported once");
}

static void test_hostile(struct world *world)
{
	char text[16 * 80] = "";
	char reason[256] = "";
	struct watch_order order;
	int64_t start_ms;
	(void)add(world, "log", "^(a+)+$", false, false);
	for (int i = 0; i < 12; i++)
		strcat(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
	start_ms = clock_mono_ms();
	append(world, "log", text);
	has(wait_notes(world, 1), "\"reason\":\"error\"");
	ok(clock_mono_ms() - start_ms < 2000, "a pattern that takes too long ends, and soon");
	order = (struct watch_order){
	    .file = at(world, "log"), .regex = "(", .timeout_ms = 1, .pane = &pane};
	ok(watch_add(world->watches, &order, reason, sizeof reason) == NULL && errno == EINVAL,
	    "an invalid pattern is refused: %s", reason);
	is_int((int)watch_count(world->watches), 0, "and leaves nothing");
}

/* A look with a match, and then so many lines at the limit that the watch ends. */
static void test_hostile_stay(struct world *world)
{
	char text[16 * 80] = "aaa\n";
	for (int i = 0; i < WATCH_LIMITS_MAX; i++)
		strcat(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
	(void)add(world, "log", "^(a+)+$", false, true);
	append(world, "log", text);
	has(wait_notes(world, 2), "\"reason\":\"error\"");
	has(queue_next(world->queue, NULL), "\"reason\":\"match\"");
	is_int((int)watch_count(world->watches), 0, "a watch that stays ends too");
}

/* How many files and directories this process watches by inotify: proc(5). */
static unsigned count_inotify_watches(void)
{
	unsigned count = 0;
	for (int fd = 0; fd < 256; fd++) {
		char path[64], line[512];
		FILE *info;
		snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
		info = fopen(path, "re");
		while (info != NULL && fgets(line, sizeof line, info) != NULL)
			count += strncmp(line, "inotify wd:", 11) == 0;
		if (info != NULL)
			fclose(info);
	}
	return count;
}

static void test_many(struct world *world)
{
	unsigned watches;
	char name[32];
	char reason[256] = "";
	struct watch_order order;
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "log%d", i);
		(void)add(world, name, "x", false, false);
	}
	for (int i = 0; i < 50; i++)
		(void)add(world, "log", "x", false, false);
	watches = count_inotify_watches();
	/* The root, /tmp, and the directory. */
	ok(watches <= 3, "500 watches share those of their directory: %u", watches);
	for (int i = 0; i < 500; i += 50) {
		snprintf(name, sizeof name, "log%d", i);
		append(world, name, "x\n");
	}
	append(world, "log", "x\n");
	(void)wait_notes(world, 60);
	is_int((int)count_notes(world), 60, "and each matching watch is reported");
	order = (struct watch_order){.file = at(world, "more"), .timeout_ms = 1000, .pane = &pane};
	while (watch_count(world->watches) < WATCHES_MAX)
		(void)add(world, "more", NULL, false, false);
	ok(watch_add(world->watches, &order, reason, sizeof reason) == NULL && errno == ENOSPC,
	    "there is a limit: %s", reason);
}

static void test_kernel_file(struct world *world)
{
	const struct watch_order order = {
	    .file = "/proc/uptime", .timeout_ms = 60000, .pane = &pane};
	char reason[256];
	const struct watch *watch = watch_add(world->watches, &order, reason, sizeof reason);
	ok(tail_loop_poll_reason(tail_listener_loop(&watch->listener)) != NULL,
	    "files of the kernel are polled: %s",
	    tail_loop_poll_reason(tail_listener_loop(&watch->listener)));
	has(wait_notes(world, 1), "\"mode\":\"poll\"");
}

static const struct {
	const char *name;
	void (*run)(struct world *world);
} tests[] = {
    {"a match", test_match},
    {"changes", test_change},
    {"one that stays", test_stay},
    {"restarts", test_restart},
    {"written again", test_written_again},
    {"records that cannot be read", test_unreadable},
    {"a line that is too long", test_long_line},
    {"time-outs", test_timeout},
    {"a clock that is set", test_set_clock},
    {"a clock that is set without a daemon", test_set_without},
    {"lines without end", test_partial},
    {"hostile patterns", test_hostile},
    {"hostile patterns of one that stays", test_hostile_stay},
    {"many", test_many},
    {"files of the kernel", test_kernel_file},
};

int main(void)
{
	for (int is_polling = 0; is_polling < 2; is_polling++) {
		for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
			struct world world;
			diag("%s%s", tests[i].name, is_polling ? ", polling" : "");
			world_open(&world, is_polling);
			tests[i].run(&world);
			world_finish(&world);
		}
	}
	return done_testing();
}
