/* SPDX-License-Identifier: ISC */
/*
 * The lines of one pane as plain text, and the patterns that watches look for in them. The output
 * is stripped and searched for literals (bytes that each match has) once for all watches. A watch
 * sees the output that comes after it was added, with the rest of an unfinished line. The watch
 * ends with its first match (unless is_staying: then it goes on with the next line), or when a
 * search is given up. A line that is drawn again counts as a new line.
 *
 * In a turn of the loop, looking takes at most LINES_TURN_US and the time of one pattern. The rest
 * is done in the next turns. Meanwhile up to LINES_BEHIND_MAX bytes are kept; with more, and at the
 * end of the pane, the turn lasts longer, so that no line is lost.
 */
#pragma once

#include "daemon/core/pattern_set.h"

/* maximum bytes of a line without a newline; a longer line loses its first bytes */
#define LINES_LINE_MAX (64 * 1024)
#define LINES_BEHIND_MAX (1024 * 1024)
#define LINES_TURN_US 1000

struct echo;
struct token;

struct line_found {
	enum pattern_result result; /* PATTERN_MATCH, or PATTERN_LIMIT: the search was given up */
	uint64_t offset; /* where the line ends in the pane's output, or a later offset */
	const char *line;
	size_t len;
	const struct pattern_match *match; /* in the line */
};

struct line_watch {
	/*
	 * Called with a line. The watch was removed before, unless is_staying and the result is
	 * PATTERN_MATCH. Must not remove a watch.
	 */
	void (*found)(struct line_watch *watch, const struct line_found *found);
	/* Called when the pane or its server has closed; the watch was removed before. */
	void (*closed)(struct line_watch *watch);
	/* Called if output is missing; the watch goes on. May be NULL. */
	void (*gap)(struct line_watch *watch);
	bool is_staying; /* a match does not end the watch; PATTERN_LIMIT does */
	/* The members below are used only by pane_lines.c. */
	struct list link;
	struct list todo; /* in the list of watches that have to look at the block */
	struct list held; /* in the list of watches that may match in the unfinished line */
	struct pattern_member member;
	uint64_t from; /* number of the byte of text at which the watch begins */
	/* `from` is within a found line, whose rest is skipped */
	bool has_line;
};

/* The time spent on looking in this turn of the loop, for all panes. */
struct lines_turn {
	int64_t spent_us;
};

/*
 * Makes the lines of a pane. Recognised echoes are cut out of the lines. echo must outlive the
 * lines; NULL: echoes stay.
 */
struct pane_lines *pane_lines_new(struct lines_turn *turn, struct echo *echo);
/* Lets the watches look at the remaining text, and calls closed() of those that are left. */
void pane_lines_free(struct pane_lines *lines);

/* Adds a watch. The pattern must last until the watch is removed. */
void pane_lines_add(struct pane_lines *lines, struct line_watch *watch, struct pattern *pattern);
void pane_lines_remove(struct pane_lines *lines, struct line_watch *watch);
bool pane_lines_is_empty(const struct pane_lines *lines);

void pane_lines_token(struct pane_lines *lines, const struct token *token);
/* Call this after a piece of output that ends at offset: the watches look at it, perhaps later. */
void pane_lines_look(struct pane_lines *lines, uint64_t offset);
/* Call this if output is missing: calls gap() of the watches. lines may be NULL. */
void pane_lines_gap(const struct pane_lines *lines);
/* Lets the watches look at text for which there was no time before, in the time of this turn. */
void pane_lines_continue(struct pane_lines *lines);
bool pane_lines_is_behind(const struct pane_lines *lines);
