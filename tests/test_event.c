/* SPDX-License-Identifier: ISC */
/* The table of events, and lines taken apart by it. */
#include "lib/stream/event.h"

#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "tap.h"

/* A line as recorder.h writes it. */
static void is_event(const char *line, const char *want)
{
	struct recorder recorder;
	char *text;
	recorder_init(&recorder);
	recorder_feed(&recorder, line, strlen(line));
	recorder_feed(&recorder, "\n", 1);
	text = strdup(recorder_text(&recorder));
	if (text[0] != '\0')
		text[strlen(text) - 1] = '\0';
	is_str(text, want, "%s", line);
	free(text);
	recorder_finish(&recorder);
}

static void test_table(void)
{
	const struct muxbus_event_info *row = muxbus_event_table();
	int count = 0;
	for (; row->name != NULL; row++, count++) {
		is_int(row->kind, count + 1, "%s: the order of the kinds is that of the table",
		    row->name);
		ok(row->since[0] >= '1' && row->since[1] == '.', "%s: since", row->name);
		if (count > 0)
			ok(strcmp(row[-1].name, row->name) < 0, "%s: sorted", row->name);
	}
	is_int(count, MUXBUS_EVENT_WINDOW_RENAMED, "no kind is missing");
}

static void test_lines(void)
{
	is_event("%client-detached client-12", "event client-detached ~client-12");
	is_event("%client-session-changed /dev/pts/3 $4 a name",
	    "event client-session-changed ~/dev/pts/3 $4 =a name");
	is_event("%config-error x.conf:1: unknown command: y",
	    "event config-error =x.conf:1: unknown command: y");
	is_event("%continue %7", "event continue %7");
	is_event("%exit", "event exit =");
	is_event("%exit ", "event exit =");
	is_event("%exit server exited", "event exit =server exited");
	is_event("%layout-change @1 a b *Z", "event layout-change @1 /a/b/*Z");
	is_event("%layout-change @1 a b ", "event layout-change @1 /a/b/");
	is_event("%layout-change @1 a b", "event layout-change @1 /a/b");
	is_event("%layout-change @1 a", "event layout-change @1 /a");
	is_event("%layout-change @1  b *", "event layout-change @1 //b/*");
	is_event("%layout-change @1 ", "event layout-change @1 /");
	is_event("%layout-change @1", "event ?layout-change @1");
	is_event("%message ", "event message =");
	is_event("%message  two  spaces ", "event message = two  spaces ");
	is_event("%pane-mode-changed %3", "event pane-mode-changed %3");
	is_event("%paste-buffer-changed buffer 0", "event paste-buffer-changed =buffer 0");
	is_event("%paste-buffer-deleted b", "event paste-buffer-deleted =b");
	is_event("%pause %0", "event pause %0");
	is_event("%session-changed $0 ", "event session-changed $0 =");
	is_event("%session-changed $0", "event session-changed $0 =");
	is_event("%session-renamed $1 x", "event session-renamed $1 =x");
	is_event("%session-window-changed $1 @2", "event session-window-changed $1 @2");
	is_event("%sessions-changed", "event sessions-changed");
	is_event("%unlinked-window-add @1", "event unlinked-window-add @1");
	is_event("%unlinked-window-close @1", "event unlinked-window-close @1");
	is_event("%unlinked-window-renamed @1 n", "event unlinked-window-renamed @1 =n");
	is_event("%window-add @1", "event window-add @1");
	is_event("%window-close @4294967294", "event window-close @4294967294");
	is_event("%window-pane-changed @1 %2", "event window-pane-changed @1 %2");
	is_event("%window-renamed @0 ", "event window-renamed @0 =");
	is_event("%window-renamed @0 : $1 @2", "event window-renamed @0 =: $1 @2");
}

static void test_subscriptions(void)
{
	is_event("%subscription-changed x $1 @2 3 %4 : v",
	    "event subscription-changed !x $1 @2 #3 %4 =v");
	is_event("%subscription-changed x $1 - - - : a : b ",
	    "event subscription-changed !x $1 =a : b ");
	is_event(
	    "%subscription-changed x $1 @2 3 - : ", "event subscription-changed !x $1 @2 #3 =");
	is_event("%subscription-changed x $1 @2 3 - :", "event subscription-changed !x $1 @2 #3 =");
	is_event("%subscription-changed x $1 @2 3 %4 new words : v",
	    "event subscription-changed !x $1 @2 #3 %4 =v");
	is_event(
	    "%subscription-changed x $1 @2 3 %4 v", "event ?subscription-changed x $1 @2 3 %4 v");
	is_event("%subscription-changed x $1 @2 y %4 : v",
	    "event ?subscription-changed x $1 @2 y %4 : v");
	is_event("%subscription-changed", "event ?subscription-changed ");
}

static void test_malformed(void)
{
	is_event("%", "event ? ");
	is_event("% x", "event ? x");
	is_event("%window-add", "event ?window-add ");
	is_event("%window-add ", "event ?window-add ");
	is_event("%window-add 1", "event ?window-add 1");
	is_event("%window-add @", "event ?window-add @");
	is_event("%window-add -", "event ?window-add -");
	is_event("%window-add %1", "event ?window-add %1");
	is_event("%window-add  @1", "event ?window-add  @1");
	is_event("%window-add @4294967296", "event ?window-add @4294967296");
	is_event("%window-add @1x", "event ?window-add @1x");
	is_event("%window-add @1 more", "event window-add @1");
	is_event("%window-addition @1", "event ?window-addition @1");
	is_event("%window-pane-changed @1", "event ?window-pane-changed @1");
	is_event("%session-window-changed @1 $1", "event ?session-window-changed @1 $1");
	is_event("%Window-add @1", "event ?Window-add @1");
}

int main(void)
{
	test_table();
	test_lines();
	test_subscriptions();
	test_malformed();
	return done_testing();
}
