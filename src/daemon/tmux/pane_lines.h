/* SPDX-License-Identifier: ISC */
/*
 * The lines of one pane as plain text, and the patterns that are looked for in them. The output
 * is stripped once for all watches, and searched once for the literals of their patterns. After
 * each piece of output the watches look at the lines that the piece has ended, and at the line
 * under way as it stands. A watch sees only output after its beginning, and ends with its first
 * match, or goes on with the next line; a line that begins again is a next line.
 *
 * Looking takes at most LINES_TURN_US of a turn of the loop, and the time of one pattern; the rest
 * is done in the next turns, in order. Meanwhile lines are kept, up to LINES_BEHIND_MAX bytes;
 * beyond that the turn lasts until fewer are kept, so that no line is lost.
 */
#pragma once

#include "daemon/core/pattern_set.h"

#define LINES_LINE_MAX (64 * 1024) /* of a line that no newline ends; more is cut at the front */
#define LINES_BEHIND_MAX (1024 * 1024)
#define LINES_TURN_US 1000

struct echo;
struct token;

/* Where a pattern was found. Lent. */
struct line_found {
	enum pattern_result result; /* PATTERN_MATCH, or PATTERN_LIMIT: the pattern gave up */
	uint64_t offset; /* of the pane's output, behind the line or later */
	const char *line;
	size_t len;
	const struct pattern_match *match; /* in the line */
};

struct line_watch {
	/* The watch is removed before, unless it stays. No watch must be removed meanwhile. */
	void (*found)(struct line_watch *watch, const struct line_found *found);
	/* The pane, or its server, is gone; the watch is removed before. */
	void (*closed)(struct line_watch *watch);
	/* Output is missing, as stream_tap has it; the watch goes on. May be NULL. */
	void (*gap)(struct line_watch *watch);
	bool is_staying; /* it takes every line; only one on which the pattern gave up ends it */
	/* The rest is for pane_lines.c. */
	struct list link;
	struct list todo; /* in the list of those that have yet to look at the block */
	struct list held; /* in the list of those that may match in the line under way */
	struct pattern_member member;
	uint64_t from; /* where its text begins, in bytes of text */
	bool has_line; /* it has taken the line before from: the rest of that line is passed over */
};

/* The time that looking has taken in this turn of the loop, of all panes. */
struct lines_turn {
	int64_t spent_us;
};

/* echo (NULL: none) is lent: what it recognises is no text. */
struct pane_lines *pane_lines_new(struct lines_turn *turn, struct echo *echo);
/* The watches look at what is left, and are closed. */
void pane_lines_free(struct pane_lines *lines);

/* The pattern is lent until the watch is removed. */
void pane_lines_add(struct pane_lines *lines, struct line_watch *watch, struct pattern *pattern);
void pane_lines_remove(struct pane_lines *lines, struct line_watch *watch);
bool pane_lines_is_empty(const struct pane_lines *lines);

/* Takes a token of a piece of output. */
void pane_lines_token(struct pane_lines *lines, const struct token *token);
/* The end of the piece: looks. offset is behind the piece. */
void pane_lines_look(struct pane_lines *lines, uint64_t offset);
/* Output is missing: tells the watches. Accepts NULL. */
void pane_lines_gap(const struct pane_lines *lines);
/* Continues to look. */
void pane_lines_continue(struct pane_lines *lines);
/* Whether there are lines that a watch has not looked at. */
bool pane_lines_is_behind(const struct pane_lines *lines);
