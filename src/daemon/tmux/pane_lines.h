/* SPDX-License-Identifier: ISC */
/*
 * The lines of one pane as plain text, and the patterns that are looked for in them. The output is
 * stripped and searched for literals once for all watches. A watch sees only output after its
 * beginning, also an unfinished line. It ends with its first match, or continues with the next line
 * if it stays; a line that is drawn again is a next line.
 *
 * Looking takes at most LINES_TURN_US of a turn of the loop, and the time of one pattern; the rest
 * is done in the next turns. Meanwhile up to LINES_BEHIND_MAX bytes are kept; beyond that the turn
 * lasts longer, so that no line is lost.
 */
#pragma once

#include "daemon/core/pattern_set.h"

#define LINES_LINE_MAX (64 * 1024) /* bytes of a line without a newline; more is cut at the front */
#define LINES_BEHIND_MAX (1024 * 1024)
#define LINES_TURN_US 1000

struct echo;
struct token;

struct line_found {
	enum pattern_result result; /* PATTERN_MATCH, or PATTERN_LIMIT: too many steps */
	uint64_t offset; /* offset in the output, at the end of the line or later */
	const char *line;
	size_t len;
	const struct pattern_match *match; /* in the line */
};

struct line_watch {
	/* Called after the watch was removed, unless it stays. Must not remove a watch. */
	void (*found)(struct line_watch *watch, const struct line_found *found);
	/* The pane or its server is gone. Called after the watch was removed. */
	void (*closed)(struct line_watch *watch);
	/* Output is missing, and the watch continues. May be NULL. */
	void (*gap)(struct line_watch *watch);
	bool is_staying; /* takes every match, and ends only at PATTERN_LIMIT */
	/* The members below are private to pane_lines.c. */
	struct list link;
	struct list todo; /* in the list of watches that have yet to look at the block */
	struct list held; /* in the list of watches that may match in the unfinished line */
	struct pattern_member member;
	uint64_t from; /* number of the byte of text at which the watch begins */
	bool has_line; /* from is within a line that was found, whose rest is skipped */
};

/* Time spent on looking in this turn of the loop, for all panes. */
struct lines_turn {
	int64_t spent_us;
};

/* echo is lent, or NULL. Text that it recognises is cut out of the lines. */
struct pane_lines *pane_lines_new(struct lines_turn *turn, struct echo *echo);
/* Lets the watches look at the remaining text, and calls closed of each. */
void pane_lines_free(struct pane_lines *lines);

/* The pattern is lent until the watch is removed. */
void pane_lines_add(struct pane_lines *lines, struct line_watch *watch, struct pattern *pattern);
void pane_lines_remove(struct pane_lines *lines, struct line_watch *watch);
bool pane_lines_is_empty(const struct pane_lines *lines);

void pane_lines_token(struct pane_lines *lines, const struct token *token);
/* A piece of output has ended at offset, and the watches look at it. */
void pane_lines_look(struct pane_lines *lines, uint64_t offset);
/* Output is missing: calls gap of the watches. Accepts NULL. */
void pane_lines_gap(const struct pane_lines *lines);
/* Lets the watches look at text for which there was no time. */
void pane_lines_continue(struct pane_lines *lines);
bool pane_lines_is_behind(const struct pane_lines *lines);
