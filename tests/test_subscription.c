/* SPDX-License-Identifier: ISC */
/* Subscriptions: filters, replay, holes, and their demands on other parts. */
#include "daemon/tmux/subscription.h"

#include <inttypes.h>
#include <muxbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "tap.h"

static struct buf heard; /* "S1:3 S1:gap(1-2,slow) " */
static bool is_full; /* the sink takes no more events */
static int wants[STREAM_INTEREST_COUNT_]; /* interest in all panes: requests less releases */
static int pane_wants[STREAM_INTEREST_COUNT_]; /* interest in single panes: the same */
static int detail_wants;

/* In place of the functions that would do it. */
void stream_want(struct stream_set *streams, uint32_t pane, enum stream_interest interest, bool on)
{
	(void)streams;
	(pane == MUXBUS_NO_ID ? wants : pane_wants)[interest] += on ? 1 : -1;
}

void tmux_followed(struct tmux *tmux)
{
	(void)tmux;
}

void tmux_want_details(struct tmux *tmux, bool is_wanted)
{
	(void)tmux;
	detail_wants += is_wanted ? 1 : -1;
}

static bool hear_event(void *data, const char *subscription, struct event_entry *event)
{
	(void)data;
	if (!is_full)
		(void)buf_printf(&heard, "%s:%" PRIu64 " ", subscription, event->seq);
	return !is_full;
}

static bool hear_gap(
    void *data, const char *subscription, uint64_t from, uint64_t to, const char *reason)
{
	(void)data;
	if (!is_full)
		(void)buf_printf(
		    &heard, "%s:gap(%" PRIu64 "-%" PRIu64 ",%s) ", subscription, from, to, reason);
	return !is_full;
}

static struct daemon program;
static struct subscription_set *set;

static void begin(size_t keep_count)
{
	static const struct subscription_sink sink = {.event = hear_event, .gap = hear_gap};
	char reason[64];
	program = (struct daemon){.streams = (void *)&heard, .tmux = (void *)&heard};
	program.events = event_log_new(NULL, keep_count, 1 << 20, reason, sizeof reason);
	set = subscription_set_new(&program, &sink);
	is_full = false;
	buf_clear(&heard);
}

static void end(void)
{
	int left;
	subscription_set_free(set);
	event_log_free(program.events);
	left = detail_wants;
	for (int i = 0; i < STREAM_INTEREST_COUNT_; i++)
		left += abs(wants[i]) + abs(pane_wants[i]);
	is_int(left, 0, "nothing is wanted after the end");
}

static void happens(enum event_kind kind, uint32_t pane, uint32_t session)
{
	struct event_scope scope = {
	    .pane = pane, .window = MUXBUS_NO_ID, .sessions = {session, MUXBUS_NO_ID}};
	(void)event_log_publish(program.events, kind, &scope, "", 0, kind != EVENT_PANE_OUTPUT);
}

/* The panes close with the server, and so do the subscriptions to them. */
static void lose_server(void)
{
	happens(EVENT_SERVER_LOST, MUXBUS_NO_ID, MUXBUS_NO_ID);
	memset(pane_wants, 0, sizeof pane_wants);
}

static void subscribe(struct subscription_filter filter)
{
	char name[SUBSCRIPTION_NAME_SIZE];
	if (subscription_add(set, &filter, name) < 0)
		abort();
	subscription_start(set, name);
}

static void expect(const char *want, const char *what)
{
	is_str(heard.data != NULL ? (const char *)heard.data : "", want, "%s", what);
	buf_clear(&heard);
}

static uint64_t kinds_of(enum event_kind kind)
{
	return UINT64_C(1) << kind;
}

static void test_filters(void)
{
	static const uint32_t panes[] = {3, 1, 3};
	static const uint32_t sessions[] = {7};
	begin(100);
	subscribe((struct subscription_filter){0});
	subscribe((struct subscription_filter){.kinds = kinds_of(EVENT_PANE_CREATED)});
	subscribe((struct subscription_filter){.panes = panes, .panes_count = 3});
	subscribe((struct subscription_filter){.sessions = sessions, .sessions_count = 1});
	subscribe((struct subscription_filter){
	    .kinds = kinds_of(EVENT_PANE_OUTPUT) | kinds_of(EVENT_BELL),
	    .panes = panes,
	    .panes_count = 3});
	happens(EVENT_PANE_CREATED, 1, 7);
	expect("S1:1 S2:1 S3:1 S4:1 ", "pane_created of a pane that is named");
	happens(EVENT_PANE_CLOSED, 2, 8);
	expect("S1:2 ", "pane_closed of another");
	happens(EVENT_PANE_OUTPUT, 3, 7);
	expect("S5:3 ", "output goes to who asked for it");
	happens(EVENT_LAYOUT_CHANGED, MUXBUS_NO_ID, 7);
	expect("S1:4 S4:4 ", "layout_changed is about no pane");
	is_int(subscription_remove(set, "S1"), 0, "S1 ends");
	is_int(subscription_remove(set, "S1"), -1, "once");
	lose_server();
	expect("S3:5 S4:5 ", "server_lost concerns everybody who takes its kind");
	happens(EVENT_PANE_CREATED, 1, 7);
	expect("S2:6 ", "the ids of the next server are not those that were named");
	end();
}

static void test_windows(void)
{
	static const uint32_t windows[] = {4};
	struct event_scope scope = {.pane = 1, .window = 4, .sessions = {MUXBUS_NO_ID}};
	begin(100);
	subscribe((struct subscription_filter){.windows = windows, .windows_count = 1});
	happens(EVENT_PANE_CREATED, 1, 7);
	(void)event_log_publish(program.events, EVENT_PANE_CREATED, &scope, "", 0, true);
	scope.window = 5;
	(void)event_log_publish(program.events, EVENT_PANE_CREATED, &scope, "", 0, true);
	expect("S1:2 ", "only of the window that is named");
	end();
}

/* The queue asks whether a program has read the event of a notification. */
static void test_internal(void)
{
	struct subscription_sink sink = {.event = hear_event, .gap = hear_gap, .is_internal = true};
	begin(100);
	subscription_set_free(set);
	set = subscription_set_new(&program, &sink);
	subscribe((struct subscription_filter){0});
	happens(EVENT_NOTIFICATION, 1, 7);
	expect("S1:1 ", "a part of the daemon gets an event");
	ok(!event_log_after(program.events, 0)->is_sent, "which counts as sent to no program");
	end();
	begin(100);
	subscribe((struct subscription_filter){0});
	happens(EVENT_NOTIFICATION, 1, 7);
	expect("S1:1 ", "a peer gets an event");
	ok(event_log_after(program.events, 0)->is_sent, "which was sent");
	end();
}

static void test_wants(void)
{
	static const uint32_t panes[] = {1};
	begin(100);
	subscribe((struct subscription_filter){0});
	ok(wants[STREAM_TEXT] == 0 && wants[STREAM_MARKS] == 0 && detail_wants == 0,
	    "a plain subscription costs tmux nothing");
	subscribe((struct subscription_filter){.wants_output = true});
	ok(wants[STREAM_TEXT] == 1 && wants[STREAM_MARKS] == 0, "output is followed");
	subscribe((struct subscription_filter){
	    .kinds = kinds_of(EVENT_BELL), .panes = panes, .panes_count = 1});
	ok(wants[STREAM_MARKS] == 0 && pane_wants[STREAM_MARKS] == 1, "marks of one pane");
	subscribe((struct subscription_filter){.kinds = kinds_of(EVENT_TITLE_CHANGED)});
	is_int(detail_wants, 1, "titles are asked for");
	(void)subscription_remove(set, "S2");
	is_int(wants[STREAM_TEXT], 0, "and released");
	lose_server();
	end();
}

/* Only a client of tmux gets some kinds. */
static void test_follows(void)
{
	const uint64_t line = UINT64_C(1) << EVENT_LINE, closed = UINT64_C(1) << EVENT_PANE_CLOSED;
	const uint64_t layout = UINT64_C(1) << EVENT_LAYOUT_CHANGED;
	ok(subscription_follows(0, false, true), "all kinds need a client");
	ok(subscription_follows(line, true, false) && !subscription_follows(line, true, true),
	    "output and lines do without pipes");
	ok(subscription_follows(layout, false, true), "layouts do");
	ok(subscription_follows(closed, false, true) &&
		!subscription_follows(closed | line, false, true),
	    "the end of a pane does, unless a pipe tells it");
	ok(!subscription_follows(UINT64_C(1) << EVENT_NOTIFICATION, false, false),
	    "notifications never do");
}

static void test_replay(void)
{
	char name[SUBSCRIPTION_NAME_SIZE];
	struct subscription_filter all = {0};
	begin(4);
	for (int i = 0; i < 6; i++)
		happens(EVENT_PANE_CREATED, 1, 1);
	subscribe((struct subscription_filter){.after = 4, .has_after = true});
	expect("S1:5 S1:6 ", "what is remembered behind a number");
	subscribe((struct subscription_filter){.after = 0, .has_after = true});
	expect("S2:gap(1-2,forgotten) S2:3 S2:4 S2:5 S2:6 ", "what is not is a gap");
	subscribe((struct subscription_filter){.after = 6, .has_after = true});
	expect("", "nothing behind the last");
	subscribe((struct subscription_filter){
	    .after = 0, .has_after = true, .kinds = kinds_of(EVENT_BELL)});
	expect("S4:gap(1-2,forgotten) ", "only what is asked for");
	(void)subscription_remove(set, "S4");
	happens(EVENT_PANE_OUTPUT, 1, 1);
	happens(EVENT_PANE_CREATED, 1, 1);
	expect("S1:8 S2:8 S3:8 ", "then it goes on live");
	subscribe(
	    (struct subscription_filter){.after = 5, .has_after = true, .wants_output = true});
	expect("S5:6 S5:gap(7-7,output_not_kept) S5:8 ",
	    "output that is not kept is a gap in its place");
	(void)subscription_add(set, &all, name);
	happens(EVENT_PANE_CREATED, 1, 1);
	happens(EVENT_PANE_CREATED, 1, 1);
	expect("S1:9 S2:9 S3:9 S5:9 S1:10 S2:10 S3:10 S5:10 ", "before it starts it is silent");
	subscription_start(set, name);
	expect("S6:9 S6:10 ", "and misses nothing");
	end();
}

static void test_slow(void)
{
	begin(100);
	subscribe((struct subscription_filter){0});
	happens(EVENT_PANE_CREATED, 1, 1);
	is_full = true;
	happens(EVENT_PANE_CREATED, 1, 1);
	happens(EVENT_PANE_CREATED, 1, 1);
	subscription_set_catch_up(set);
	happens(EVENT_PANE_CREATED, 1, 1);
	is_full = false;
	happens(EVENT_PANE_CREATED, 1, 1);
	expect("S1:1 ", "behind a hole nothing is sent before the gap");
	subscription_set_catch_up(set);
	happens(EVENT_PANE_CREATED, 1, 1);
	expect("S1:gap(2-5,slow) S1:6 ", "one gap tells of it all, then it goes on");
	end();
}

int main(void)
{
	buf_init(&heard, 65536);
	test_filters();
	test_windows();
	test_internal();
	test_wants();
	test_follows();
	test_replay();
	test_slow();
	buf_finish(&heard);
	return done_testing();
}
