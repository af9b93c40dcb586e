/* SPDX-License-Identifier: ISC */
/* Kinds of events that providers publish: their numbers, and when these are given again. */
#include "daemon/event/published.h"

#include <stdio.h>

#include "tap.h"

#define BIT(kind) (UINT64_C(1) << (kind))

static int take(const char *name, const char *help, uint64_t oldest)
{
	return published_take(event_kind_find(name), name, help, oldest);
}

int main(void)
{
	int first = take("page_text", "A page.", 1), kind;
	char name[32];
	is_int(first, EVENT_KIND_COUNT_, "the first number");
	is_int(take("page_text", "A page.", 1), -1, "a kind that another provider has");
	is_int(take("bell", "A bell.", 1), -1, "a kind of the daemon");
	is_int(event_kind_find("page_text"), first, "it is found by its name");
	is_str(event_kind_info((enum event_kind)first)->help, "A page.", "with its help");
	ok(event_kinds_find("page_*") == BIT(first), "and by a pattern");
	is_str(event_kind_nearest("page_txt"), "page_text", "it is the nearest name");
	published_leave(first);
	is_int(event_kind_find("page_text"), first, "it is known when its provider has left");
	is_int(take("page_text", "A page.", 1), first, "which may come again");
	published_leave(first);
	published_hold(BIT(first) | BIT(EVENT_BELL), 1);
	for (int at = 1; at < EVENT_PUBLISHED_MAX; at++) {
		(void)snprintf(name, sizeof name, "kind_%d", at);
		kind = take(name, "", 1);
		published_note(kind, (uint64_t)at + 10);
	}
	is_int(take("more", "", 100), -2, "all numbers are given, and one is held by a filter");
	published_hold(BIT(first) | BIT(EVENT_BELL), -1);
	is_int(take("more", "", 100), first, "it is given again without the filter");
	ok(event_kind_find("page_text") == -1, "to another kind");
	published_leave(event_kind_find("kind_5"));
	is_int(take("late", "", 15), -2, "not while an event of it is remembered");
	is_int(take("late", "", 16), first + 5, "but then");
	ok(event_kind_info((enum event_kind)(EVENT_KINDS_MAX)) == NULL,
	    "no number beyond the last");
	return done_testing();
}
