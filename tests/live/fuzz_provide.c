/* SPDX-License-Identifier: ISC */
/*
 * Providers that lie, flood, do not read, leave, and call each other in circles, with callers that
 * leave as well. The law: one answer for each call, none for another, the daemon lives, and the calls
 * of an honest provider are answered as it answered them.
 *
 * Each round has a seed of its own, which a failure names (fuzzing.h).
 */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fuzz/fuzzing.h"
#include "harness.h"

enum {
	FUZZ_SEC = 6,
	LIARS = 3,
	CALLS_MAX = 600, /* of a round */
	STEPS = 120,
	ANSWER_MS = 20000,
	BIG = 1100000, /* bytes of an answer that is too large */
};

/* A provider, and the last call that it got. */
struct liar {
	struct talk *talk; /* NULL: it has left */
	char id[64];
	char name[16];
	bool reads;
};

static struct {
	struct live *live;
	struct fuzzing chance;
	uint64_t seed;
	struct liar liars[LIARS];
	struct talk *honest, *caller;
	bool is_answered[CALLS_MAX];
	bool is_honest[CALLS_MAX]; /* a call of the honest provider, which must succeed */
	size_t calls;
	unsigned faults;
	uint64_t answers;
	char *big;
} fuzz;

static uint32_t rnd(uint32_t below)
{
	return fuzzing_below(&fuzz.chance, below);
}

static void fault(const char *what, const char *text)
{
	fuzz.faults++;
	diag("MUXBUS_SEED=%" PRIu64 ": %s: %.600s", fuzz.seed, what, text);
}

/* Takes an answer of the caller, which has the id and belongs to a call. */
static void take_answer(const struct json *line)
{
	int64_t id = at_int(line, "id");
	if (at(line, "method") != NULL)
		return; /* progress */
	if (id < 0 || (size_t)id >= fuzz.calls) {
		fault("an answer to no call", talk_text(fuzz.caller));
		return;
	}
	if (fuzz.is_answered[id])
		fault("a second answer", talk_text(fuzz.caller));
	if (fuzz.is_honest[id] && at_int(line, "result.honest") != id)
		fault("a wrong answer of the honest provider", talk_text(fuzz.caller));
	fuzz.is_answered[id] = true;
	fuzz.answers++;
}

static void read_caller(int timeout_ms)
{
	const struct json *line;
	while ((line = talk_line(fuzz.caller, timeout_ms)) != NULL)
		take_answer(line);
}

/* The honest provider answers each call with the number that it got. */
static void serve_honest(void)
{
	const struct json *line;
	while ((line = talk_line(fuzz.honest, 0)) != NULL) {
		const char *id = at_str(line, "id");
		const struct json *number = at(line, "params.number");
		if (id != NULL && number != NULL)
			(void)talk_send(fuzz.honest, "{\"id\":\"%s\",\"result\":{\"honest\":%s}}",
			    id, number->text);
	}
}

static void call(struct talk *talk, const char *name, bool is_honest)
{
	size_t id = fuzz.calls;
	bool is_counted = talk == fuzz.caller;
	if (is_counted && id == CALLS_MAX)
		return;
	if (is_counted) {
		fuzz.is_honest[id] = is_honest;
		fuzz.is_answered[id] = false;
		fuzz.calls++;
	}
	(void)talk_send(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"%s\",\"params\":{\"number\":%zu%s}%s}",
	    id, name, id, !is_counted && rnd(3) == 0 ? ",\"wait\":false" : "",
	    is_counted ? ",\"within\":null" : "");
}

static void provide(struct liar *liar)
{
	static const char *const rows[] = {"", ",\"also\":[\"also_1\"]", ",\"effects\":[\"reads\"]",
	    ",\"effects\":[]", ",\"group\":7", ",\"also\":[\"ping\"]", ",\"x\":1"};
	(void)talk_send(liar->talk,
	    "{\"id\":0,\"method\":\"provide\",\"params\":{\"methods\":[{\"name\":\"%s\","
	    "\"summary\":"
	    "\"s\",\"parameters\":{\"type\":\"object\",\"properties\":{\"number\":{\"type\":"
	    "\"integer\"}}},\"timeout_ms\":%u%s}]}}",
	    liar->name, 1 + rnd(50), rows[rnd(rnd(3) > 0 ? 3 : 7)]);
}

static void join(struct liar *liar, unsigned number)
{
	(void)snprintf(liar->name, sizeof liar->name, "liar_%u", number);
	liar->talk = talk_new(fuzz.live);
	liar->id[0] = '\0';
	liar->reads = rnd(6) > 0;
	provide(liar);
}

static void read_liar(struct liar *liar)
{
	const struct json *line;
	while (liar->reads && (line = talk_line(liar->talk, 0)) != NULL)
		if (at_str(line, "id") != NULL)
			(void)snprintf(liar->id, sizeof liar->id, "%s", at_str(line, "id"));
}

/* Answers of calls that others have, as ids follow each other. */
static void guess(struct talk *talk, const char *id)
{
	unsigned long number = id[0] == 'c' ? strtoul(id + 1, NULL, 10) : 0;
	for (unsigned long at = number; at < number + 9; at++)
		(void)talk_send(talk, "{\"id\":\"c%lu\",\"result\":{\"honest\":-1}}", at);
}

static void send_deep(struct talk *talk, const char *id)
{
	char open[201], shut[201];
	unsigned depth = 20 + rnd(180);
	memset(open, '[', depth);
	memset(shut, ']', depth);
	(void)talk_send(talk, "{\"id\":\"%s\",\"result\":{\"x\":%.*s%.*s}}", id, (int)depth, open,
	    rnd(4) ? (int)depth : 0, shut);
}

/* One lie, of the provider or of another one's call. */
static void lie(struct liar *liar, unsigned number)
{
	const char *id = fuzz.liars[rnd(4) ? number : rnd(LIARS)].id;
	struct talk *talk = liar->talk;
	switch (rnd(20)) {
	case 0:
		(void)talk_send(talk, "{\"id\":\"%s\",\"error\":{\"message\":\"no\"}}", id);
		break;
	case 1:
		for (int i = 0; i < 20; i++)
			(void)talk_send(talk, "{\"id\":\"c%u\",\"result\":{}}", rnd(9));
		break;
	case 2:
		(void)talk_send(talk, "{\"id\":\"%s\",\"result\":[]}", id);
		break;
	case 3:
		(void)talk_send(talk, "{\"id\":\"%s\",\"result\":{\"x\":\xff}", id);
		break;
	case 4:
		if (rnd(4) == 0)
			(void)talk_send(
			    talk, "{\"id\":\"%s\",\"result\":{\"x\":\"%s\"}}", id, fuzz.big);
		break;
	case 5:
		for (unsigned i = rnd(40); i > 0; i--)
			(void)talk_send(talk,
			    "{\"jsonrpc\":\"2.0\",\"method\":\"progress\",\"params\":{\"id\":\"%"
			    "s\","
			    "\"text\":\"%u\",\"done\":%u}}",
			    id, i, i);
		break;
	case 6:
		for (unsigned i = rnd(60); i > 0; i--)
			(void)talk_send(talk,
			    "{\"jsonrpc\":\"2.0\",\"method\":\"publish\",\"params\":{\"kind\":"
			    "\"kind_%u\",\"data\":{\"i\":%u}}}",
			    rnd(3) + 3 * number, i);
		break;
	case 7:
		provide(liar);
		break;
	case 8:
	case 9:
		call(talk, fuzz.liars[rnd(LIARS)].name, false); /* in a circle */
		break;
	case 10:
		liar->reads = !liar->reads;
		break;
	case 11:
		talk_half_close(talk);
		break;
	case 12:
		talk_free(talk);
		join(liar, number);
		break;
	case 13:
		guess(talk, id);
		break;
	case 14:
		send_deep(talk, id);
		break;
	case 15: /* goes on in the next line, or not */
		(void)talk_send_bytes(talk, "{\"id\":\"c1\",\"result\":{", 1 + rnd(20));
		break;
	default:
		(void)talk_send(talk, "{\"id\":\"%s\",\"result\":{\"ok\":true}}", id);
	}
}

/* A caller that leaves before it has its answers. */
static void leave(void)
{
	struct talk *talk = talk_new(fuzz.live);
	if (talk == NULL)
		return;
	for (unsigned i = rnd(4); i > 0; i--)
		call(talk, fuzz.liars[rnd(LIARS)].name, false);
	if (rnd(2))
		(void)talk_call(talk, "ping", NULL);
	talk_free(talk);
}

static bool all_answered(void)
{
	for (size_t id = 0; id < fuzz.calls; id++)
		if (!fuzz.is_answered[id])
			return false;
	return true;
}

/* All calls end, in the end. */
static void settle(void)
{
	int64_t end_ms = live_now_ms() + ANSWER_MS;
	while (!all_answered() && live_now_ms() < end_ms) {
		serve_honest();
		read_caller(5);
	}
	for (size_t id = 0; id < fuzz.calls; id++)
		if (!fuzz.is_answered[id])
			fault("a call without an answer", fuzz.is_honest[id] ? "honest" : "liar");
}

static void play(void)
{
	fuzz.calls = 0;
	fuzz.caller = talk_new(fuzz.live);
	for (unsigned i = 0; i < LIARS; i++)
		join(&fuzz.liars[i], i);
	for (unsigned step = rnd(STEPS); step > 0 && fuzz.faults == 0; step--) {
		unsigned number = rnd(LIARS);
		if (rnd(3) == 0)
			call(fuzz.caller, rnd(4) ? fuzz.liars[rnd(LIARS)].name : "honest", false);
		if (rnd(5) == 0) {
			call(fuzz.caller, "honest", true);
			if (rnd(2))
				guess(fuzz.liars[number].talk, fuzz.liars[number].id);
			serve_honest();
			settle(); /* a process has a limit of calls, which this one is not to meet */
		}
		if (rnd(20) == 0)
			leave();
		read_liar(&fuzz.liars[number]);
		lie(&fuzz.liars[number], number);
		serve_honest();
		read_caller(0);
	}
	settle();
	for (unsigned i = 0; i < LIARS; i++)
		talk_free(fuzz.liars[i].talk);
	talk_free(fuzz.caller);
}

/* How many providers there are, once the daemon has seen the ends of the others. */
static int count_providers(void)
{
	int64_t end_ms = live_now_ms() + ANSWER_MS;
	struct talk *talk = talk_new(fuzz.live);
	const struct json *providers;
	int count = 0;
	do {
		providers = at(talk_call(talk, "list_providers", NULL), "result.providers");
		count = providers != NULL ? (int)providers->count : -1;
	} while (count > 1 && live_now_ms() < end_ms);
	talk_free(talk);
	return count;
}

/* Of the daemon, once it has closed those of peers that left. */
static int count_descriptors(int want)
{
	int64_t end_ms = live_now_ms() + ANSWER_MS;
	char path[64];
	int count;
	(void)snprintf(path, sizeof path, "/proc/%d/fd", (int)fuzz.live->daemon_pid);
	do {
		struct dirent **entries;
		count = scandir(path, &entries, NULL, NULL);
		for (int at = 0; at < count; at++)
			free(entries[at]);
		if (count >= 0)
			free(entries);
	} while (count > want && live_now_ms() < end_ms);
	return count;
}

int main(void)
{
	const struct json *answer;
	int descriptors;
	fuzz.live = live_start(NULL, "cat");
	fuzz.big = xalloc(BIG + 1);
	memset(fuzz.big, 'x', BIG);
	fuzz.big[BIG] = '\0';
	fuzz.honest = talk_new(fuzz.live);
	answer = talk_call_json(fuzz.honest, "provide",
	    "{\"methods\":[{\"name\":\"honest\",\"summary\":\"s\",\"parameters\":{\"type\":"
	    "\"object\","
	    "\"properties\":{\"number\":{\"type\":\"integer\"}}}}]}");
	ok(at(answer, "result") != NULL, "an honest provider");
	descriptors = count_descriptors(INT_MAX);
	fuzzing_init(&fuzz.chance, FUZZ_SEC);
	while (fuzz.faults == 0 && fuzzing_goes_on(&fuzz.chance)) {
		fuzz.seed = fuzz.chance.state;
		play();
	}
	diag("%" PRIu64 " rounds, %" PRIu64 " answers", fuzz.chance.rounds, fuzz.answers);
	ok(fuzz.faults == 0, "each call has one answer, whatever providers do");
	ok(fuzz.answers > 0, "there were calls");
	is_int(count_providers(), 1, "only the honest provider is left");
	ok(count_descriptors(descriptors) <= descriptors, "and no descriptor of the others");
	talk_free(fuzz.honest);
	is_int(live_stop_daemon(fuzz.live, 15), 0, "the daemon ends normally");
	mem_free(fuzz.big);
	live_free(fuzz.live);
	return done_testing();
}
