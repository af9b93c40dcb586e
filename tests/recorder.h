/* SPDX-License-Identifier: ISC */
/*
 * A parser whose callbacks are recorded as lines of text, so that two ways of feeding it
 * can be compared, and a script can state the expected records:
 *
 *   output %5 hello\015\012          pieces of one line or of several are one record
 *   output %5 +12 hello              12 ms old
 *   event window-renamed @1 =name    ids, index #3, client ~c, label !l, text =t,
 *                                    layouts /full/visible/flags
 *   event ?brand-new rest            one of unknown kind
 *   block 1 2 ours ok a|b|           time, number, ours or theirs, ok or error, body
 *   sentinel 0
 *   stray text
 *
 * Bytes that are not printable, backslashes and the bar are octal; the bar itself
 * stands for a newline.
 */
#pragma once

#include <muxbus.h>

#include "base/buf.h"
#include "lib/stream/parser.h"

#define RECORDER_LISTS_MAX 32
#define RECORDER_LIST_MAX 8

struct recorder {
	struct muxbus_parser *parser;
	struct buf text;
	struct buf pending; /* output to which the next piece may belong */
	uint32_t pending_pane;
	uint64_t pending_age;
	bool is_broken; /* out of memory, or a callback broke a promise */
	/* Lists of nonces; each is announced when the last nonce of the list before has come. */
	struct nonce lists[RECORDER_LISTS_MAX][RECORDER_LIST_MAX];
	size_t counts[RECORDER_LISTS_MAX];
	size_t list_count;
	size_t list_next;
	size_t count_now;
};

/* Returns 0 or MUXBUS_ERR_NOMEM. */
int recorder_init(struct recorder *recorder);
void recorder_finish(struct recorder *recorder);

/* "a b | c d": lists of nonces. A word is repeated to the length of a nonce. */
int recorder_expect(struct recorder *recorder, const char *lists);

int recorder_feed(struct recorder *recorder, const void *bytes, size_t len);

/* All that was recorded so far. */
const char *recorder_text(struct recorder *recorder);

/* The nonce that a word stands for. */
void recorder_nonce(const char *word, struct nonce *ret_nonce);
