/* SPDX-License-Identifier: ISC */
/*
 * kill -9 of muxbusd at random instants under load: posts, jobs that end, timers, and three
 * consumers that take and acknowledge. What the daemon had answered for must be there after
 * each restart: every notification is seen by every consumer, in order; every job has its
 * exit status, and every job and timer exactly one notification.
 *
 * MUXBUS_TORTURE says how many kills; `make torture` does 200, `make check` a few.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "harness.h"

enum {
	KILLS = 8, /* unless MUXBUS_TORTURE says otherwise */
	CONSUMERS = 3,
	POSTS_MAX = 40000,
	REQUESTS_MAX = 8000,
	SETTLE_MS = 60000,
};

/* A request that the daemon accepted, and what must come of it. */
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

/*
 * Counts a notification for the request that it ends. Ids are used again once all that bore
 * them is forgotten: the first that lacks one is meant.
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

/* One consumer takes what there is, and acknowledges most of what it took before. */
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
		reader->seen[seq] = 1;
		if (seq > reader->newest)
			reader->newest = seq;
		reader->last = seq;
	}
	return count;
}

static void work(struct world *world)
{
	static void (*const things[])(struct world *) = {post, post, post, start_job, start_timer};

	switch (pick(world, 3)) {
	case 0:
	case 1:
		things[pick(world, 5)](world);
		break;
	default:
		(void)read_some(world, &world->readers[pick(world, CONSUMERS)]);
		break;
	}
}

/* Works for a while, leaves requests under way, and kills the daemon in their midst. */
static void round_of_work(struct world *world)
{
	int64_t end_ms = live_now_ms() + 5 + pick(world, 150);

	while (live_now_ms() < end_ms)
		work(world);
	for (unsigned at = 0; at < 1 + pick(world, 20); at++)
		(void)talk_send(world->talk,
		    "{\"method\":\"post_notification\",\"params\":{\"text\":\"unanswered\"}}");
	if (pick(world, 2) == 0)
		usleep(pick(world, 3000)); /* any instant will do: this one is within the burst */
	(void)live_stop_daemon(world->live, SIGKILL);
	talk_free(world->talk);
	live_start_daemon(world->live, NULL);
	world->talk = talk_new(world->live);
	for (size_t at = 0; at < CONSUMERS; at++)
		world->readers[at].last = 0; /* what was handed out was perhaps not acknowledged */
}

/* Waits until nothing runs any more. */
static bool settle(struct world *world)
{
	int64_t end_ms = live_now_ms() + SETTLE_MS;

	while (live_now_ms() < end_ms) {
		const struct json *answer = talk_call(world->talk, "status", NULL);

		if (at_int(answer, "result.jobs") == 0 && at_int(answer, "result.timers") == 0)
			return true;
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

static void judge_readers(struct world *world)
{
	for (size_t at = 0; at < CONSUMERS; at++) {
		struct reader *reader = &world->readers[at];
		unsigned missed = 0;

		while (read_some(world, reader) > 0)
			continue;
		for (size_t place = 0; place < world->post_count; place++)
			missed += !reader->seen[world->posts[place]];
		is_int(missed, 0, "%s has seen all %zu posts that were answered for", reader->name,
		    world->post_count);
		is_int(reader->inversions, 0, "for the first time in order");
	}
}

int main(void)
{
	static struct world world;
	const char *kills = getenv("MUXBUS_TORTURE");
	const char *seed = getenv("MUXBUS_SEED");

	world.kills = kills != NULL ? (unsigned)atoi(kills) : KILLS;
	world.random = seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)live_now_ns() | 1;
	diag("%u kills, MUXBUS_SEED=%llu", world.kills, (unsigned long long)world.random);
	world.live = live_start(NULL, "exec sleep 3600");
	world.talk = talk_new(world.live);
	for (size_t at = 0; at < CONSUMERS; at++) {
		snprintf(world.readers[at].name, sizeof world.readers[at].name, "c%zu", at);
		world.readers[at].seen = xcalloc(SEEN_MAX, 1); /* pages come as they are touched */
	}
	for (unsigned round = 0; round < world.kills; round++)
		round_of_work(&world);
	ok(settle(&world), "after %u kills all jobs and timers end", world.kills);
	judge_readers(&world);
	judge_requests(&world);
	talk_free(world.talk);
	live_free(world.live);
	for (size_t at = 0; at < CONSUMERS; at++)
		mem_free(world.readers[at].seen);
	return done_testing();
}
