/* SPDX-License-Identifier: ISC */
/* Reading listings: whole, hostile, malformed, cut at every byte, and without memory. */
#include "lib/connection/command.h"
#include "lib/model/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/model.h"
#include "tap.h"

static const char sessions[] = "S\t$1\twork\t1700000000\t1700000009\tgroup one\t0\t0\t\t3.3a\t1\n"
			       "S\t$0\tit%09is 100%25\t1700000000\t5\t\ton\t0\t\t3.3a\t1\n"
			       "S\t$7\twork-7\t1\t2\tgroup one\tkeep-last\t0\t\t3.3a\t1\n";
static const char windows[] =
    "W\t$1\t@0\t0\t*\tsh\t80\t24\tb25d,80x24,0,0,0\tb25d,80x24,0,0,0\t1\n"
    "W\t$0\t@0\t5\t!*-\tsh\t80\t24\tb25d,80x24,0,0,0\tb25d,80x24,0,0,0\t1\n"
    "W\t$7\t@3\t-1\t#~*Z\t%25end 1 2 1\t80\t24\t\t\t1\n";
/* Titles and paths that look like lines of their own, or fields. */
static const char panes[] =
    "P\t%0\t@0\t0\t80\t24\t0\t0\t4711\t/dev/pts/1\tti%09tle\tbash\t/tmp/%0A%25session-renamed $0 "
    "x\t"
    "\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0\t1\n"
    "P\t%0\t@0\t0\t80\t24\t0\t0\t4711\t/dev/pts/1\tti%09tle\tbash\t/tmp/%0A%25session-renamed $0 "
    "x\t"
    "\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0\t1\n"
    "P\t%4\t@3\t1\t40\t24\t41\t-2\t\t/dev/pts/"
    "2\t\\\\\t\t\xff\xfe\tcopy-mode\t0\t1\t3\t\t1700000001\t1\t"
    "1\t1\t1\t1\t0\t0\t0\t1\n"
    "P\t%5\t@3\t0\t40\t24\t0\t0\t\t\t\t\t\t\t1\t1\t\t9\t\t0\t0\t0\t0\t\t0\t0\t0\t1\n";
static const char clients[] = "C\t/dev/pts/9\t99\t$1\t1700000009\t0\t1\t1\t1\n"
			      "C\tclient-5\t5\t$0\t1700000009\t1\t0\t0\t1\n"
			      "C\t/dev/pts/8\t98\t\t0\t0\t0\t0\t1\n";

static const struct parts everything = {.all = true};

static struct muxbus_reply reply_of(const char *text, size_t len)
{
	return (struct muxbus_reply){.body = (const uint8_t *)text, .body_len = len, .blocks = 1};
}

static int read_all(
    const char *s, const char *w, const char *p, const char *c, struct listing *ret_listing)
{
	const struct muxbus_reply replies[] = {reply_of(s, strlen(s)), reply_of(w, strlen(w)),
	    reply_of(c, strlen(c)), reply_of(p, strlen(p))};
	return listing_read(replies, 4, 0, &everything, NULL, ret_listing);
}

static void test_whole(void)
{
	struct listing listing;
	const struct muxbus_session *session;
	const struct muxbus_window *window;
	const struct muxbus_pane *pane;
	struct muxbus_model_counts counts;
	if (!ok(read_all(sessions, windows, panes, clients, &listing) == 0, "a listing is read"))
		return;
	is_int(listing.malformed, 0, "all of it");
	is_str(listing.version, "3.3a", "the version");
	muxbus_model_counts(listing.model, &counts);
	is_int(counts.sessions * 10000 + counts.windows * 1000 + counts.links * 100 +
		counts.panes * 10 + counts.clients,
	    32332, "as many of each as there are, but for a client without a session");
	session = muxbus_model_session(listing.model, 0);
	is_str(session->name, "it\tis 100%", "a name is decoded");
	ok(session->destroy_unattached && session->group == MUXBUS_NO_ID, "on is on, no group");
	ok(muxbus_model_session(listing.model, 7)->destroy_unattached, "keep-last is on as well");
	ok(!muxbus_model_session(listing.model, 1)->destroy_unattached, "0 is off");
	is_int(muxbus_model_session(listing.model, 7)->group, 1, "a group is its lowest session");
	is_int(muxbus_model_session(listing.model, 1)->group, 1, "for each of its members");
	is_int(muxbus_model_session(listing.model, 1)->attached, 1, "people are counted");
	window = muxbus_model_window(listing.model, 3);
	is_str(window->name, "%end 1 2 1", "a name like an end of a reply");
	ok(window->is_zoomed && window->has_activity && window->has_silence, "flags");
	is_int(window->active_pane, 5, "the active pane");
	pane = muxbus_model_pane(listing.model, 0);
	is_str(pane->path, "/tmp/\n%session-renamed $0 x", "a path with a newline");
	is_str(pane->title, "ti\ttle", "a title");
	ok(pane->pid == 4711 && pane->mouse_any && pane->mouse_sgr && !pane->mouse_utf8, "numbers");
	is_int(pane->exit_status, -1, "no exit status of one that runs");
	pane = muxbus_model_pane(listing.model, 4);
	ok(pane->is_dead && pane->exit_status == 3 && pane->exit_signal == 0, "a status");
	is_str(pane->path, "\xff\xfe", "bytes that are no text");
	ok(pane->top == -2 && pane->left == 41 && pane->pid == 0 && pane->in_mode, "the rest");
	pane = muxbus_model_pane(listing.model, 5);
	ok(pane->exit_status == -1 && pane->exit_signal == 9, "a signal");
	model_free(listing.model);
}

/* Programs set titles of any length. */
static void test_long(void)
{
	static char text[40000];
	struct listing listing;
	const char *title;
	size_t len = (size_t)snprintf(text, sizeof text, "P\t%%1\t@0\t0\t80\t24\t0\t0\t1\t\t");
	/* "%0A" is a newline; a character of three bytes lies across the limit. */
	for (size_t i = 0; i < 4095; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%%0A");
	for (size_t i = 0; i < 4000; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "\xe6\x97\xa5");
	(void)snprintf(
	    text + len, sizeof text - len, "\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0\t1");
	if (!ok(read_all(sessions, windows, text, clients, &listing) == 0, "a long title is read"))
		return;
	is_int(listing.malformed, 0, "with all of the pane");
	title = muxbus_model_pane(listing.model, 1)->title;
	is_int((long long)strlen(title), 4095, "it is cut at a character");
	is_int((long long)strspn(title, "\n"), 4095, "after it was decoded");
	model_free(listing.model);
}

/*
 * Counted texts hold TABs, newlines, quotes, and whole records of others. Texts that a program can
 * change between their length and themselves are encoded.
 */
static const char counted_sessions[] = "S\t$1\t\"4:work\t1\t2\t\"0:\t0\t0\t\t3.3a\t1\n";
static const char counted_windows[] =
    "W\t$1\t@0\t0\t*\t\"7:a\tb\nW\tc\t80\t24\tx,80x24,0,0,0\tx,80x24,0,0,0\t1\n";
#define COUNTED_PANE(title)                                    \
	"P\t%0\t@0\t0\t80\t24\t0\t0\t4711\t/dev/pts/1\t" title \
	"\t=bash\t=\"3:ab%0A%09\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0\t1\n"
static const char counted_panes[] = COUNTED_PANE("\"20:ti\nP\t%1\t@0\t\"9:x\n%end");

static int read_counted(const char *panes_text, size_t len, struct listing *ret_listing)
{
	static const struct parts counted = {.all = true, .is_counted = true};
	const struct muxbus_reply replies[] = {
	    reply_of(counted_sessions, sizeof counted_sessions - 1),
	    reply_of(counted_windows, sizeof counted_windows - 1), reply_of("", 0),
	    reply_of(panes_text, len)};
	return listing_read(replies, 4, 0, &counted, NULL, ret_listing);
}

static void test_counted(void)
{
	static const char *const bad[] = {
	    COUNTED_PANE("x"), /* no count */
	    COUNTED_PANE("\"x:x"),
	    COUNTED_PANE("\"3:x"), /* its end is no end of a field */
	    COUNTED_PANE("\"1:xyz"),
	    COUNTED_PANE("\"99999:x"),
	    COUNTED_PANE("\"18446744073709551615:x"),
	    COUNTED_PANE("\"-1:x"),
	    "P\t\"1",
	};
	struct listing listing;
	if (!ok(read_counted(counted_panes, sizeof counted_panes - 1, &listing) == 0,
		"counted texts are read"))
		return;
	is_int(listing.malformed, 0, "all of them");
	is_str(muxbus_model_window(listing.model, 0)->name, "a\tb\nW\tc", "a name");
	is_str(muxbus_model_pane(listing.model, 0)->title, "ti\nP\t%1\t@0\t\"9:x\n%end",
	    "a title like a record");
	is_str(muxbus_model_pane(listing.model, 0)->path, "\"3:ab\n\t", "a path like a count");
	model_free(listing.model);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char text[1024];
		int len = snprintf(text, sizeof text, "%s\n%s", bad[i], counted_panes);
		if (!ok(read_counted(text, (size_t)len, &listing) == 0, "bad count %zu is no error",
			i))
			continue;
		ok(listing.malformed >= 1 && muxbus_model_pane(listing.model, 1) == NULL,
		    "its record is left out, and no text is taken for one");
		model_free(listing.model);
	}
}

static void test_malformed(void)
{
	static const char *const bad[] = {
	    "", /* an empty line */
	    "P",
	    "P\t",
	    "X\t%1\n",
	    "%begin 1 2 3",
	    "P\t@1\t@0\t0\t80\t24\t0\t0\t1\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	    "P\t%1\t@0\t0\t-80\t24\t0\t0\t1\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	    "P\t%1\t@"
	    "0\t0\t80\t24\t0\t0\t99999999999\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	    "P\t%99999999999\t@"
	    "0\t0\t80\t24\t0\t0\t1\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	    "P\t\t@0\t0\t80\t24\t0\t0\t1\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	    "P\t%1\t@0\t0\t80\t24\t0\t0\t1\t\t\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0\tmore",
	    "P\t%1\t@0\t0\t80\t24\t0\t0\t1\t\t%zz\t\t\t\t1\t0\t\t\t\t0\t0\t0\t0\t\t1\t1\t0",
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char text[1024];
		struct listing listing;
		struct muxbus_model_counts counts;
		(void)snprintf(text, sizeof text, "%s\t1\n%s", bad[i], panes);
		if (!ok(read_all(sessions, windows, text, clients, &listing) == 0,
			"bad record %zu is no error", i))
			continue;
		muxbus_model_counts(listing.model, &counts);
		ok(listing.malformed >= 1 && counts.panes == 3, "it is left out and counted");
		model_free(listing.model);
	}
}

static void test_failed(void)
{
	struct muxbus_reply replies[4] = {reply_of(sessions, strlen(sessions)), reply_of("", 0),
	    reply_of("", 0), reply_of("", 0)};
	struct listing listing;
	is_int(listing_read(replies, 3, 0, &everything, NULL, &listing), MUXBUS_ERR_INVALID,
	    "too few replies");
	replies[2].error = MUXBUS_ERR_COMMAND;
	is_int(listing_read(replies, 4, 0, &everything, NULL, &listing), MUXBUS_ERR_COMMAND,
	    "tmux refused");
	ok(read_all("", "", "", "", &listing) == 0, "a server with nothing in it");
	model_free(listing.model);
}

/* tmux gives up the format of a record at any place. */
static void test_given_up(void)
{
	static const char *const texts[] = {sessions, windows, panes, clients};
	unsigned wrong = 0;
	for (size_t k = 0; k < 4; k++) {
		const char *end = strchr(texts[k], '\n');
		for (const char *at = texts[k]; at < end; at++) {
			const char *now[] = {sessions, windows, panes, clients};
			char text[1024];
			struct listing listing;
			(void)snprintf(
			    text, sizeof text, "%.*s%s", (int)(at - texts[k]), texts[k], end);
			now[k] = text;
			if (read_all(now[0], now[1], now[2], now[3], &listing) == 0)
				/* tmux may end at a TAB or after it */
				wrong += listing.malformed != 1 ||
				    (!listing.is_cut && at != texts[k] + 1 &&
					memcmp(at - 2, "\t1", 2) != 0);
			else
				wrong++;
			model_free(listing.model);
		}
	}
	is_int(wrong, 0, "a record that is cut off at any byte is known as such");
}

/* A listing that is cut anywhere is read up to its last whole line. */
static void test_cut(void)
{
	const struct muxbus_reply whole[] = {reply_of(sessions, strlen(sessions)),
	    reply_of(windows, strlen(windows)), reply_of(clients, strlen(clients)),
	    reply_of(panes, strlen(panes))};
	unsigned bad = 0;
	for (size_t k = 0; k < 4; k++) {
		for (size_t len = 0; len < whole[k].body_len; len++) {
			struct muxbus_reply replies[4];
			struct listing listing;
			char *copy = malloc(len + 1);
			memcpy(replies, whole, sizeof replies);
			memcpy(copy, whole[k].body, len);
			copy[len] = '\0';
			replies[k] = reply_of(copy, len);
			if (listing_read(replies, 4, 0, &everything, NULL, &listing) == 0)
				model_free(listing.model);
			else
				bad++;
			free(copy);
		}
	}
	is_int(bad, 0, "cut at every byte");
}

static void test_cut_counted(void)
{
	unsigned bad = 0;
	for (size_t len = 0; len < sizeof counted_panes - 1; len++) {
		char *copy = malloc(len + 1);
		struct listing listing;
		memcpy(copy, counted_panes, len);
		copy[len] = '\0';
		if (read_counted(copy, len, &listing) != 0)
			bad++;
		else
			model_free(listing.model);
		free(copy);
	}
	is_int(bad, 0, "counted texts cut at every byte");
}

/*
 * As many fields are written as are read; the live tests ask tmux itself. tmux reads the command
 * and the directory of a pane from the kernel for each time that a format names them: a length and
 * a text would be of two moments.
 */
static void test_written(void)
{
	static const struct parts counted = {.all = true, .is_counted = true};
	static const struct nonce nonces[8];
	struct muxbus_command *command;
	struct buf packed;
	if (!ok(muxbus_command_new(&command) == 0, "a command"))
		return;
	buf_init(&packed, 65536);
	listing_write(command, &counted);
	ok(command_pack(command, nonces, 1, &packed) == 0, "it is packed");
	ok(memmem(packed.data, packed.len, "{n:pane_title}", 14) != NULL, "titles are counted");
	ok(memmem(packed.data, packed.len, "{n:pane_current", 15) == NULL,
	    "but nothing that can change meanwhile");
	buf_finish(&packed);
	muxbus_command_free(command);
}

int main(void)
{
	test_whole();
	test_long();
	test_counted();
	test_malformed();
	test_failed();
	test_cut();
	test_given_up();
	test_cut_counted();
	test_written();
	return done_testing();
}
