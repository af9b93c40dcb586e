/* SPDX-License-Identifier: ISC */
/* A gaze rests on one pane and says what its program is doing. */
#include "daemon/agent/agent_monitor.h"

#include <muxbus.h>

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "daemon/core/loop_timer.h"
#include "daemon/pane/agent_look.h"
#include "daemon/pane/presence.h"
#include "daemon/server/daemon.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tokenizer.h"
#include "wire/json.h"

enum {
	AGREE_MS = 60, /* between two looks that must agree */
	WRITES_MS = 600, /* of output without a rest, until that is told */
	WAITING_MS = 10000, /* between looks at a program that is silent, while somebody waits */
	SEQUENCE_SIZE = 8, /* of ESC [ ? 2004 h */
};

/* After a look that found no prompt, though all is at rest. */
static const int again_ms[] = {120, 250, 500, 1000, 2000, 4000};

enum { AGAIN_COUNT = sizeof again_ms / sizeof *again_ms };

struct agent_gaze {
	struct daemon *daemon;
	const struct agent_gaze_handlers *handlers;
	void *data;
	struct pane_ref pane;
	struct pattern *regex;
	struct event *timer;
	struct stream_tap tap;
	bool has_tap;
	bool is_asking; /* tmux owes an answer */
	bool is_stale; /* freed: the answer frees it */
	bool is_waiting;
	bool is_new; /* its program is yet to be started */
	unsigned aimed; /* counts: an answer about an earlier pane is none */
	unsigned asked; /* of those, when it was asked */
	unsigned looks; /* without anything new */
	int64_t output_ms; /* CLOCK_MONOTONIC: the last output, or aiming */
	int64_t writes_ms; /* since when it writes without a rest; 0: it rests */
	uint64_t end;
	struct tokenizer tokenizer;
	char mark;
	uint64_t prompt_mark, output_mark;
	char tail[AGENT_TAIL_SIZE];
	size_t tail_len; /* AGENT_TAIL_SIZE: too long */
	char sequence[SEQUENCE_SIZE]; /* the last bytes: a sequence may be split */
	bool brackets;
	struct agent_habit habit;
	struct agent_facts facts; /* of the last look */
	struct agent_verdict verdict;
	uint64_t learned_offset;
	uint64_t agreed_offset; /* a look said so; another must */
	enum agent_verdict_kind agreed;
	bool has_agreed;
};

static void arm(struct agent_gaze *gaze, int64_t ms)
{
	loop_timer_arm(gaze->timer, ms);
}

/* ---- output ---- */

static void on_token(void *data, const struct token *token)
{
	struct agent_gaze *gaze = data;

	if (token->kind != TOKEN_MARK || strchr("ABCD", token->mark) == NULL)
		return;
	gaze->mark = token->mark;
	if (token->mark == 'A')
		gaze->prompt_mark = token->from;
	else if (token->mark == 'C')
		gaze->output_mark = token->to;
}

static void note_tail(struct agent_gaze *gaze, const uint8_t *bytes, size_t len)
{
	const uint8_t *newline = memrchr(bytes, '\n', len);

	if (newline != NULL) {
		len -= (size_t)(newline + 1 - bytes);
		bytes = newline + 1;
		gaze->tail_len = 0;
	}
	if (gaze->tail_len + len >= sizeof gaze->tail) {
		gaze->tail_len = sizeof gaze->tail;
		return;
	}
	memcpy(gaze->tail + gaze->tail_len, bytes, len);
	gaze->tail_len += len;
}

/* Whether bracketed paste is asked for: by the last ESC [ ? 2004 h or l. */
static void note_brackets(struct agent_gaze *gaze, const uint8_t *bytes, size_t len)
{
	static const char wanted[] = "\033[?2004";
	const size_t size = sizeof wanted - 1;
	char joined[2 * SEQUENCE_SIZE];
	size_t first = len < SEQUENCE_SIZE ? len : SEQUENCE_SIZE;

	memcpy(joined, gaze->sequence, SEQUENCE_SIZE);
	memcpy(joined + SEQUENCE_SIZE, bytes, first);
	for (size_t at = 1; at + size < SEQUENCE_SIZE + first && at < SEQUENCE_SIZE; at++) {
		if (memcmp(joined + at, wanted, size) == 0)
			gaze->brackets = joined[at + size] == 'h';
	}
	for (const uint8_t *at = bytes; (at = memchr(at, '\033', len - (size_t)(at - bytes)));
	     at++) {
		if (len - (size_t)(at - bytes) > size && memcmp(at, wanted, size) == 0)
			gaze->brackets = at[size] == 'h';
	}
	if (len >= SEQUENCE_SIZE) {
		memcpy(gaze->sequence, bytes + len - SEQUENCE_SIZE, SEQUENCE_SIZE);
	} else {
		memmove(gaze->sequence, gaze->sequence + len, SEQUENCE_SIZE - len);
		memcpy(gaze->sequence + SEQUENCE_SIZE - len, bytes, len);
	}
}

static void note_activity(struct agent_gaze *gaze)
{
	int64_t now_ms = clock_mono_ms();

	if (gaze->writes_ms == 0)
		gaze->writes_ms = now_ms;
	gaze->output_ms = now_ms;
	gaze->looks = 0;
	gaze->has_agreed = false;
	if (!gaze->is_asking &&
	    (gaze->writes_ms == now_ms || !event_pending(gaze->timer, EV_TIMEOUT, NULL)))
		arm(gaze, AGENT_REST_MS);
}

static void on_output(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	struct agent_gaze *gaze = list_entry(tap, struct agent_gaze, tap);

	gaze->end = offset + len;
	tokenizer_feed(&gaze->tokenizer, offset, bytes, len, on_token, gaze);
	note_tail(gaze, bytes, len);
	note_brackets(gaze, bytes, len);
	note_activity(gaze);
	if (gaze->handlers->wrote != NULL)
		gaze->handlers->wrote(gaze->data, gaze->end);
}

static void on_gap(struct stream_tap *tap, uint64_t offset, const char *reason)
{
	struct agent_gaze *gaze = list_entry(tap, struct agent_gaze, tap);

	gaze->end = offset;
	if (gaze->handlers->flows != NULL)
		gaze->handlers->flows(gaze->data);
	if (gaze->is_new && strcmp(reason, "not_watched") == 0)
		return; /* its program has not begun */
	tokenizer_init(&gaze->tokenizer, false);
	gaze->mark = '\0'; /* it may be an old one */
	gaze->tail_len = sizeof gaze->tail;
	note_activity(gaze);
}

static void on_closed(struct stream_tap *tap)
{
	struct agent_gaze *gaze = list_entry(tap, struct agent_gaze, tap);

	gaze->has_tap = false;
	gaze->aimed++;
	(void)event_del(gaze->timer);
	gaze->handlers->closed(gaze->data);
}

/* ---- looking ---- */

static int64_t quiet_ms(const struct agent_gaze *gaze)
{
	return clock_mono_ms() - gaze->output_ms;
}

static void tell(struct agent_gaze *gaze, const struct agent_look *look)
{
	gaze->handlers->judged(gaze->data, &gaze->verdict, look);
}

/* When the next look is due, if nothing comes. */
static void look_again(struct agent_gaze *gaze)
{
	int64_t ms = gaze->verdict.again_ms;

	if (gaze->looks < AGAIN_COUNT)
		ms = ms > again_ms[gaze->looks] ? ms : again_ms[gaze->looks];
	else if (gaze->is_waiting || ms > again_ms[AGAIN_COUNT - 1])
		ms = WAITING_MS;
	else
		return;
	gaze->looks++;
	arm(gaze, ms);
}

static void collect(
    struct agent_gaze *gaze, const struct muxbus_pane *pane, const struct agent_look *look)
{
	const struct presence *presence;

	gaze->facts = (struct agent_facts){
	    .is_dead = pane->is_dead,
	    .in_mode = pane->in_mode,
	    .has_cursor = look->screen.has_cursor,
	    .mark = gaze->mark,
	    .quiet_ms = quiet_ms(gaze),
	};
	presence = presence_of_pane(gaze->daemon->presences, &gaze->pane);
	if (presence != NULL) {
		gaze->facts.reports_busy = presence->state == PRESENCE_BUSY;
		gaze->facts.reports_asking = presence->state == PRESENCE_ASKING;
	}
	agent_facts_read_screen(&look->screen.view, &gaze->facts);
	agent_facts_set_tail(&gaze->facts, gaze->tail, gaze->tail_len);
	if (pane->is_dead)
		return;
	agent_front_read(pane->pid, &gaze->facts.front);
	pane_tty_read(pane->tty, pane->pid, &gaze->facts.tty);
}

/* A prompt or a question must be seen twice; the rest is told at once. */
static bool is_agreed(struct agent_gaze *gaze, const struct agent_look *look)
{
	bool is_same = gaze->has_agreed && gaze->agreed == gaze->verdict.kind &&
	    gaze->agreed_offset == look->offset;

	if (gaze->verdict.kind != VERDICT_READY && gaze->verdict.kind != VERDICT_QUESTION)
		return true;
	gaze->has_agreed = true;
	gaze->agreed = gaze->verdict.kind;
	gaze->agreed_offset = look->offset;
	return is_same;
}

static void on_look(void *data, int error, const struct agent_look *look)
{
	struct agent_gaze *gaze = data;
	const struct muxbus_pane *pane;

	gaze->is_asking = false;
	if (gaze->is_stale) {
		mem_free(gaze);
		return;
	}
	if (gaze->asked != gaze->aimed || !gaze->has_tap) {
		if (gaze->has_tap)
			arm(gaze, AGENT_REST_MS);
		return;
	}
	pane = muxbus_model_pane(tmux_model(gaze->daemon->tmux), gaze->pane.pane);
	if (error != 0 || pane == NULL) {
		look_again(gaze);
		return;
	}
	collect(gaze, pane, look);
	agent_judge(&gaze->facts, &gaze->habit, gaze->regex, &gaze->verdict);
	if (look->offset != gaze->end && gaze->verdict.kind != VERDICT_CRASHED) {
		/* Something came behind the picture: it is not at rest. */
		arm(gaze, AGENT_REST_MS);
		return;
	}
	if (!is_agreed(gaze, look)) {
		arm(gaze, AGREE_MS);
		return;
	}
	if (gaze->verdict.kind == VERDICT_READY) {
		/* The same prompt, seen again, teaches nothing. */
		if (!gaze->habit.is_known || gaze->learned_offset != look->offset)
			agent_learn(&gaze->facts, &gaze->habit);
		gaze->learned_offset = look->offset;
	} else if (gaze->verdict.kind == VERDICT_BUSY || gaze->verdict.kind == VERDICT_UNKNOWN)
		look_again(gaze);
	tell(gaze, look);
}

static void look_now(struct agent_gaze *gaze)
{
	gaze->is_asking = true;
	gaze->asked = gaze->aimed;
	if (agent_look_take(gaze->daemon->tmux, gaze->pane.pane, on_look, gaze) < 0) {
		gaze->is_asking = false;
		arm(gaze, again_ms[AGAIN_COUNT - 1]);
	}
}

static void on_timer(evutil_socket_t fd, short what, void *data)
{
	struct agent_gaze *gaze = data;
	int64_t left_ms = AGENT_REST_MS - quiet_ms(gaze);

	(void)fd;
	(void)what;
	if (!gaze->has_tap || gaze->is_asking)
		return;
	if (left_ms <= 0) {
		gaze->writes_ms = 0;
		look_now(gaze);
		return;
	}
	arm(gaze, left_ms);
	if (gaze->writes_ms != 0 && clock_mono_ms() - gaze->writes_ms > WRITES_MS) {
		gaze->writes_ms = clock_mono_ms();
		gaze->verdict = (struct agent_verdict){.kind = VERDICT_BUSY, .reason = "it writes"};
		tell(gaze, NULL);
	}
}

/* ---- aiming ---- */

struct agent_gaze *agent_gaze_new(
    struct daemon *daemon, const struct agent_gaze_handlers *handlers, void *data)
{
	struct agent_gaze *gaze = xcalloc(1, sizeof *gaze);

	gaze->daemon = daemon;
	gaze->handlers = handlers;
	gaze->data = data;
	gaze->tap.output = on_output;
	gaze->tap.gap = on_gap;
	gaze->tap.closed = on_closed;
	pane_ref_clear(&gaze->pane);
	gaze->timer = loop_timer_new(daemon->base, on_timer, gaze);
	return gaze;
}

void agent_gaze_free(struct agent_gaze *gaze)
{
	if (gaze == NULL)
		return;
	agent_gaze_drop(gaze);
	event_free(gaze->timer);
	if (gaze->is_asking)
		gaze->is_stale = true;
	else
		mem_free(gaze);
}

void agent_gaze_drop(struct agent_gaze *gaze)
{
	if (gaze->has_tap) {
		stream_want(gaze->daemon->streams, gaze->pane.pane, STREAM_RING, false);
		stream_tap_remove(gaze->daemon->streams, gaze->pane.pane, &gaze->tap);
	}
	gaze->has_tap = false;
	gaze->aimed++;
	(void)event_del(gaze->timer);
}

static void begin(struct agent_gaze *gaze, const struct pane_ref *pane, bool is_new)
{
	gaze->pane = *pane;
	gaze->aimed++;
	gaze->looks = 0;
	gaze->has_agreed = false;
	gaze->output_ms = clock_mono_ms();
	gaze->writes_ms = 0;
	gaze->is_new = is_new;
	if (!is_new)
		return;
	tokenizer_init(&gaze->tokenizer, false);
	gaze->mark = '\0';
	gaze->prompt_mark = gaze->output_mark = 0;
	gaze->tail_len = 0;
	gaze->brackets = false;
	memset(gaze->sequence, 0, sizeof gaze->sequence);
	gaze->habit = (struct agent_habit){0};
}

bool agent_gaze_aim(struct agent_gaze *gaze, const struct pane_ref *pane, bool is_new)
{
	const struct muxbus_pane *found;
	/* In the same pane it goes on: nothing of its output may be missed. */
	bool is_same = gaze->has_tap && gaze->pane.pane == pane->pane;

	if (!is_same)
		agent_gaze_drop(gaze);
	begin(gaze, pane, is_new);
	tokenizer_init(&gaze->tokenizer, false);
	gaze->mark = '\0';
	if (!is_new)
		gaze->tail_len = sizeof gaze->tail; /* it began before anybody followed it */
	if (is_same)
		return true;
	if (stream_tap_add(gaze->daemon->streams, pane->pane, &gaze->tap) < 0)
		return false;
	gaze->has_tap = true;
	stream_want(gaze->daemon->streams, pane->pane, STREAM_RING, true);
	found = muxbus_model_pane(tmux_model(gaze->daemon->tmux), pane->pane);
	gaze->end = found != NULL ? found->output_offset : 0;
	if (!is_new)
		arm(gaze, AGENT_REST_MS);
	return true;
}

void agent_gaze_set_process(struct agent_gaze *gaze, const struct pane_ref *pane)
{
	gaze->pane = *pane;
	gaze->is_new = false;
	gaze->aimed++;
	if (gaze->has_tap)
		arm(gaze, AGENT_REST_MS);
}

void agent_gaze_set_regex(struct agent_gaze *gaze, struct pattern *regex)
{
	gaze->regex = regex;
}

void agent_gaze_look(struct agent_gaze *gaze, bool is_waiting)
{
	gaze->is_waiting = is_waiting;
	gaze->looks = 0;
	gaze->has_agreed = false;
	if (gaze->has_tap && !gaze->is_asking)
		arm(gaze, 0);
}

void agent_gaze_set_waiting(struct agent_gaze *gaze, bool is_waiting)
{
	gaze->is_waiting = is_waiting;
}

struct agent_habit *agent_gaze_habit(struct agent_gaze *gaze)
{
	return &gaze->habit;
}

uint64_t agent_gaze_end(const struct agent_gaze *gaze)
{
	return gaze->end;
}

uint64_t agent_gaze_mark(const struct agent_gaze *gaze, char mark)
{
	return mark == 'A' ? gaze->prompt_mark : gaze->output_mark;
}

bool agent_gaze_brackets(const struct agent_gaze *gaze)
{
	return gaze->brackets;
}

void agent_gaze_set_brackets(struct agent_gaze *gaze, bool brackets)
{
	gaze->brackets = brackets;
}

void agent_gaze_write(const struct agent_gaze *gaze, struct json_writer *writer)
{
	static const char *const reads[] = {"unknown", "yes", "no"};
	const struct agent_facts *facts = &gaze->facts;
	char mark[2] = {facts->mark, '\0'};

	json_put_str(writer, "reason", gaze->verdict.reason);
	(void)json_put_text(writer, "row", facts->row, strlen(facts->row));
	if (facts->front.is_known) {
		(void)json_put_text(writer, "front", facts->front.name, strlen(facts->front.name));
		json_put_str(writer, "reads", reads[facts->front.reads]);
	}
	if (facts->tty.is_known)
		json_put_str(writer, "terminal", facts->tty.is_cooked ? "cooked" : "raw");
	if (facts->mark != '\0')
		json_put_str(writer, "mark", mark);
	json_put_int(writer, "quiet_ms", gaze->has_tap ? quiet_ms(gaze) : facts->quiet_ms);
	json_put_int(writer, "offset", (int64_t)gaze->end);
}
