/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent_monitor.h"

#include "base/tokenizer.h"
#include "daemon/agent/agent_state.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum {
	AGREE_MS = 60, /* time between two looks that must agree */
	WRITES_MS = 600, /* output without a pause for this long is reported */
	WAITING_MS = 10000, /* time between later looks at a silent program, if these are needed */
	AROUND_MAX = 64 * 1024,
	SEQUENCE_SIZE = 8, /* bytes of ESC [ ? 2004 h */
};

/* Minimum delays in ms before the next looks, while looks find no prompt and no output comes. */
static const int again_ms[] = {120, 250, 500, 1000, 2000, 4000};

enum { AGAIN_COUNT = sizeof again_ms / sizeof *again_ms };

struct agent_monitor {
	const struct daemon *parts;
	const struct agent_monitor_handlers *handlers;
	struct agent *agent;
	struct pane_ref pane;
	struct pattern *regex;
	struct loop_timer *timer;
	struct stream_tap tap;
	bool has_tap;
	bool is_asking; /* a reply of tmux is pending */
	bool is_stale; /* agent_monitor_free() was called: free this when the reply comes */
	bool is_waiting;
	bool is_new; /* the program is not started yet */
	unsigned aimed; /* counts changes of the pane: a reply about an earlier pane is dropped */
	unsigned asked; /* value of aimed when tmux was asked */
	unsigned looks; /* looks since the last output or other change */
	int64_t output_ms; /* CLOCK_MONOTONIC of the last output, or of the start of watching */
	int64_t writes_ms; /* start of output without a pause; 0: at rest */
	uint64_t end, newlines;
	char mark;
	uint64_t prompt_mark, output_mark;
	char tail[AGENT_TAIL_SIZE];
	size_t tail_len; /* AGENT_TAIL_SIZE: the line is too long, or unknown */
	char sequence[SEQUENCE_SIZE]; /* the last bytes of output, as a sequence may be split */
	bool brackets;
	struct prompt_profile profile;
	struct agent_facts facts; /* found by the last look without newer output */
	struct agent_verdict verdict;
	uint64_t learned_offset;
	uint64_t agreed_offset; /* output offset of the look that a second one must confirm */
	enum agent_verdict_kind agreed;
	bool has_agreed;
};

static void on_mark(struct stream_tap *tap, const struct token *token)
{
	struct agent_monitor *monitor = list_entry(tap, struct agent_monitor, tap);
	if (strchr("ABCD", token->mark) == NULL)
		return;
	monitor->mark = token->mark;
	if (token->mark == 'A')
		monitor->prompt_mark = token->from;
	else if (token->mark == 'C')
		monitor->output_mark = token->to;
}

static void note_tail(struct agent_monitor *monitor, const uint8_t *bytes, size_t len)
{
	const uint8_t *newline = memrchr(bytes, '\n', len);
	for (const uint8_t *at = bytes; newline != NULL && at <= newline; at++)
		monitor->newlines += *at == '\n';
	if (newline != NULL) {
		len -= (size_t)(newline + 1 - bytes);
		bytes = newline + 1;
		monitor->tail_len = 0;
	}
	if (monitor->tail_len + len >= sizeof monitor->tail) {
		monitor->tail_len = sizeof monitor->tail;
		return;
	}
	memcpy(monitor->tail + monitor->tail_len, bytes, len);
	monitor->tail_len += len;
}

/* The last ESC [ ? 2004 h (yes) or l (no) counts. */
static void note_brackets(struct agent_monitor *monitor, const uint8_t *bytes, size_t len)
{
	static const char wanted[] = "\033[?2004";
	const size_t size = sizeof wanted - 1;
	char joined[2 * SEQUENCE_SIZE];
	size_t first = len < SEQUENCE_SIZE ? len : SEQUENCE_SIZE;
	memcpy(joined, monitor->sequence, SEQUENCE_SIZE);
	memcpy(joined + SEQUENCE_SIZE, bytes, first);
	for (size_t at = 1; at + size < SEQUENCE_SIZE + first && at < SEQUENCE_SIZE; at++)
		if (memcmp(joined + at, wanted, size) == 0)
			monitor->brackets = joined[at + size] == 'h';
	for (const uint8_t *at = bytes;
	     (at = memchr(at, '\033', len - (size_t)(at - bytes))) != NULL; at++)
		if (len - (size_t)(at - bytes) > size && memcmp(at, wanted, size) == 0)
			monitor->brackets = at[size] == 'h';
	if (len >= SEQUENCE_SIZE) {
		memcpy(monitor->sequence, bytes + len - SEQUENCE_SIZE, SEQUENCE_SIZE);
	} else {
		memmove(monitor->sequence, monitor->sequence + len, SEQUENCE_SIZE - len);
		memcpy(monitor->sequence + SEQUENCE_SIZE - len, bytes, len);
	}
}

static void note_activity(struct agent_monitor *monitor)
{
	int64_t now_ms = clock_mono_ms();
	if (monitor->writes_ms == 0)
		monitor->writes_ms = now_ms;
	monitor->output_ms = now_ms;
	monitor->looks = 0;
	monitor->has_agreed = false;
	if (!monitor->is_asking &&
	    (monitor->writes_ms == now_ms || !loop_timer_is_armed(monitor->timer)))
		loop_timer_arm(monitor->timer, AGENT_REST_MS);
}

static void on_output(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	struct agent_monitor *monitor = list_entry(tap, struct agent_monitor, tap);
	monitor->end = offset + len;
	note_tail(monitor, bytes, len);
	note_brackets(monitor, bytes, len);
	note_activity(monitor);
	monitor->handlers->wrote(monitor->agent);
}

static void on_gap(struct stream_tap *tap, uint64_t offset, const char *reason)
{
	struct agent_monitor *monitor = list_entry(tap, struct agent_monitor, tap);
	monitor->end = offset;
	monitor->handlers->flows(monitor->agent);
	if (monitor->is_new && strcmp(reason, "not_watched") == 0)
		return;
	monitor->mark = '\0'; /* the last mark may be older than the gap */
	monitor->tail_len = sizeof monitor->tail;
	note_activity(monitor);
}

static void on_closed(struct stream_tap *tap)
{
	struct agent_monitor *monitor = list_entry(tap, struct agent_monitor, tap);
	monitor->has_tap = false;
	monitor->aimed++;
	loop_timer_disarm(monitor->timer);
	monitor->handlers->closed(monitor->agent);
}

static int64_t quiet_ms(const struct agent_monitor *monitor)
{
	return clock_mono_ms() - monitor->output_ms;
}

static void look_again(struct agent_monitor *monitor)
{
	int64_t ms = monitor->verdict.again_ms;
	if (monitor->looks < AGAIN_COUNT)
		ms = ms > again_ms[monitor->looks] ? ms : again_ms[monitor->looks];
	else if (monitor->is_waiting || ms > again_ms[AGAIN_COUNT - 1])
		ms = WAITING_MS;
	else
		return;
	monitor->looks++;
	loop_timer_arm(monitor->timer, ms);
}

static bool is_behind(const struct foreground *front, const struct prompt_profile *profile)
{
	struct tty_process process;
	return front->is_known && front->is_shell && profile->pid > 0 &&
	    front->pid != profile->pid && pane_tty_process(profile->pid, &process) &&
	    process.start == profile->start && strchr("Tt", process.state) != NULL &&
	    foreground_is_below(profile->pid, front->pid);
}

static void read_signs(const struct screen_sign_set *signs, const char *agent,
    const struct prompt_view *view, struct agent_facts *facts)
{
	struct buf around = BUF(AROUND_MAX);
	facts->screen = screen_verdict(signs, agent, view);
	facts->has_signs = screen_sign_has(signs, agent, SIGN_DIALOG);
	if (facts->screen != SIGN_NONE) {
		facts->shows_work = facts->screen == SIGN_WORK;
		facts->shows_question = facts->screen == SIGN_DIALOG;
		facts->is_menu &= facts->shows_question; /* a list above a prompt is no menu */
		return;
	}
	prompt_write_around(view, &around);
	facts->shows_work =
	    screen_sign_shows(signs, NULL, SIGN_BUSY, (const char *)around.data, around.len);
	facts->shows_question =
	    screen_sign_shows(signs, agent, SIGN_ASKING, (const char *)around.data, around.len);
	buf_finish(&around);
}

static void collect(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_facts *ret_facts)
{
	const struct screen_sign_set *signs = monitor->parts->signs;
	const struct presence *presence;
	char name[AGENT_ARGV_NAME_SIZE] = "";
	*ret_facts = (struct agent_facts){.is_dead = pane->is_dead,
	    .in_mode = pane->in_mode,
	    .has_cursor = screen->has_cursor,
	    .mark = monitor->mark,
	    .quiet_ms = quiet_ms(monitor)};
	presence = presence_of_pane(monitor->parts->presences, &monitor->pane);
	if (presence != NULL) {
		/* A question that a mark reports counts as busy, so that no answer is typed. */
		ret_facts->reports_busy = presence->state == PRESENCE_BUSY ||
		    (presence->state == PRESENCE_ASKING && presence->is_by_mark);
		ret_facts->reports_asking =
		    presence->state == PRESENCE_ASKING && !presence->is_by_mark;
	}
	agent_facts_read_screen(&screen->view, ret_facts);
	if (presence != NULL)
		snprintf(name, sizeof name, "%s", presence->agent);
	else if (pane->is_dead || !foreground_agent(pane->pid, signs, name))
		name[0] = '\0';
	read_signs(signs, name, &screen->view, ret_facts);
	/* An agent that reports "busy" reports "idle" too, so "idle" is believed. */
	if (presence != NULL && presence->state == PRESENCE_IDLE && presence->has_turns)
		ret_facts->shows_work = false;
	agent_facts_set_tail(ret_facts, monitor->tail, monitor->tail_len);
	if (pane->is_dead)
		return;
	foreground_read(pane->pid, &ret_facts->front);
	ret_facts->is_behind = is_behind(&ret_facts->front, &monitor->profile);
	ret_facts->is_stopped = foreground_find_leader(pane->pid) == FOREGROUND_STOPPED;
	pane_tty_read(pane->tty, pane->pid, &ret_facts->tty);
}

void agent_monitor_judge(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_verdict *ret_verdict)
{
	struct agent_facts facts;
	collect(monitor, pane, screen, &facts);
	agent_judge(&facts, &monitor->profile, monitor->regex, ret_verdict);
}

static bool is_agreed(struct agent_monitor *monitor, const struct pane_screen *screen)
{
	bool is_same = monitor->has_agreed && monitor->agreed == monitor->verdict.kind &&
	    monitor->agreed_offset == screen->offset;
	if (monitor->verdict.kind != VERDICT_READY && monitor->verdict.kind != VERDICT_QUESTION)
		return true;
	monitor->has_agreed = true;
	monitor->agreed = monitor->verdict.kind;
	monitor->agreed_offset = screen->offset;
	return is_same;
}

static void on_look(void *data, int error, const struct pane_screen *screen)
{
	struct agent_monitor *monitor = data;
	const struct muxbus_pane *pane;
	struct agent_facts facts;
	monitor->is_asking = false;
	if (monitor->is_stale) {
		mem_free(monitor);
		return;
	}
	if (monitor->asked != monitor->aimed || !monitor->has_tap) {
		if (monitor->has_tap)
			loop_timer_arm(monitor->timer, AGENT_REST_MS);
		return;
	}
	pane = muxbus_model_pane(tmux_model(monitor->parts->tmux), monitor->pane.pane);
	if (error != 0 || pane == NULL) {
		look_again(monitor);
		return;
	}
	collect(monitor, pane, screen, &facts);
	agent_judge(&facts, &monitor->profile, monitor->regex, &monitor->verdict);
	if (screen->offset != monitor->end && monitor->verdict.kind != VERDICT_CRASHED) {
		/* Output came after the screen was read, so the program does not rest. */
		loop_timer_arm(monitor->timer, AGENT_REST_MS);
		return;
	}
	monitor->facts = facts;
	if (!is_agreed(monitor, screen)) {
		if (monitor->verdict.kind == VERDICT_QUESTION)
			monitor->handlers->asks(monitor->agent, &monitor->facts);
		loop_timer_arm(monitor->timer, AGREE_MS);
		return;
	}
	if (monitor->verdict.kind == VERDICT_READY) {
		if (!monitor->profile.is_known || monitor->learned_offset != screen->offset)
			agent_learn(&monitor->facts, &monitor->profile);
		monitor->learned_offset = screen->offset;
	} else if (monitor->verdict.kind == VERDICT_BUSY ||
	    monitor->verdict.kind == VERDICT_DRAFT || monitor->verdict.kind == VERDICT_UNKNOWN)
		look_again(monitor);
	monitor->handlers->judged(monitor->agent, &monitor->verdict, screen);
}

static void look_now(struct agent_monitor *monitor)
{
	monitor->is_asking = true;
	monitor->asked = monitor->aimed;
	if (pane_screen_read(monitor->parts->tmux, monitor->pane.pane, on_look, monitor) < 0) {
		monitor->is_asking = false;
		loop_timer_arm(monitor->timer, again_ms[AGAIN_COUNT - 1]);
	}
}

static void on_timer(void *data)
{
	struct agent_monitor *monitor = data;
	int64_t left_ms = AGENT_REST_MS - quiet_ms(monitor);
	if (!monitor->has_tap || monitor->is_asking)
		return;
	if (left_ms <= 0) {
		monitor->writes_ms = 0;
		look_now(monitor);
		return;
	}
	loop_timer_arm(monitor->timer, left_ms);
	if (monitor->writes_ms != 0 && clock_mono_ms() - monitor->writes_ms > WRITES_MS) {
		monitor->writes_ms = clock_mono_ms();
		monitor->verdict =
		    (struct agent_verdict){.kind = VERDICT_BUSY, .reason = "it writes"};
		monitor->handlers->judged(monitor->agent, &monitor->verdict, NULL);
	}
}

struct agent_monitor *agent_monitor_new(
    const struct daemon *parts, const struct agent_monitor_handlers *handlers, struct agent *agent)
{
	struct agent_monitor *monitor = xcalloc(1, sizeof *monitor);
	monitor->parts = parts;
	monitor->handlers = handlers;
	monitor->agent = agent;
	monitor->tap.mark = on_mark;
	monitor->tap.output = on_output;
	monitor->tap.gap = on_gap;
	monitor->tap.closed = on_closed;
	pane_ref_clear(&monitor->pane);
	monitor->timer = loop_timer_new(parts->base, on_timer, monitor);
	return monitor;
}

void agent_monitor_free(struct agent_monitor *monitor)
{
	if (monitor == NULL)
		return;
	agent_monitor_drop(monitor);
	loop_timer_free(monitor->timer);
	if (monitor->is_asking)
		monitor->is_stale = true;
	else
		mem_free(monitor);
}

void agent_monitor_drop(struct agent_monitor *monitor)
{
	if (monitor->has_tap) {
		stream_want(monitor->parts->streams, monitor->pane.pane, STREAM_RING, false);
		stream_tap_remove(monitor->parts->streams, monitor->pane.pane, &monitor->tap);
	}
	monitor->has_tap = false;
	monitor->aimed++;
	loop_timer_disarm(monitor->timer);
}

static void begin(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new)
{
	monitor->pane = *pane;
	monitor->aimed++;
	monitor->looks = 0;
	monitor->has_agreed = false;
	monitor->output_ms = clock_mono_ms();
	monitor->writes_ms = 0;
	monitor->is_new = is_new;
	if (!is_new)
		return;
	stream_new_program(monitor->parts->streams, pane->pane);
	monitor->mark = '\0';
	monitor->prompt_mark = monitor->output_mark = 0;
	monitor->tail_len = 0;
	monitor->brackets = false;
	memset(monitor->sequence, 0, sizeof monitor->sequence);
	monitor->profile = (struct prompt_profile){0};
}

bool agent_monitor_aim(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new)
{
	const struct muxbus_pane *found;
	/* A tap (which gets the output) on the same pane is kept, so that no output is missed. */
	bool is_same = monitor->has_tap && monitor->pane.pane == pane->pane;

	if (!is_same)
		agent_monitor_drop(monitor);
	begin(monitor, pane, is_new);
	monitor->mark = '\0';
	if (!is_new)
		monitor->tail_len = sizeof monitor->tail; /* unknown, as the line began before */
	if (is_same)
		return true;
	if (stream_tap_add(monitor->parts->streams, pane->pane, &monitor->tap) < 0)
		return false;
	monitor->has_tap = true;
	stream_want(monitor->parts->streams, pane->pane, STREAM_RING, true);
	found = muxbus_model_pane(tmux_model(monitor->parts->tmux), pane->pane);
	monitor->end = found != NULL ? found->output_offset : 0;
	if (!is_new)
		loop_timer_arm(monitor->timer, AGENT_REST_MS);
	return true;
}

void agent_monitor_set_process(struct agent_monitor *monitor, const struct pane_ref *pane)
{
	monitor->pane = *pane;
	monitor->is_new = false;
	monitor->aimed++;
	if (monitor->has_tap)
		loop_timer_arm(monitor->timer, AGENT_REST_MS);
}

void agent_monitor_set_regex(struct agent_monitor *monitor, struct pattern *regex)
{
	monitor->regex = regex;
}

void agent_monitor_look(struct agent_monitor *monitor, bool is_waiting)
{
	monitor->is_waiting = is_waiting;
	monitor->looks = 0;
	monitor->has_agreed = false;
	if (monitor->has_tap && !monitor->is_asking)
		loop_timer_arm(monitor->timer, 0);
}

void agent_monitor_set_waiting(struct agent_monitor *monitor, bool is_waiting)
{
	monitor->is_waiting = is_waiting;
}

struct prompt_profile *agent_monitor_profile(struct agent_monitor *monitor)
{
	return &monitor->profile;
}

uint64_t agent_monitor_end(const struct agent_monitor *monitor)
{
	return monitor->end;
}

uint64_t agent_monitor_mark(const struct agent_monitor *monitor, char mark)
{
	return mark == 'A' ? monitor->prompt_mark : monitor->output_mark;
}

uint64_t agent_monitor_newlines(const struct agent_monitor *monitor)
{
	return monitor->newlines;
}

bool agent_monitor_is_reading(const struct agent_monitor *monitor)
{
	return monitor->facts.front.is_known && monitor->facts.front.reads == AGENT_READS_YES;
}

bool agent_monitor_keeps(const struct agent_monitor *monitor, const char *text, size_t len)
{
	return pane_tty_keeps(&monitor->facts.tty, text, len);
}

bool agent_monitor_brackets(const struct agent_monitor *monitor)
{
	return monitor->brackets;
}

void agent_monitor_set_brackets(struct agent_monitor *monitor, bool brackets)
{
	monitor->brackets = brackets;
}

void agent_monitor_write(const struct agent_monitor *monitor, struct json_writer *writer)
{
	static const char *const reads[] = {"unknown", "yes", "no"};
	const struct agent_facts *facts = &monitor->facts;
	char mark[2] = {facts->mark, '\0'};
	json_put_str(writer, "reason", monitor->verdict.reason);
	json_put_str(writer, "row", facts->row);
	if (facts->front.is_known) {
		json_put_str(writer, "front", facts->front.name);
		json_put_str(writer, "reads", reads[facts->front.reads]);
	}
	if (facts->tty.is_known)
		json_put_str(writer, "terminal", facts->tty.is_cooked ? "cooked" : "raw");
	if (facts->mark != '\0')
		json_put_str(writer, "mark", mark);
	json_put_int(writer, "quiet_ms", monitor->has_tap ? quiet_ms(monitor) : facts->quiet_ms);
	json_put_int(writer, "offset", (int64_t)monitor->end);
}
