/* SPDX-License-Identifier: ISC */
/*
 * Each allocation fails once while a listing is read, compared with another and reported:
 * it is done or refused whole, and nothing leaks.
 */
#include <string.h>

#include "fail_alloc.h"
#include "lib/model/change.h"
#include "lib/model/listing.h"
#include "lib/model/model.h"
#include "tap.h"

static const char sessions[] = "S\t$1\twork\t1\t2\tgroup\t0\t0\t\t3.3a\t1\n"
			       "S\t$2\tplay\t1\t2\tgroup\t0\t0\t\t3.3a\t1\n";
static const char windows[] = "W\t$1\t@0\t0\t*\tsh\t80\t24\tL\tL\t1\n"
			      "W\t$2\t@1\t0\t*\tsh\t80\t24\tL\tL\t1\n";
static const char panes[] = "P\t%0\t@0\t0\t80\t24\t0\t0\t1\t/dev/pts/1\tone\tsh\t/"
			    "\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t0\t0\t0\t1\n"
			    "P\t%1\t@1\t0\t80\t24\t0\t0\t2\t/dev/pts/2\ttwo\tsh\t/"
			    "\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t0\t0\t0\t1\n";
static const char clients[] = "C\t/dev/pts/9\t99\t$1\t3\t0\t0\t0\t1\n";

static struct muxbus_reply reply_of(const char *text)
{
	return (struct muxbus_reply){
	    .body = (const uint8_t *)text, .body_len = strlen(text), .blocks = 1};
}

static int compare(const struct muxbus_model *before, const struct muxbus_model *now)
{
	struct change_list list;
	int error;
	change_list_init(&list);
	change_find_new(&list, before, now);
	change_find_other(&list, before, now);
	change_find_gone(&list, before, now);
	error = list.error;
	change_list_finish(&list);
	return error;
}

/* 0 if all went well, else the error. */
static int scenario(void)
{
	const struct muxbus_reply some[] = {
	    reply_of(sessions), reply_of(windows), reply_of(panes), reply_of(clients)};
	const struct muxbus_reply none[] = {reply_of(""), reply_of(""), reply_of(""), reply_of("")};
	static const struct parts everything = {.all = true};
	struct listing first, second;
	int error = listing_read(some, 4, 0, &everything, NULL, &first);
	if (error != 0)
		return error;
	error = listing_read(none, 4, 0, &everything, NULL, &second);
	if (error == 0) {
		error = compare(second.model, first.model);
		if (error == 0)
			error = compare(first.model, second.model);
		model_free(second.model);
	}
	model_free(first.model);
	return error;
}

int main(void)
{
	unsigned refused = 0, wrong = 0, leaks = 0;
	size_t nth;
	for (nth = 0; nth < 1000; nth++) {
		int error;
		bool has_failed;
		fail_alloc_arm(nth);
		error = scenario();
		leaks += fail_alloc_live() != 0;
		has_failed = fail_alloc_disarm();
		if (!has_failed) {
			wrong += error != 0;
			break;
		}
		wrong += error != MUXBUS_ERR_NOMEM;
		refused += error == MUXBUS_ERR_NOMEM;
	}
	ok(nth > 10 && nth < 1000, "%zu allocations", nth);
	is_int(refused, (long long)nth, "the failure of each is reported");
	is_int(wrong, 0, "and nothing else");
	is_int(leaks, 0, "nothing leaks");
	return done_testing();
}
