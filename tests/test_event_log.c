/* SPDX-License-Identifier: ISC */
/* The event log: numbers, bytes of an event, the history, the listeners. */
#include "daemon/event/event_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

struct ear {
	struct event_log_listener listener;
	uint64_t last;
	unsigned count;
	struct event_entry *held;
};

static void hear(struct event_log_listener *listener, struct event_entry *event)
{
	struct ear *ear = list_entry(listener, struct ear, listener);
	ear->last = event->seq;
	ear->count++;
	if (ear->held == NULL)
		ear->held = event_entry_ref(event);
}

static uint64_t publish(struct event_log *log, const char *members, bool keep)
{
	return event_log_publish(log, EVENT_PANE_CREATED, NULL, members, strlen(members), keep);
}

static void test_kinds(void)
{
	int failures = 0;
	for (int kind = 0; kind < EVENT_KIND_COUNT_; kind++) {
		const struct event_kind_info *info = event_kind_info((enum event_kind)kind);
		failures +=
		    info->name == NULL || info->help == NULL || event_kind_find(info->name) != kind;
		if (kind > 0)
			failures += strcmp(event_kind_info((enum event_kind)(kind - 1))->name,
					info->name) >= 0;
	}
	is_int(failures, 0, "each kind has a name, in order, that is found");
	is_int(event_kind_find("pane"), -1, "a part of a name is not a name");
	is_int(event_kind_find("zebra"), -1, "nor is text after the last name");
	is_str(event_kind_nearest("pane_exitd"), "pane_exited", "the nearest name");
	ok(event_kind_nearest("completely else") == NULL, "none is near");
}

static void test_patterns(void)
{
	const char *const *members = event_kinds_members(event_kinds_find("pane_exited"), false);
	size_t count = 0;
	ok(event_kinds_find("bell") == UINT64_C(1) << EVENT_BELL, "a name means its kind");
	ok(event_kinds_find("server_*") ==
		(UINT64_C(1) << EVENT_SERVER_FOUND | UINT64_C(1) << EVENT_SERVER_LOST),
	    "a pattern means all that match");
	ok(!(event_kinds_find("*") >> EVENT_PANE_OUTPUT & 1), "but never pane_output");
	ok(event_kinds_find("pane_output") == UINT64_C(1) << EVENT_PANE_OUTPUT, "which is named");
	ok(event_kinds_find("zebra_*") == 0 && event_kinds_find("") == 0, "or none");
	is_str(members[0], "pane", "members come in their order");
	is_str(members[4], "signal_name", "all of them");
	ok(members[5] == NULL, "and no more");
	for (int kind = 0; kind < EVENT_KIND_COUNT_; kind++)
		count += event_kinds_members(UINT64_C(1) << kind, false)[0] == NULL;
	is_int((long long)count, 0, "every kind has members");
	members = event_kinds_members(~UINT64_C(0), false);
	for (count = 0; members[count] != NULL; count++)
		;
	ok(count > 40 && count < EVENT_MEMBERS_MAX, "all together fit");
}

static void test_publish(void)
{
	char reason[64];
	struct event_log *log = event_log_new(NULL, 4, 1 << 20, reason, sizeof reason);
	struct ear ear = {.listener.event = hear};
	const char *why;
	struct event_entry *event;
	is_int((long long)event_log_oldest(log), 1, "an empty log remembers nothing");
	event_log_listen(log, &ear.listener);
	is_int((long long)publish(log, "\"pane\":\"%1\"", true), 1, "the first number");
	event = event_log_after(log, 0);
	ok(event != NULL && strstr(event->json, "\"seq\":1,\"time\":\"2"),
	    "its number stands in it");
	ok(event != NULL && strstr(event->json, "Z\",\"kind\":\"pane_created\",\"pane\":\"%1\""),
	    "and its kind and members: %s", event != NULL ? event->json : "");
	is_int(
	    (long long)event->json_len, (long long)strlen(event->json), "its length is reported");
	ok(event->scope.pane == UINT32_MAX && event->scope.sessions[0] == UINT32_MAX,
	    "it has no subject");
	publish(log, "", true);
	event = event_log_after(log, 1);
	ok(event != NULL && event->json[event->json_len - 1] == '"',
	    "no comma behind the last member");
	is_int(ear.count, 2, "the listener got both");
	ok(event_log_after(log, 2) == NULL, "after the last there is none");

	why = "";
	for (int i = 0; i < 4; i++)
		publish(log, "\"x\":1", true);
	is_int((long long)event_log_oldest(log), 3, "only a limited number is kept");
	is_int((long long)event_log_last(log), 6, "the last number");
	is_int((long long)event_log_after(log, 0)->seq, 3, "the remaining events");
	is_int((long long)event_log_after(log, 4)->seq, 5, "the events after one");
	is_int((long long)event_log_missed(log, 0, &why), 2,
	    "the number of forgotten events is reported");
	is_str(why, "forgotten", "and why");
	is_int((long long)event_log_missed(log, 2, &why), 0, "no event was missed after it");
	ok(ear.held != NULL && ear.held->seq == 1 && strstr(ear.held->json, "%1"),
	    "a holder of an event keeps it although the log forgot it");

	publish(log, "", false);
	is_int((long long)ear.last, 7, "an event that is not kept is reported");
	ok(event_log_after(log, 6) == NULL, "but not remembered");
	is_int((long long)event_log_unkept(log), 7, "and its number is known");
	list_remove(&ear.listener.link);
	publish(log, "", true);
	is_int((long long)ear.last, 7, "a removed listener gets nothing");
	event_log_free(log);
	event_entry_unref(ear.held);
}

static void test_bytes(void)
{
	char reason[64];
	struct event_log *log = event_log_new(NULL, 1000, 4096, reason, sizeof reason);
	char big[5000];
	const char *why;
	uint64_t oldest;
	memset(big, ' ', sizeof big);
	big[sizeof big - 1] = '\0';
	for (int i = 0; i < 100; i++)
		publish(log, "\"x\":1", true);
	oldest = event_log_oldest(log);
	ok(oldest > 50 && oldest < 100, "bytes are bounded too (oldest %" PRIu64 ")", oldest);
	publish(log, big, true);
	is_int((long long)event_log_oldest(log), 102, "an event that is too big is not kept");
	is_int((long long)event_log_missed(log, 100, &why), 101, "and counts as forgotten");
	is_int((long long)publish(log, "", true), 102, "the log continues");
	is_int((long long)event_log_after(log, 0)->seq, 102, "with the next event");
	event_log_free(log);
}

static void test_gap(void)
{
	struct buf out;
	buf_init(&out, 1000);
	event_gap_format(&out, 3, 9, "slow");
	ok(strstr((char *)out.data, "\"seq\":9,\"time\":\"") == (char *)out.data &&
		strstr(
		    (char *)out.data, "\"kind\":\"gap\",\"from\":3,\"to\":9,\"reason\":\"slow\""),
	    "a gap reports its bounds: %s", (char *)out.data);
	buf_finish(&out);
}

int main(void)
{
	test_kinds();
	test_patterns();
	test_publish();
	test_bytes();
	test_gap();
	return done_testing();
}
