/* SPDX-License-Identifier: ISC */
/*
 * The output of panes, with a fake tmux of this test: interest is counted and requested once, text
 * is cut between characters only, marks come after the text before them, gaps are reported to the
 * subscribers they affect.
 */
#include <event2/event.h>
#include <muxbus.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/tokenizer.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/output_source.h"
#include "daemon/tmux/pane_events.h"
#include "daemon/tmux/pane_lines.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"
#include "tap.h"
#include "wire/json.h"

/* Fakes of the functions that stream.c calls. */

static struct muxbus_pane panes[2];
static size_t pane_count = 2;
static int wanted[2], wanted_all; /* counts of interest in the sources of output */
static struct buf told; /* events, one a line */

const struct muxbus_pane *muxbus_model_pane(const struct muxbus_model *model, uint32_t id)
{
	(void)model;
	for (size_t i = 0; i < pane_count; i++)
		if (panes[i].id == id)
			return &panes[i];
	return NULL;
}

const struct muxbus_pane *muxbus_model_next_pane(
    const struct muxbus_model *model, const struct muxbus_pane *previous)
{
	const struct muxbus_pane *next = previous != NULL ? previous + 1 : panes;
	(void)model;
	return next < panes + pane_count ? next : NULL;
}

static void (*give_late)(struct output_source *source, const uint8_t *bytes, size_t len);
static const char *rest; /* last output of %1, after the end of its program or pane */

bool output_source_needs_control(const struct output_source_set *sources)
{
	return sources == NULL;
}

struct output_source_set *output_source_set_new(struct event_base *event_base,
    const struct config *conf, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len))
{
	(void)event_base, (void)conf, (void)tmux;
	give_late = late;
	return NULL;
}

void output_source_set_free(struct output_source_set *sources)
{
	(void)sources;
	wanted_all = 0;
}

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane)
{
	*source = (struct output_source){.set = sources, .pane = pane};
}
void output_source_want(struct output_source *source, bool is_wanted)
{
	wanted[source->pane] = is_wanted;
}

void output_source_want_all(struct output_source_set *sources, bool is_wanted)
{
	(void)sources;
	wanted_all = is_wanted;
}

void output_source_respawned(struct output_source *source)
{
	(void)source;
}

bool output_source_is_deaf(const struct output_source *source)
{
	return source == NULL;
}

bool output_source_drain(struct output_source *source, size_t max)
{
	(void)max;
	if (source->pane == 1 && rest != NULL)
		give_late(source, (const uint8_t *)rest, strlen(rest));
	rest = NULL;
	return false;
}

bool output_source_finish(struct output_source *source)
{
	(void)output_source_drain(source, 0);
	return source->is_cut;
}

uint32_t output_source_piped(const struct output_source_set *sources)
{
	return sources == NULL ? 0 : 1;
}

void tmux_set_reader(
    struct tmux *tmux, const struct tmux_reader *reader, struct stream_set *streams)
{
	(void)tmux, (void)reader, (void)streams;
}

void tmux_followed(struct tmux *tmux)
{
	(void)tmux;
}

struct muxbus_sync *tmux_sync(struct tmux *tmux)
{
	return (struct muxbus_sync *)tmux; /* is NULL */
}

const struct muxbus_model *tmux_model(const struct tmux *tmux)
{
	return (const struct muxbus_model *)tmux; /* is NULL */
}

void tmux_scope_pane(const struct tmux *tmux, uint32_t pane, struct event_scope *ret_scope)
{
	(void)tmux;
	*ret_scope = (struct event_scope){.pane = pane, .window = 1};
}

uint64_t event_log_publish(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len, bool keep)
{
	static const char *const names[EVENT_KIND_COUNT_] = {
	    [EVENT_BELL] = "bell",
	    [EVENT_COMMAND_FINISHED] = "finished",
	    [EVENT_COMMAND_STARTED] = "started",
	    [EVENT_GAP] = "gap",
	    [EVENT_LINE] = "line",
	    [EVENT_PANE_OUTPUT] = "output",
	    [EVENT_PANE_QUIET] = "quiet",
	    [EVENT_PROGRAM_NOTIFIED] = "notified",
	    [EVENT_PROGRESS_CHANGED] = "progress",
	};
	(void)log, (void)scope, (void)keep;
	buf_printf(&told, "%s ", names[kind]);
	buf_append(&told, members, members_len);
	buf_append_byte(&told, '\n');
	return 1;
}

static struct event_base *base;
static struct config config;

static int64_t quiet_ms = 600000; /* none falls quiet, however slow the machine is */

static struct stream_set *begin(void)
{
	memset(panes, 0, sizeof panes);
	memset(wanted, 0, sizeof wanted);
	panes[1].id = 1;
	pane_count = 2;
	config = (struct config){.limits = {.ring_bytes = 100, .quiet_ms = quiet_ms}};
	buf_clear(&told);
	return stream_set_new(base, &config, NULL, NULL);
}

/* Like the library: the offset is after the bytes when they are handed over. */
static void feed(struct stream_set *streams, uint32_t pane, const char *bytes, size_t len)
{
	panes[pane].output_offset += len;
	stream_set_output(streams, pane, (const uint8_t *)bytes, len);
}

static void say(struct stream_set *streams, uint32_t pane, const char *text)
{
	feed(streams, pane, text, strlen(text));
}

static void turn(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

/* The reports since the last time, without durations. */
static const char *take_told(void)
{
	static char text[65536];
	snprintf(text, sizeof text, "%s", told.data != NULL ? (const char *)told.data : "");
	buf_clear(&told);
	for (char *at = text, *end; (at = strstr(at, ",\"duration_ms\":")) != NULL; at++)
		if ((end = at + 15 + strspn(at + 15, "0123456789")) > at + 15)
			memmove(at, end, strlen(end) + 1);
	return text;
}

static void check_read(
    struct stream_set *streams, uint64_t offset, const char *want, const char *gap)
{
	struct buf out;
	struct stream_slice slice;
	buf_init(&out, 1000);
	stream_read(streams, 0, offset, 1000, &out, &slice);
	is_mem(out.data != NULL ? (const char *)out.data : "", out.len, want, strlen(want),
	    "read at %d", (int)offset);
	is_str(slice.gap_reason != NULL ? slice.gap_reason : "", gap, "gap at %d", (int)offset);
	buf_finish(&out);
}

/* The last bytes of a pane, when the model has it no more. */
static void test_rest(void)
{
	struct stream_set *streams = begin();
	stream_want(streams, 1, STREAM_TEXT, true);
	say(streams, 1, "abc");
	rest = "def";
	stream_set_pane_exited(streams, 1);
	turn();
	is_str(take_told(), "output \"pane\":\"%1\",\"offset\":0,\"to\":6,\"text\":\"abcdef\"\n",
	    "output comes before the end of the program");
	rest = "ghi";
	pane_count = 1;
	stream_set_pane_closed(streams, 1);
	is_str(take_told(), "output \"pane\":\"%1\",\"offset\":6,\"to\":9,\"text\":\"ghi\"\n",
	    "and before the end of the pane, with its offset");
	stream_set_free(streams);
}

static void test_interest(void)
{
	struct stream_set *streams = begin();
	struct stream_stats stats;
	say(streams, 0, "nobody");
	turn();
	is_str(take_told(), "", "without interest nothing is reported");
	is_int(wanted[0], 0, "and nothing is requested from tmux");
	stream_want(streams, 0, STREAM_TEXT, true);
	stream_want(streams, 0, STREAM_MARKS, true);
	stream_want(streams, 0, STREAM_TEXT, true);
	is_int(wanted[0], 1, "all interest is one want");
	stream_want(streams, 0, STREAM_TEXT, false);
	stream_want(streams, 0, STREAM_MARKS, false);
	is_int(wanted[0], 1, "until the last");
	stream_want(streams, 0, STREAM_TEXT, false);
	is_int(wanted[0], 0, "goes");
	stream_want(streams, 0, STREAM_TEXT, false);
	is_int(wanted[0], 0, "one too many does no harm");
	stream_want(streams, MUXBUS_NO_ID, STREAM_RING, true);
	stream_want(streams, MUXBUS_NO_ID, STREAM_RING, true);
	is_int(wanted_all, 1, "every pane, also those to come");
	is_int(wanted[0] + wanted[1], 0, "needs no want of its own");
	stream_want(streams, MUXBUS_NO_ID, STREAM_RING, false);
	is_int(wanted_all, 1, "until the last");
	stream_set_pane_closed(streams, 1);
	stream_set_pane_created(streams, 1);
	say(streams, 1, "x");
	stream_stats(streams, &stats);
	is_int(stats.rings, 2, "a new pane has its ring");
	stream_want(streams, 7, STREAM_RING, true);
	ok(true, "a pane that is not there does no harm");
	stream_set_free(streams);
	is_int(wanted_all, 0, "at the end nothing is wanted any more");
}

static void test_text(void)
{
	struct stream_set *streams = begin();
	stream_want(streams, 0, STREAM_TEXT, true);
	say(streams, 0, "one ");
	say(streams, 0, "two");
	turn();
	is_str(take_told(), "output \"pane\":\"%0\",\"offset\":0,\"to\":7,\"text\":\"one two\"\n",
	    "one turn is one event");
	feed(streams, 0, "\342\234", 2);
	turn();
	is_str(take_told(), "", "half a character waits");
	feed(streams, 0, "\223!\303", 3);
	turn();
	is_str(take_told(),
	    "output \"pane\":\"%0\",\"offset\":7,\"to\":11,\"text\":\"\342\234\223!\"\n",
	    "for its other half");
	feed(streams, 0, "x", 1);
	turn();
	is_str(take_told(),
	    "output \"pane\":\"%0\",\"offset\":11,\"to\":13,\"text\":\"\357\277\275x\",\"lossy\":"
	    "true\n",
	    "invalid bytes are marked lossy");
	feed(streams, 0, "\303", 1);
	stream_set_pane_closed(streams, 0);
	is_str(take_told(),
	    "output \"pane\":\"%0\",\"offset\":13,\"to\":14,\"text\":\"\357\277\275\",\"lossy\":"
	    "true\n",
	    "the end reports the remaining bytes");
	stream_set_free(streams);
}

/* Every way to cut a text in three gives the same text, without loss. */
static void test_cuts(void)
{
	static const char text[] = "a\303\251\342\234\223\360\237\246\212z";
	const size_t len = sizeof text - 1;
	unsigned wrong = 0;
	for (size_t i = 0; i <= len; i++)
		for (size_t j = i; j <= len; j++) {
			struct stream_set *streams = begin();
			stream_want(streams, 0, STREAM_TEXT, true);
			feed(streams, 0, text, i);
			turn();
			feed(streams, 0, text + i, j - i);
			turn();
			feed(streams, 0, text + j, len - j);
			turn();
			wrong += strstr(take_told(), "lossy") != NULL;
			stream_set_free(streams);
		}
	is_int(wrong, 0, "no cut makes a loss");
}

static void test_big(void)
{
	struct stream_set *streams = begin();
	static char big[3 * PANE_EVENTS_TEXT_MAX + 10];
	unsigned events = 0;
	size_t line_max = 0;
	char *line;
	memset(big, 'x', sizeof big);
	stream_want(streams, 0, STREAM_TEXT, true);
	feed(streams, 0, big, sizeof big);
	turn();
	line = (char *)told.data;
	for (char *end; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		events++;
		if ((size_t)(end - line) > line_max)
			line_max = (size_t)(end - line);
	}
	is_int(events, 4, "much output is several events");
	ok(line_max < PANE_EVENTS_TEXT_MAX + 100, "each of a bounded size");
	stream_set_free(streams);
}

static void test_marks(void)
{
	struct stream_set *streams = begin();
	stream_want(streams, 0, STREAM_TEXT, true);
	stream_want(streams, 0, STREAM_MARKS, true);
	stream_want(streams, 1, STREAM_MARKS, true);
	say(streams, 0, "a\033]133;C\aout\033]133;D;3\ab\a\a");
	turn();
	is_str(take_told(),
	    "output \"pane\":\"%0\",\"offset\":0,\"to\":9,\"text\":\"a\\u001b]133;C\\u0007\"\n"
	    "started \"pane\":\"%0\",\"offset\":9,\"command_line\":null\n"
	    "output \"pane\":\"%0\",\"offset\":9,\"to\":22,\"text\":\"out\\u001b]133;D;3\\u0007\"\n"
	    "finished \"pane\":\"%0\",\"exit_status\":3,\"from\":9,\"to\":12\n"
	    "output \"pane\":\"%0\",\"offset\":22,\"to\":25,\"text\":\"b\\u0007\\u0007\"\n"
	    "bell \"pane\":\"%0\",\"offset\":24,\"count\":2\n",
	    "marks stand behind the text before them");
	for (int i = 0; i < 50; i++)
		say(streams, 0, "\033]133;C\a\033]133;D\a");
	turn();
	ok(strstr(take_told(), "\"reason\":\"too_many_marks\",\"count\":18"), "a flood is a gap");
	say(streams, 1, "\033]133;D\a\033]133;C;cmdline_url=a%20%22%C3%A4%zz%\a\033]133;C\a");
	say(streams, 1, "\033]133;D;2\a\033]133;A\a\033]133;D\a\033]133;C\a\033]133;A\a");
	turn();
	is_str(take_told(),
	    "finished \"pane\":\"%1\",\"exit_status\":null,\"from\":null,\"to\":0,"
	    "\"duration_ms\":null\n"
	    "started \"pane\":\"%1\",\"offset\":46,\"command_line\":\"a \\\"ä%zz%\"\n"
	    "finished \"pane\":\"%1\",\"exit_status\":2,\"from\":46,\"to\":54\n"
	    "started \"pane\":\"%1\",\"offset\":88,\"command_line\":null\n"
	    "finished \"pane\":\"%1\",\"exit_status\":null,\"from\":88,\"to\":88\n",
	    "an end alone; marks that are there twice count once; a prompt ends a command");
	stream_set_free(streams);
}

static void test_reports(void)
{
	struct stream_set *streams = begin();
	say(streams, 0, "\033]9;early\a");
	stream_want(streams, 0, STREAM_MARKS, true);
	say(streams, 0, "x\033]9;do\033[31m\033]777;notify;T;a\033\\");
	say(streams, 0, "\033]9;4;1;10\a\033]9;4;1;20\a");
	turn();
	is_str(take_told(),
	    "notified \"pane\":\"%0\",\"offset\":40,\"osc\":777,\"title\":\"T\",\"text\":\"a\"\n"
	    "progress \"pane\":\"%0\",\"offset\":62,\"state\":\"normal\",\"percent\":20\n",
	    "reports are events: of a turn only the last progress");
	say(streams, 0, "\033]9;4;1;20\a");
	turn();
	is_str(take_told(), "", "progress that has not changed is none");
	say(streams, 0, "\033]9;4;0\a");
	turn();
	ok(strstr(take_told(), "\"state\":\"none\",\"percent\":null"), "the end of the progress");
	for (int i = 0; i < 100; i++)
		say(streams, 0, "\033]9;x\a\033]9;4;1;5\a");
	turn();
	ok(strstr(take_told(), "\"reason\":\"too_many_marks\",\"count\":36"), "a flood is a gap");
	stream_set_free(streams);
}

static void test_quiet(void)
{
	struct stream_set *streams = begin();
	const char *text;
	stream_want(streams, 0, STREAM_MARKS, true);
	stream_want(streams, 1, STREAM_RING, true);
	say(streams, 0, "x");
	say(streams, 1, "x");
	for (int i = 0; i < 100 && told.len == 0; i++)
		event_base_loop(base, EVLOOP_ONCE);
	text = take_told();
	ok(strstr(text, "quiet \"pane\":\"%0\",\"offset\":1,") == text, "a pane becomes quiet");
	ok(!strstr(text, "%1"), "a pane without interest does not");
	ok(!loop_timer_is_any_armed(base), "then no timer runs");
	stream_set_free(streams);
}

static void test_reading(void)
{
	struct stream_set *streams = begin();
	panes[0].output_offset = 50;
	check_read(streams, 50, "", "");
	check_read(streams, 40, "", "not_watched");
	stream_lease(streams, 0, true);
	stream_set_gap(streams, 0, 50, "not_watched");
	is_int(wanted[0], 1, "a reader's lease wants output");
	say(streams, 0, "hello");
	check_read(streams, 50, "hello", "not_watched");
	check_read(streams, 52, "llo", "");
	stream_set_gap(streams, 0, 55, "reconnect");
	say(streams, 0, "world");
	check_read(streams, 52, "llo", "");
	check_read(streams, 55, "world", "reconnect");
	stream_set_server_lost(streams);
	check_read(streams, 60, "", "");
	stream_set_free(streams);

	streams = begin();
	panes[0].output_offset = 50;
	stream_lease(streams, 0, true);
	stream_set_gap(streams, 0, 50, "not_watched");
	say(streams, 0, "hello");
	check_read(streams, 50, "hello", "");
	stream_set_free(streams);

	streams = begin();
	stream_lease(streams, 0, true);
	stream_tell(streams, 0);
	stream_set_gap(streams, 0, 0, "not_watched");
	say(streams, 0, "hello");
	check_read(streams, 0, "hello", "not_watched");
	stream_set_free(streams);
}

static unsigned tap_bytes, tap_gaps, tap_ends;

static void on_tap(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	(void)tap, (void)bytes;
	is_int((long long)offset, tap_bytes, "a tap's offset");
	tap_bytes += (unsigned)len;
}

static void on_tap_gap(struct stream_tap *tap, uint64_t offset, const char *reason)
{
	(void)tap, (void)offset, (void)reason;
	tap_gaps++;
}

static void on_tap_end(struct stream_tap *tap)
{
	(void)tap;
	tap_ends++;
}

static void test_taps(void)
{
	struct stream_set *streams = begin();
	struct stream_tap first = {.output = on_tap, .gap = on_tap_gap, .closed = on_tap_end};
	struct stream_tap second = first;
	is_int(stream_tap_add(streams, 9, &first), -1, "no tap on a pane that is not there");
	is_int(stream_tap_add(streams, 0, &first), 0, "a tap");
	is_int(wanted[0], 1, "wants output");
	say(streams, 0, "abc");
	say(streams, 0, "de");
	stream_set_gap(streams, 0, 5, "reconnect");
	is_int(tap_bytes, 5, "gets it");
	is_int(tap_gaps, 1, "is called for gaps");
	stream_tap_remove(streams, 0, &first);
	is_int(wanted[0], 0, "and wants no more when it is removed");
	stream_tap_add(streams, 0, &first);
	stream_tap_add(streams, 0, &second);
	stream_set_pane_closed(streams, 0);
	is_int(tap_ends, 2, "the end of a pane ends its taps");
	stream_tap_remove(streams, 0, &first);
	stream_set_free(streams);
}

static struct buf seen_marks;

static void on_mark(struct stream_tap *tap, const struct token *token)
{
	(void)tap;
	buf_printf(&seen_marks, "%c%d-%d ", token->mark, (int)token->from, (int)token->to);
}

static void on_bytes(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	(void)tap, (void)offset, (void)bytes, (void)len;
}

static void check_marks(const char *want, const char *what)
{
	is_str(seen_marks.data != NULL ? (const char *)seen_marks.data : "", want, "%s", what);
	buf_clear(&seen_marks);
}

/* Marks go to taps that want them, split anywhere, beside the events. */
static void test_mark_taps(void)
{
	static const char text[] = "a\033]133;A\a$ \033[1mls\033]133;C\033\\out\033]133;D;0\a";
	struct stream_tap tap = {.mark = on_mark, .output = on_bytes, .closed = on_tap_end};
	struct stream_tap second = tap;
	struct stream_set *streams;
	unsigned wrong = 0;
	buf_init(&seen_marks, 1024 * 1024);
	for (size_t cut = 0; cut < sizeof text; cut++) {
		streams = begin();
		stream_tap_add(streams, 0, &tap);
		stream_want(streams, 0, STREAM_MARKS, cut % 2 == 0);
		feed(streams, 0, text, cut);
		feed(streams, 0, text + cut, sizeof text - 1 - cut);
		turn();
		wrong += strcmp((const char *)seen_marks.data, "A1-9 C17-26 D29-39 ") != 0;
		wrong += cut % 2 == 0 && strstr(take_told(), "finished") == NULL;
		buf_clear(&seen_marks);
		stream_set_free(streams);
	}
	is_int(wrong, 0, "every cut gives the same marks");

	streams = begin();
	stream_tap_add(streams, 0, &tap);
	stream_tap_add(streams, 0, &second);
	say(streams, 0, "\033]133;C\a");
	check_marks("C0-8 C0-8 ", "each tap gets each mark");
	stream_tap_remove(streams, 0, &second);
	say(streams, 0, "\033]133;D");
	stream_set_gap(streams, 0, 15, "reconnect");
	say(streams, 0, "\a");
	check_marks("", "a mark that a gap cuts is none");
	say(streams, 0, "\033]8;;never ended");
	stream_new_program(streams, 0);
	say(streams, 0, "\033]133;A\a");
	check_marks("A32-40 ", "a new program begins on an empty terminal");
	stream_set_pane_closed(streams, 0);
	stream_set_free(streams);
	buf_finish(&seen_marks);
}

static void test_endless_sequence(void)
{
	static char big[STREAM_SEQUENCE_MAX];
	struct stream_set *streams = begin();
	memset(big, 'x', sizeof big);
	stream_want(streams, 0, STREAM_MARKS, true);
	say(streams, 0, "\033]52;y\a");
	turn();
	is_str(take_told(), "", "a BEL ends a string");
	say(streams, 0, "\033]52;");
	feed(streams, 0, big, sizeof big - 10);
	say(streams, 0, "\a");
	turn();
	is_str(take_told(), "", "also a long one");
	say(streams, 0, "\033]52;");
	feed(streams, 0, big, sizeof big);
	say(streams, 0, "\a");
	turn();
	ok(strstr(take_told(), "bell") != NULL, "a longer one is given up");
	stream_set_free(streams);
}

static char found[64];
static unsigned watch_ends;

static void on_found(struct line_watch *watch, const struct line_found *line)
{
	(void)watch;
	snprintf(found, sizeof found, "%.*s@%d", (int)line->len, line->line, (int)line->offset);
}

static void on_watch_end(struct line_watch *watch)
{
	(void)watch;
	watch_ends++;
}

/* Lines of a pane: wanted while they are watched, through gaps, and beside marks. */
static void test_watches(void)
{
	struct stream_set *streams = begin();
	struct line_watch first = {.found = on_found, .closed = on_watch_end};
	struct line_watch second = first;
	char reason[200];
	struct pattern *pattern = pattern_new("fo+und", 6, reason, sizeof reason);
	is_int(stream_watch_add(streams, 9, &first, pattern), -1, "no watch without a pane");
	is_int(stream_watch_add(streams, 0, &first, pattern), 0, "a watch");
	is_int(wanted[0], 1, "wants output");
	stream_set_gap(streams, 0, 0, "not_watched");
	say(streams, 0, "\033[1mfoo\033[0");
	say(streams, 0, "mund");
	for (int i = 0; i < 10000 && found[0] == '\0'; i++)
		event_base_loop(base, EVLOOP_ONCE);
	is_str(found, "foound@14", "finds its pattern");
	stream_watch_remove(streams, 0, &first);
	is_int(wanted[0], 0, "and wants no more when it is removed");
	stream_want(streams, 0, STREAM_MARKS, true);
	stream_watch_add(streams, 0, &first, pattern);
	stream_watch_add(streams, 0, &second, pattern);
	stream_watch_remove(streams, 0, &first);
	stream_set_gap(streams, 0, 14, "reconnect");
	found[0] = '\0';
	say(streams, 0, "\033]133;C\afound\r\n");
	for (int i = 0; i < 10000 && found[0] == '\0'; i++)
		event_base_loop(base, EVLOOP_ONCE);
	is_str(found, "found@29", "behind a gap too");
	stream_watch_remove(streams, 0, &second);
	say(streams, 0, "\a");
	turn();
	ok(strstr(take_told(), "bell") != NULL, "marks go on without watches");
	stream_watch_add(streams, 0, &second, pattern);
	stream_set_pane_closed(streams, 0);
	is_int(watch_ends, 1, "the end of a pane ends its watches");
	stream_watch_remove(streams, 0, &second);
	stream_set_free(streams);
	pattern_free(pattern);
}

/* More lines than a turn has time for: the next turns look at them. */
static void test_slow_watches(void)
{
	enum { SLOW = 60 };
	static char text[60000];
	struct stream_set *streams = begin();
	struct line_watch watches[SLOW] = {0};
	struct pattern *patterns[SLOW];
	char reason[200];
	for (size_t at = 0; at < sizeof text; at++)
		text[at] = at % 60 == 59 ? '\n' : 'a';
	for (int at = 0; at < SLOW; at++) {
		patterns[at] = pattern_new("(a|b)+(c|d)|z$", 14, reason, sizeof reason);
		watches[at] = (struct line_watch){.found = on_found, .closed = on_watch_end};
		stream_watch_add(streams, 0, &watches[at], patterns[at]);
	}
	found[0] = '\0';
	feed(streams, 0, text, sizeof text);
	say(streams, 0, "z\n");
	for (int i = 0; i < 10000 && found[0] == '\0'; i++)
		event_base_loop(base, EVLOOP_ONCE);
	is_str(found, "z@60002", "the last line is found");
	for (int i = 0; loop_timer_is_any_armed(base) && i < 10000; i++)
		event_base_loop(base, EVLOOP_ONCE);
	ok(!loop_timer_is_any_armed(base), "then no timer runs");
	stream_set_free(streams);
	for (int at = 0; at < SLOW; at++)
		pattern_free(patterns[at]);
}

/* The line events since the last time, each as text@offset and a bar; ~: a gap. */
static const char *take_lines(void)
{
	static char lines[4096];
	char *at = (char *)told.data;
	lines[0] = '\0';
	while (at != NULL && (at = strpbrk(at, "lg")) != NULL) {
		char *text = strstr(at, "\"text\":\""), *offset = strstr(at, "\"offset\":");
		bool is_gap = *at == 'g';
		at += strcspn(at, "\n");
		if (is_gap)
			strcat(lines, "~");
		else if (text != NULL && text < at)
			snprintf(lines + strlen(lines), 200, "%.*s@%d|",
			    (int)strcspn(text + 8, "\""), text + 8, atoi(offset + 9));
	}
	buf_clear(&told);
	return lines;
}

static void test_lines(void)
{
	static const char text[] = "one\r\n\033[1mtw\303\266\033[0m\n\n50%\r100%\nax\bb\nrest";
	const size_t len = sizeof text - 1;
	struct stream_set *streams;
	unsigned wrong = 0;
	for (size_t i = 0; i <= len; i++) {
		streams = begin();
		stream_want(streams, 0, STREAM_LINES, true);
		feed(streams, 0, text, i);
		feed(streams, 0, text + i, len - i);
		wrong += strcmp(take_lines(), "one@5|tw\303\266@18|@19|100%@28|ab@33|") != 0;
		stream_set_free(streams);
		wrong += strcmp(take_lines(), "rest@37|") != 0;
	}
	is_int(wrong, 0, "lines are whole, with their ends, wherever the output is split");
	streams = begin();
	stream_want(streams, 0, STREAM_LINES, true);
	is_int(wanted[0], 1, "lines of a pane want its output");
	say(streams, 0, "half");
	stream_set_gap(streams, 0, 100, "slow");
	is_str(take_lines(), "half@4|~", "before a gap comes the rest of a line");
	stream_want(streams, 0, STREAM_LINES, false);
	say(streams, 0, "nothing\n");
	is_str(take_lines(), "", "without interest there are none");
	is_int(wanted[0], 0, "and no output is wanted");
	stream_want(streams, 0, STREAM_LINES, true);
	stream_set_gap(streams, 0, 110, "reconnect");
	is_str(take_lines(), "", "what was before new interest is no gap");
	stream_set_gap(streams, 0, 120, "reconnect");
	is_str(take_lines(), "~", "but what misses later is one, also without a line between");
	stream_want(streams, 0, STREAM_LINES, false);
	stream_want(streams, 0, STREAM_MARKS, true);
	stream_want(streams, 0, STREAM_LINES, true);
	stream_set_gap(streams, 0, 130, "reconnect");
	is_str(take_lines(), "~", "and so is what misses where output came already");
	stream_want(streams, 0, STREAM_LINES, false);
	stream_want(streams, 0, STREAM_MARKS, false);
	stream_set_free(streams);
}

static void test_many_lines(void)
{
	struct stream_set *streams = begin();
	char *text = xalloc(100000);
	unsigned parts = 0;
	stream_want(streams, MUXBUS_NO_ID, STREAM_LINES, true);
	memset(text, 'x', 100000);
	feed(streams, 0, text, 100000);
	for (const char *at = (const char *)told.data; (at = strstr(at, "\"part\":true")) != NULL;
	     at++)
		parts++;
	is_int(parts, 2, "a line without an end comes in parts");
	buf_clear(&told);
	text[60000] = '\n';
	feed(streams, 1, text, 60001);
	ok(strstr((const char *)told.data, "\"part\"") == NULL && told.len > 60000,
	    "a line of 60,000 bytes comes as one");
	buf_clear(&told);
	text[60000] = 'x';
	memset(text, '\n', 16384);
	feed(streams, 1, text, 100000);
	ok(strstr((const char *)told.data, "\"reason\":\"too_many_lines\",\"count\":1\n") != NULL,
	    "the beginning of a line behind too many lines is a gap");
	buf_clear(&told);
	memset(text, '\n', 100000);
	feed(streams, 1, text, 20000);
	ok(strstr((const char *)told.data, "\"reason\":\"too_many_lines\",\"count\":3616") != NULL,
	    "too many lines at once are a gap");
	stream_set_free(streams);
	buf_clear(&told);
	mem_free(text);
}

int main(void)
{
	base = event_base_new();
	buf_init(&told, 4096 * 1024);
	test_rest();
	test_interest();
	test_text();
	test_cuts();
	test_big();
	test_marks();
	test_reports();
	test_reading();
	test_taps();
	test_mark_taps();
	test_endless_sequence();
	test_watches();
	test_slow_watches();
	test_lines();
	test_many_lines();
	quiet_ms = 20;
	test_quiet();
	buf_finish(&told);
	event_base_free(base);
	return done_testing();
}
