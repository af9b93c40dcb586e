/* SPDX-License-Identifier: ISC */
/*
 * kill -9 of muxbusd at random instants under load: posts, jobs that end, fifty of them together,
 * timers, a log that is written and rotated, an agent's pane that is typed into, and three
 * consumers that take and acknowledge. Every promise of the daemon must hold after each restart:
 * every notification is seen by every consumer, in order; every job has its exit status, and every
 * job and timer exactly one notification; every matching line of the log is reported once to each
 * consumer, and no line that was not written; and no notice is submitted more often than its
 * receipt admits, nor fused with another.
 *
 * MUXBUS_TORTURE gives the number of kills; `make torture` does 200, `make check` a few.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum {
	KILLS = 8, /* unless MUXBUS_TORTURE says otherwise */
	CONSUMERS = 3,
	POSTS_MAX = 40000,
	REQUESTS_MAX = 8000,
	SETTLE_MS = 60000,
	TOGETHER = 50, /* jobs that end in the same instant */
	LINES_MAX = 2000000, /* of the log */
	TYPED_MAX = 3, /* notices that are under way to the agent */
};

static const char arguments[] = "-o deliver_quiet_ms=50";

/* A request that the daemon accepted, and its required outcome. */
struct accepted {
	char id[8];
	int exit_code; /* -1: a timer */
	unsigned notes;
	bool is_right;
};

/* One consumer, as it sees the queue. */
struct reader {
	char name[8];
	uint8_t *seen; /* by number */
	int64_t newest;
	int64_t last; /* of the last hand-out: to acknowledge */
	unsigned inversions;
	uint8_t *lines; /* how often each line of the log was reported */
	unsigned invented; /* reported, but never written */
};

/* A notification for the agent's pane. */
struct typed {
	char id[8];
	int64_t seq;
};

/* The outcomes of these notifications. */
struct typing {
	unsigned notices, again, more_than_said, lost, fused, unsure, kills;
};

struct world {
	struct live *live;
	struct talk *talk;
	int64_t posts[POSTS_MAX]; /* numbers that were answered for */
	size_t post_count;
	struct accepted requests[REQUESTS_MAX];
	size_t request_count;
	struct reader readers[CONSUMERS];
	uint64_t random;
	unsigned kills;
	char log_path[80];
	int log_fd;
	int64_t lines; /* written that match */
	unsigned rotations;
	char gate_path[80];
	unsigned gates;
	char *pane; /* of the agent */
	struct typing typing;
};

enum { SEEN_MAX = 200 * 1000 * 1000 }; /* numbers skip ahead at each kill */

static unsigned pick(struct world *world, unsigned below)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (unsigned)(world->random % below);
}

static void post(struct world *world)
{
	const struct json *answer = talk_call(
	    world->talk, "post_notification", "{\"text\":\"post %zu\"}", world->post_count);
	if (at_true(answer, "result.durable") && world->post_count < POSTS_MAX)
		world->posts[world->post_count++] = at_int(answer, "result.seq");
}

static void note_request(struct world *world, const struct json *answer, int exit_code)
{
	const char *id = at_str(answer, "result.id");
	struct accepted *request = &world->requests[world->request_count];
	if (id == NULL || world->request_count == REQUESTS_MAX)
		return;
	snprintf(request->id, sizeof request->id, "%s", id);
	request->exit_code = exit_code;
	world->request_count++;
}

static void start_job(struct world *world)
{
	int exit_code = (int)pick(world, 100);
	note_request(world,
	    talk_call(world->talk, "run_long_command", "{\"command\":\"sleep 0.0%u; exit %d\"}",
		pick(world, 10), exit_code),
	    exit_code);
}

static void start_timer(struct world *world)
{
	note_request(world,
	    talk_call(world->talk, "sleep", "{\"seconds\":0.%03u}", 1 + pick(world, 300)), -1);
}

/* The log. */

static void open_log(struct world *world)
{
	world->log_fd = open(world->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (world->log_fd < 0)
		live_bail("the log cannot be opened");
}

/* Some lines, in pieces; the oracle is their number. */
static void write_log(struct world *world)
{
	char text[1024];
	size_t len = 0, cut;
	for (unsigned at = 0; at < 1 + pick(world, 6) && world->lines < LINES_MAX - 1; at++) {
		if (pick(world, 3) == 0)
			len += (size_t)snprintf(
			    text + len, sizeof text - len, "noise ERR %u\n", pick(world, 1000));
		else
			len += (size_t)snprintf(
			    text + len, sizeof text - len, "ERR %lld\n", (long long)++world->lines);
	}
	cut = pick(world, (unsigned)len + 1);
	if (write(world->log_fd, text, cut) < 0 || write(world->log_fd, text + cut, len - cut) < 0)
		live_bail("the log cannot be written");
}

static void rotate_log(struct world *world)
{
	char *older = xasprintf("%s.%u", world->log_path, ++world->rotations);
	(void)close(world->log_fd);
	(void)rename(world->log_path, older);
	mem_free(older);
	open_log(world);
}

static void watch_log(struct world *world)
{
	const struct json *answer = talk_call(world->talk, "watch_log",
	    "{\"file_path\":\"%s\",\"regex\":\"^ERR (\\\\d+)$\",\"once\":false,"
	    "\"timeout_sec\":86400}",
	    world->log_path);
	if (at_str(answer, "result.id") == NULL)
		live_bail("the log is not watched: %s", talk_text(world->talk));
}

/* A notification of the watch covers so many lines, from its quoted line on. */
static void count_lines(struct world *world, struct reader *reader, const struct json *note)
{
	const char *line = at_str(note, "data.line");
	int64_t count = at_int(note, "count");
	int64_t first = line != NULL && strncmp(line, "ERR ", 4) == 0 ? atoll(line + 4) : 0;
	for (int64_t at = first; at < first + (count > 0 ? count : 1); at++) {
		if (at <= 0 || at > world->lines)
			reader->invented++;
		else if (reader->lines[at] < UINT8_MAX)
			reader->lines[at]++;
	}
}

/* Jobs that end together. */

/* Every process that waits at the gate continues, also a process that has only just arrived. */
static void open_gate(const struct world *world)
{
	int fd = open(world->gate_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		(void)close(fd);
}

static void start_together(struct world *world)
{
	int fd = open(world->gate_path, O_RDWR | O_CLOEXEC); /* closed: no process passes */
	for (unsigned at = 0; at < TOGETHER; at++) {
		int exit_code = (int)pick(world, 100);
		note_request(world,
		    talk_call(world->talk, "run_long_command",
			"{\"command\":\"read x <%s; exit %d\"}", world->gate_path, exit_code),
		    exit_code);
	}
	(void)close(fd);
	world->gates++;
}

/* Consumers. */

/*
 * Counts a notification for the request that it ends. Ids are used again once all their requests
 * are forgotten: the first request without a notification is meant.
 */
static void count_note(struct world *world, const struct json *note)
{
	const char *id = at_str(note, "id"), *source = at_str(note, "source");
	struct accepted *meant = NULL;
	if (id == NULL || source == NULL || strcmp(source, "post") == 0)
		return; /* posts bear ids too */
	for (size_t place = 0; place < world->request_count; place++) {
		struct accepted *request = &world->requests[place];
		if (strcmp(request->id, id) != 0)
			continue;
		meant = request;
		if (request->notes == 0)
			break;
	}
	if (meant == NULL)
		return; /* of a request whose answer was lost */
	meant->notes++;
	meant->is_right = meant->exit_code < 0 ? source != NULL && strcmp(source, "timer") == 0
					       : at_int(note, "data.exit_code") == meant->exit_code;
}

/* One consumer takes the available notifications, and acknowledges most of its earlier ones. */
static size_t read_some(struct world *world, struct reader *reader)
{
	const struct json *answer = reader->last > 0
	    ? talk_call(world->talk, "next_notification",
		  "{\"consumer\":\"%s\",\"timeout_sec\":0,\"limit\":50,\"ack_up_to\":%lld}",
		  reader->name, (long long)reader->last)
	    : talk_call(world->talk, "next_notification",
		  "{\"consumer\":\"%s\",\"timeout_sec\":0,\"limit\":50}", reader->name);
	const struct json *notes = at(answer, "result.notifications");
	size_t count = 0;
	for (const struct json *note = notes != NULL ? notes->child : NULL; note != NULL;
	     note = note->next) {
		int64_t seq = at_int(note, "seq");
		count++;
		if (seq <= 0 || seq >= SEEN_MAX)
			continue;
		if (!reader->seen[seq] && seq < reader->newest)
			reader->inversions++;
		if (!reader->seen[seq] && reader == &world->readers[0])
			count_note(world, note);
		if (!reader->seen[seq] && at_str(note, "source") != NULL &&
		    strcmp(at_str(note, "source"), "watch") == 0)
			count_lines(world, reader, note);
		reader->seen[seq] = 1;
		if (seq > reader->newest)
			reader->newest = seq;
		reader->last = seq;
	}
	return count;
}

static void work(struct world *world)
{
	static void (*const things[])(struct world *) = {
	    post, post, post, start_job, start_timer, write_log};

	switch (pick(world, 3)) {
	case 0:
	case 1:
		things[pick(world, 6)](world);
		break;
	default:
		(void)read_some(world, &world->readers[pick(world, CONSUMERS)]);
		break;
	}
}

/* kill -9 and restart. The log grows meanwhile. */
static void kill_daemon(struct world *world)
{
	(void)live_stop_daemon(world->live, SIGKILL);
	talk_free(world->talk);
	if (pick(world, 2) == 0)
		write_log(world);
	if (pick(world, 4) == 0)
		rotate_log(world);
	if (pick(world, 2) == 0)
		write_log(world);
	live_start_daemon(world->live, arguments);
	world->talk = talk_new(world->live);
	if (world->talk == NULL)
		live_bail("muxbusd ended: %s", live_daemon_log(world->live));
	for (size_t at = 0; at < CONSUMERS; at++)
		world->readers[at].last = 0; /* handed out, perhaps not acknowledged */
}

/* Works for a while, leaves requests under way, and kills the daemon in the middle of them. */
static void round_of_work(struct world *world)
{
	int64_t end_ms = live_now_ms() + 5 + pick(world, 150);
	bool is_together = pick(world, 25) == 0 || world->gates == 0;
	while (live_now_ms() < end_ms)
		work(world);
	if (is_together)
		start_together(world);
	for (unsigned at = 0; at < 1 + pick(world, 20); at++)
		(void)talk_send(world->talk,
		    "{\"method\":\"post_notification\",\"params\":{\"text\":\"unanswered\"}}");
	write_log(world);
	if (is_together)
		usleep(pick(world, 30000)); /* they are about to end, or do */
	else if (pick(world, 2) == 0)
		usleep(pick(world, 3000)); /* any instant will do: this one is within the burst */
	kill_daemon(world);
}

/* The agent. */

static void start_agent(struct world *world)
{
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	int64_t end_ms = live_now_ms() + 2 * LIVE_TIMEOUT_MS;
	(void)live_run(world->live, ": > typed.log");
	world->pane = xstrdup(live_tmux(world->live,
	    "new-window -dP -F '#{pane_id}' 'exec %s/tests/fake_agent %s/typed.log'", dir,
	    world->live->dir));
	while (strchr(live_tmux(world->live, "capture-pane -p -t %s", world->pane), '>') == NULL) {
		if (live_now_ms() > end_ms)
			live_bail("the fake agent draws no prompt");
		live_sleep_ms(10);
	}
}

/* How often the agent got a notice with this id. */
static unsigned submitted(struct world *world, const char *id)
{
	return (unsigned)atoi(live_run(world->live, "grep -c -F -- '%s' typed.log", id));
}

/* The notification as the queue has it, once its delivery has come to an end. */
static const struct json *delivered(struct world *world, const struct typed *typed)
{
	int64_t end_ms = live_now_ms() + SETTLE_MS;
	while (live_now_ms() < end_ms) {
		const struct json *answer = talk_call(world->talk, "list_notifications",
		    "{\"after\":%lld,\"limit\":1}", (long long)typed->seq - 1);
		const struct json *note = at(answer, "result.notifications.0");
		const char *state = at_str(note, "state");
		if (at_int(note, "seq") == typed->seq && state != NULL &&
		    (strcmp(state, "delivered") == 0 || strcmp(state, "failed") == 0))
			return note;
		live_sleep_ms(20);
	}
	return NULL;
}

static void judge_typed(struct world *world, const struct typed *typed)
{
	struct typing *typing = &world->typing;
	unsigned times = submitted(world, typed->id);
	const struct json *note = delivered(world, typed);
	const char *result = at_str(note, "delivery.result");
	int64_t before = at_int(note, "delivery.typed_before");
	times = submitted(world, typed->id);
	typing->notices++;
	typing->again += times > 1;
	typing->unsure += result != NULL && strcmp(result, "typed") == 0;
	if (result == NULL || (strcmp(result, "submitted") == 0 && times == 0))
		typing->lost++;
	if (times > 1 + (before > 0 ? (unsigned)before : 0))
		typing->more_than_said++;
	if (result == NULL || strcmp(result, "submitted") != 0 ||
	    times > 1 + (before > 0 ? (unsigned)before : 0))
		diag("%s was submitted %u times: %s", typed->id, times, talk_text(world->talk));
}

/*
 * A few notices for the agent, and kills while they are typed. No consumer reads the queue
 * meanwhile, because acknowledged notifications need not be typed.
 */
static unsigned round_of_typing(struct world *world, unsigned kills_left)
{
	struct typed typed[TYPED_MAX];
	unsigned count = 1 + pick(world, TYPED_MAX), kills = 1 + pick(world, 3);
	if (kills > kills_left)
		kills = kills_left;
	for (unsigned i = 0; i < count; i++) {
		const struct json *answer = talk_call(world->talk, "post_notification",
		    "{\"pane\":\"%s\",\"text\":\"to be typed\"}", world->pane);
		if (at_str(answer, "result.id") == NULL)
			live_bail("nothing was posted: %s", talk_text(world->talk));
		snprintf(typed[i].id, sizeof typed[i].id, "%s", at_str(answer, "result.id"));
		typed[i].seq = at_int(answer, "result.seq");
	}
	for (unsigned i = 0; i < kills; i++) {
		write_log(world);
		start_timer(world);
		usleep(pick(world, 700000));
		kill_daemon(world);
	}
	for (unsigned i = 0; i < count; i++)
		judge_typed(world, &typed[i]);
	world->typing.kills += kills;
	return kills;
}

static void judge_typing(struct world *world)
{
	struct typing *typing = &world->typing;
	typing->fused =
	    (unsigned)atoi(live_run(world->live, "grep -c 'muxbus.*muxbus' typed.log")) +
	    (unsigned)atoi(
		live_run(world->live, "grep -c -v '^[0-9]* .muxbus [A-Z0-9]* ' typed.log"));
	is_int(typing->lost, 0,
	    "%u notices for the agent, %u kills while they were typed: none lost", typing->notices,
	    typing->kills);
	is_int(typing->more_than_said, 0, "none submitted more often than its receipt admits");
	diag("%u of them were submitted more than once", typing->again);
	is_int(typing->fused, 0, "none fused with another text");
	is_int(typing->unsure, 0, "none with an unknown outcome");
}

/* Waits until nothing runs any more. */
static bool settle(struct world *world)
{
	int64_t end_ms = live_now_ms() + SETTLE_MS;
	while (live_now_ms() < end_ms) {
		const struct json *answer = talk_call(world->talk, "status", NULL);
		if (at_int(answer, "result.jobs") == 0 && at_int(answer, "result.timers") == 0)
			return true;
		open_gate(world);
		live_sleep_ms(20);
	}
	return false;
}

static void judge_requests(struct world *world)
{
	unsigned missing = 0, doubled = 0, wrong = 0, shown = 0;
	for (size_t place = 0; place < world->request_count; place++) {
		const struct accepted *request = &world->requests[place];
		missing += request->notes == 0;
		doubled += request->notes > 1;
		wrong += request->notes > 0 && !request->is_right;
		if ((request->notes != 1 || !request->is_right) && shown++ < 10)
			diag("%s: %u notifications, exit code %d", request->id, request->notes,
			    request->exit_code);
	}
	is_int(
	    missing, 0, "%zu jobs and timers: none without its notification", world->request_count);
	is_int(doubled, 0, "none with two");
	is_int(wrong, 0, "none with another exit status");
}

static void judge_lines(const struct world *world, const struct reader *reader)
{
	unsigned missed = 0, doubled = 0;
	for (int64_t at = 1; at <= world->lines; at++) {
		missed += reader->lines[at] == 0;
		doubled += reader->lines[at] > 1;
		if (reader->lines[at] != 1)
			diag("line %lld: reported %d times", (long long)at, (int)reader->lines[at]);
	}
	is_int(missed, 0, "all %lld matching lines of the log were reported, through %u rotations",
	    (long long)world->lines, world->rotations);
	is_int(doubled, 0, "none twice");
	is_int(reader->invented, 0, "and no line that was not written");
}

/* Whether one consumer has received all lines of the log. */
static bool has_all_lines(struct world *world, struct reader *reader)
{
	(void)read_some(world, reader);
	return reader->lines[world->lines] > 0;
}

static void judge_readers(struct world *world)
{
	int64_t end_ms = live_now_ms() + SETTLE_MS;
	while (!has_all_lines(world, &world->readers[0]) && live_now_ms() < end_ms)
		live_sleep_ms(20);

	for (size_t at = 0; at < CONSUMERS; at++) {
		struct reader *reader = &world->readers[at];
		unsigned missed = 0;
		while (read_some(world, reader) > 0)
			continue;
		for (size_t place = 0; place < world->post_count; place++)
			missed += !reader->seen[world->posts[place]];
		is_int(missed, 0, "%s has seen all %zu answered posts", reader->name,
		    world->post_count);
		is_int(reader->inversions, 0, "each first in order");
		judge_lines(world, reader);
	}
}

int main(void)
{
	static struct world world;
	const char *wanted = getenv("MUXBUS_TORTURE");
	const char *seed = getenv("MUXBUS_SEED");
	world.kills = wanted != NULL ? (unsigned)atoi(wanted) : KILLS;
	world.random = seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)live_now_ns() | 1;
	diag("%u kills, MUXBUS_SEED=%llu", world.kills, (unsigned long long)world.random);
	world.live = live_start(NULL, "exec sleep 3600");
	(void)live_stop_daemon(world.live, SIGTERM);
	live_start_daemon(world.live, arguments);
	world.talk = talk_new(world.live);
	for (size_t at = 0; at < CONSUMERS; at++) {
		snprintf(world.readers[at].name, sizeof world.readers[at].name, "c%zu", at);
		/* Pages come as they are touched. */
		world.readers[at].seen = xcalloc(SEEN_MAX, 1);
		world.readers[at].lines = xcalloc(LINES_MAX, 1);
	}
	snprintf(world.log_path, sizeof world.log_path, "%s/app.log", world.live->dir);
	snprintf(world.gate_path, sizeof world.gate_path, "%s/gate", world.live->dir);
	(void)mkfifo(world.gate_path, 0600);
	watch_log(&world);
	open_log(&world);
	start_agent(&world);
	for (unsigned kills = 0; kills < world.kills;) {
		if (pick(&world, 4) > 0 || kills == 0) {
			round_of_work(&world);
			kills++;
		} else {
			kills += round_of_typing(&world, world.kills - kills);
		}
	}
	ok(settle(&world), "after %u kills all jobs and timers end", world.kills);
	judge_readers(&world);
	judge_requests(&world);
	judge_typing(&world);
	talk_free(world.talk);
	live_free(world.live);
	for (size_t at = 0; at < CONSUMERS; at++) {
		mem_free(world.readers[at].seen);
		mem_free(world.readers[at].lines);
	}
	mem_free(world.pane);
	return done_testing();
}
