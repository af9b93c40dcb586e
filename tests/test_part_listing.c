/* SPDX-License-Identifier: ISC */
/* Listing parts of a server: what was read replaces its part of the model, and the rest stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/listing.h"
#include "lib/model/model.h"
#include "tap.h"

#define WINDOW(session, id, index, flags, name) \
	session "\t" id "\t" index "\t" flags "\t" name "\t80\t24\tL\tL"
#define PANE(id, window, index, title)                                    \
	id "\t" window "\t" index "\t80\t24\t0\t0\t7\t/dev/pts/1\t" title \
	   "\tsh\t/\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t0\t0\t0\t1\n"
#define LINK(session, window, index, flags) session "\t" window "\t" index "\t" flags "\t1\n"

static const char sessions[] =
    "S\t$0\twork\t1\t2\t\t0\t0\t\t3.3a\t1\nS\t$1\tplay\t1\t2\t\t0\t0\t\t3.3a\t1\n";
static const char windows[] = "W\t" WINDOW("$0", "@0", "0", "*", "a") "\t1\nW\t" WINDOW(
    "$0", "@1", "1", "", "b") "\t1\nW\t" WINDOW("$1", "@2", "0", "*", "c") "\t1\n";
static const char panes[] = "P\t" PANE("%0", "@0", "0", "t0") "P\t" PANE(
    "%1", "@1", "0", "t1") "P\t" PANE("%2", "@1", "1", "t2") "P\t" PANE("%3", "@2", "0", "t3");
static const char clients[] = "C\t/dev/pts/9\t99\t$0\t5\t0\t0\t0\t1\n";

static struct muxbus_reply reply_of(const char *text)
{
	return (struct muxbus_reply){
	    .body = (const uint8_t *)text, .body_len = strlen(text), .blocks = 1};
}

static struct muxbus_model *whole(void)
{
	static const struct parts everything = {.all = true};
	const struct muxbus_reply replies[] = {
	    reply_of(sessions), reply_of(windows), reply_of(clients), reply_of(panes)};
	struct listing listing;
	if (listing_read(replies, 4, 0, &everything, NULL, &listing) != 0)
		abort();
	return listing.model;
}

/* Reads up to two replies as these parts of the server, after the whole listing. */
static int read_parts(
    const struct parts *parts, const char *one, const char *two, struct listing *ret_listing)
{
	const struct muxbus_reply replies[] = {reply_of(one), reply_of(two != NULL ? two : "")};
	struct muxbus_model *before = whole();
	int error = listing_read(replies, two != NULL ? 2 : 1, 0, parts, before, ret_listing);
	model_free(before);
	return error;
}

/* All ids of a model in a line, with the names of windows and the titles of panes. */
static const char *shape(const struct muxbus_model *model)
{
	static char text[1024];
	const struct muxbus_session *session = NULL;
	const struct muxbus_link *link = NULL;
	const struct muxbus_pane *pane = NULL;
	size_t len = 0;
	while ((session = muxbus_model_next_session(model, session)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "$%u %s @%u/%u; ",
		    session->id, session->name, session->current_window, session->windows);
	while ((link = muxbus_model_next_link(model, link)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "$%u:%d @%u %s; ",
		    link->session, link->index, link->window,
		    muxbus_model_window(model, link->window)->name);
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "@%u.%d %%%u %s; ",
		    pane->window, pane->index, pane->id, pane->title);
	return text;
}

/* Frees the model of the listing. */
static void is_shape(struct listing *listing, const char *expected, const char *what)
{
	is_str(shape(listing->model), expected, "%s", what);
	model_free(listing->model);
}

static void test_window(void)
{
	static const struct parts parts = {.windows = {.ids = {1}, .count = 1}};
	static const struct parts new = {.windows = {.ids = {7}, .count = 1}};
	struct listing listing;
	is_int(read_parts(&parts,
		   "V\t" WINDOW("$0", "@1", "1", "", "new") "\t" PANE("%2", "@1", "0", "t"), NULL,
		   &listing),
	    0, "a window is read");
	ok(parts_are_empty(&listing.more), "nothing more is to be listed");
	is_shape(&listing,
	    "$0 work @0/2; $1 play @2/1; $0:0 @0 a; $0:1 @1 new; $1:0 @2 c; @0.0 %0 t0; @1.0 %2 t; "
	    "@2.0 %3 t3; ",
	    "its panes are those that were read, the rest stays");
	(void)read_parts(&new,
	    "V\t" WINDOW("$0", "@7", "5", "*", "n") "\t" PANE("%9", "@7", "0", "t"), NULL,
	    &listing);
	is_shape(&listing,
	    "$0 work @7/3; $1 play @2/1; $0:0 @0 a; $0:1 @1 b; $0:5 @7 n; $1:0 @2 c; @0.0 %0 t0; "
	    "@1.0 %1 t1; @1.1 %2 t2; @2.0 %3 t3; @7.0 %9 t; ",
	    "a new window comes with its link, and can be the current one");
	(void)read_parts(&new,
	    "V\t" WINDOW("$0", "@7", "1", "*", "n") "\t" PANE("%9", "@7", "0", "t"), NULL,
	    &listing);
	ok(part_ids_have(&listing.more.sessions, 0), "a taken index: the session is listed");
	model_free(listing.model);
	(void)read_parts(&new,
	    "V\t" WINDOW("$5", "@7", "1", "*", "n") "\t" PANE("%9", "@7", "0", "t"), NULL,
	    &listing);
	ok(listing.more.all, "an unknown session: all is listed");
	model_free(listing.model);
	(void)read_parts(&parts, "", NULL, &listing);
	ok(listing.more.all, "a window without panes: all is listed");
	model_free(listing.model);
}

static void test_session(void)
{
	static const struct parts parts = {.sessions = {.ids = {0}, .count = 1}};
	struct listing listing;
	(void)read_parts(&parts, "U\t$0\tnew\t1\t2\t\t0\t0\t\t3.3a\t" LINK("$0", "@1", "3", "*"),
	    NULL, &listing);
	is_shape(&listing,
	    "$0 new @1/1; $1 play @2/1; $0:3 @1 b; $1:0 @2 c; @1.0 %1 t1; @1.1 %2 t2; @2.0 %3 t3; ",
	    "a session is read: a window without a link is gone");
	(void)read_parts(&parts, "U\t$0\twork\t1\t2\t\t0\t0\t\t3.3a\t" LINK("$0", "@8", "3", "*"),
	    NULL, &listing);
	ok(part_ids_have(&listing.more.windows, 8), "an unknown window is listed next");
	model_free(listing.model);
	(void)read_parts(&parts,
	    "U\t$0\twork\t1\t2\tgroup\t0\t0\t\t3.3a\t" LINK("$0", "@0", "0", "*"), NULL, &listing);
	ok(listing.more.all, "a new group: all is listed");
	model_free(listing.model);
}

static void test_checks(void)
{
	static const struct parts ends = {.ends = {.ids = {0}, .count = 1}};
	static const struct parts place = {.places = {.ids = {2}, .count = 1}};
	struct listing listing;
	(void)read_parts(&ends, "E\t" LINK("$0", "@0", "0", "*") "E\t" LINK("$0", "@1", "1", ""),
	    NULL, &listing);
	ok(parts_are_empty(&listing.more), "the ends of a session are where they were");
	model_free(listing.model);
	(void)read_parts(&ends, "E\t" LINK("$0", "@0", "0", "*") "E\t" LINK("$0", "@1", "2", ""),
	    NULL, &listing);
	ok(part_ids_have(&listing.more.sessions, 0), "one is not: the session is listed");
	model_free(listing.model);
	(void)read_parts(&place, "Q\t%2\t@2\t1\n", NULL, &listing);
	ok(listing.is_torn && part_ids_have(&listing.more.windows, 2), "a pane has moved");
	model_free(listing.model);
	(void)read_parts(&place, "Q\t%0\t@0\t1\n", NULL, &listing);
	ok(!listing.is_torn && parts_are_empty(&listing.more),
	    "tmux shows another pane: it is gone");
	model_free(listing.model);
}

#define DETAIL(pane, window, session, window_index, index, more, title)                           \
	"D\t" pane "\t" window "\t" session "\t" window_index "\t" index "\t80\t" more "\t" title \
	"\t1\n"

static void test_details(void)
{
	static const struct parts parts = {.details = true};
	struct listing listing;
	(void)read_parts(&parts,
	    DETAIL("%0", "@0", "$0", "0", "0", "24\t0\t1\t0\t1\t0", "new%09title")
		DETAIL("%1", "@1", "$0", "1", "0", "24\t0\t0\t0\t0\t0", "t1")
		    DETAIL("%2", "@1", "$0", "1", "1", "24\t0\t0\t0\t0\t0", "t2")
			DETAIL("%3", "@2", "$1", "0", "0", "24\t0\t0\t0\t0\t0", "t3"),
	    NULL, &listing);
	ok(parts_are_empty(&listing.more), "all panes are at their places");
	ok(muxbus_model_pane(listing.model, 0)->alternate_screen &&
		muxbus_model_pane(listing.model, 0)->is_synchronized,
	    "flags are taken");
	is_str(muxbus_model_pane(listing.model, 0)->title, "new\ttitle", "and the title");
	model_free(listing.model);
	(void)read_parts(&parts,
	    DETAIL("%0", "@0", "$0", "4", "0", "24\t0\t1\t0\t1\t0", "t")
		DETAIL("%1", "@1", "$0", "1", "0", "24\t0\t0\t0\t0\t0", "t1")
		    DETAIL("%8", "@2", "$1", "0", "0", "24\t0\t0\t0\t0\t0", "t3")
			DETAIL("%3", "@2", "$1", "0", "0", "24\t0\t0\t0\t0\t0", "t3"),
	    NULL, &listing);
	ok(listing.more.tree, "another index: all links are listed");
	ok(part_ids_have(&listing.more.windows, 1), "a missing pane: its window");
	ok(part_ids_have(&listing.more.windows, 2), "an unknown pane: its window");
	model_free(listing.model);
	(void)read_parts(&parts,
	    DETAIL("%0", "@0", "$0", "0", "0", "23\t1\t0\t0\t0\t0", "t0")
		DETAIL("%1", "@1", "$0", "1", "0", "24\t0\t0\t0\t0\t0", "t1")
		    DETAIL("%2", "@1", "$0", "1", "1", "24\t0\t0\t0\t0\t0", "t2")
			DETAIL("%3", "@2", "$1", "0", "5", "24\t0\t0\t0\t0\t0", "t3"),
	    NULL, &listing);
	ok(!listing.more.tree, "all links are where they were");
	ok(part_ids_have(&listing.more.windows, 0), "another place: its window");
	ok(part_ids_have(&listing.more.windows, 2), "another index: its window");
	model_free(listing.model);
	(void)read_parts(&parts,
	    DETAIL("%0", "@0", "$0", "0", "0", "24\t0\t0\t0\t0\t0", "t0")
		DETAIL("%3", "@2", "$0", "0", "0", "24\t0\t0\t0\t0\t0", "t3"),
	    NULL, &listing);
	ok(listing.more.tree, "an index of another session: all links are listed");
	model_free(listing.model);
}

#define INDEX(pane, window, session, window_index, index) \
	"I\t" pane "\t" window "\t" session "\t" window_index "\t" index "\t1\n"

static void test_indexes(void)
{
	static const struct parts parts = {.indexes = true};
	struct listing listing;
	(void)read_parts(&parts,
	    INDEX("%0", "@0", "$0", "0", "0") INDEX("%1", "@1", "$0", "1", "0"), NULL, &listing);
	ok(parts_are_empty(&listing.more), "panes are where they were");
	model_free(listing.model);
	(void)read_parts(&parts, INDEX("%1", "@1", "$0", "1", "1"), NULL, &listing);
	ok(part_ids_have(&listing.more.windows, 1) && !listing.more.tree, "a pane has moved");
	model_free(listing.model);
	(void)read_parts(&parts, INDEX("%0", "@1", "$0", "1", "0"), NULL, &listing);
	ok(part_ids_have(&listing.more.windows, 0) && part_ids_have(&listing.more.windows, 1),
	    "it is in another window: both are listed");
	model_free(listing.model);
	(void)read_parts(&parts, INDEX("%0", "@0", "$1", "0", "0"), NULL, &listing);
	ok(listing.more.tree && listing.more.windows.count == 0, "a window has moved");
	model_free(listing.model);
}

/* Replies that end anywhere, or hold something else, break nothing. */
static void test_cut(void)
{
	static const char *const texts[] = {
	    "V\t" WINDOW("$0", "@1", "1", "", "new") "\t" PANE("%2", "@1", "0", "t"),
	    "U\t$0\tnew\t1\t2\t\t0\t0\t\t3.3a\t" LINK("$0", "@1", "3", "*"),
	    "D\t%0\t@0\t$0\t0\t0\t80\t24\t0\t1\t0\t1\t0\tnew%09title\t1\n", "Q\t%2\t@2\t1\n",
	    "I\t%2\t@1\t$0\t0\t1\t1\n"};
	static const struct parts parts[] = {{.windows = {.ids = {1}, .count = 1}},
	    {.sessions = {.ids = {0}, .count = 1}}, {.details = true},
	    {.places = {.ids = {2}, .count = 1}}, {.indexes = true}};
	unsigned bad = 0;
	for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
		for (size_t len = 0; len <= strlen(texts[k]); len++) {
			char *copy = strndup(texts[k], len);
			struct listing listing;
			if (read_parts(&parts[k], copy, NULL, &listing) == 0)
				model_free(listing.model);
			else
				bad++;
			free(copy);
		}
	}
	is_int(bad, 1, "cut at every byte; a session without a record is gone");
	{
		struct muxbus_reply failed = {.error = MUXBUS_ERR_COMMAND};
		struct muxbus_model *before = whole();
		struct listing listing;
		is_int(listing_read(&failed, 1, 0, &parts[0], before, &listing), MUXBUS_ERR_COMMAND,
		    "the window is gone");
		model_free(before);
	}
}

static void test_many(void)
{
	struct parts parts = {0};
	for (uint32_t i = 0; i < PARTS_IDS_MAX; i++)
		parts_add_window(&parts, i);
	parts_add_window(&parts, 0);
	ok(!parts.all, "as many windows as there is room for");
	parts_add_window(&parts, 100);
	ok(parts.all, "one more makes it all");
}

/* A list without hooks says that it is whole; each shorter one is read again, or is no list. */
static void test_unhooked(void)
{
	static const struct parts parts = {
	    .windows = {.ids = {1}, .count = 1}, .is_unhooked = true};
	static const char text[] =
	    "V\t" WINDOW("$0", "@1", "1", "", "new") "\t" PANE("%2", "@1", "0", "t") "1\n";
	struct listing listing;
	unsigned bad = 0;
	for (size_t len = 0; len < sizeof text - 1; len++) {
		char *copy = strndup(text, len);
		if (read_parts(&parts, copy, NULL, &listing) == 0) {
			bad += !listing.is_cut;
			model_free(listing.model);
		}
		free(copy);
	}
	is_int(bad, 0, "a cut list without hooks is never taken for whole");
	if (is_int(read_parts(&parts, text, NULL, &listing), 0, "the whole one is read")) {
		ok(!listing.is_cut && muxbus_model_pane(listing.model, 2) != NULL, "with its pane");
		model_free(listing.model);
	}
	is_int(
	    read_parts(&parts, "1\n", NULL, &listing), MUXBUS_ERR_COMMAND, "no window: it is gone");
}

int main(void)
{
	test_window();
	test_session();
	test_checks();
	test_details();
	test_indexes();
	test_cut();
	test_unhooked();
	test_many();
	return done_testing();
}
