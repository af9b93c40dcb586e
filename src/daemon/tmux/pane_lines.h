/* SPDX-License-Identifier: ISC */
/*
 * The lines of one pane as plain text, and the patterns that watches look for in them. The output
 * is stripped and searched for literals (bytes that each match has) once for all watches. A watch
 * sees only output after it began, with the rest of an unfinished line. It ends with its first
 * match; if it stays, it goes on with the next line. A line that is drawn again counts as a next
 * line.
 *
 * Looking takes at most LINES_TURN_US of a turn of the loop, and the time of one pattern; the rest
 * is done in the next turns. Meanwhile up to LINES_BEHIND_MAX bytes are kept; if there are more,
 * the turn lasts longer, so that no line is lost.
 */
#pragma once

#include "daemon/core/pattern_set.h"

/* maximum bytes of a line without a newline; more is cut off at its begin */
#define LINES_LINE_MAX (64 * 1024)
#define LINES_BEHIND_MAX (1024 * 1024)
#define LINES_TURN_US 1000

struct echo;
struct token;

struct line_found {
	enum pattern_result result; /* PATTERN_MATCH, or PATTERN_LIMIT: the search was given up */
	uint64_t offset; /* offset in the output of the end of the line, or a later one */
	const char *line;
	size_t len;
	const struct pattern_match *match; /* in the line */
};

struct line_watch {
	/* Called with a line; unless the watch stays, it is removed before. Removes no watch. */
	void (*found)(struct line_watch *watch, const struct line_found *found);
	/* Called when the pane or its server has closed, after the watch was removed. */
	void (*closed)(struct line_watch *watch);
	/* Called if output is missing; the watch goes on. May be NULL. */
	void (*gap)(struct line_watch *watch);
	bool is_staying; /* takes each match, and ends only at PATTERN_LIMIT */
	/* The members below are used only by pane_lines.c. */
	struct list link;
	struct list todo; /* in the list of watches that have to look at the block */
	struct list held; /* in the list of watches that may match in the unfinished line */
	struct pattern_member member;
	uint64_t from; /* number of the byte of text at which it begins */
	bool has_line; /* `from` is within a line that was found, whose rest is skipped */
};

/* The time spent on looking in this turn of the loop, for all panes. */
struct lines_turn {
	int64_t spent_us;
};

/*
 * Makes the lines of a pane. echo (or NULL) must outlive them; what it recognises is cut out of the
 * lines.
 */
struct pane_lines *pane_lines_new(struct lines_turn *turn, struct echo *echo);
/* Lets the watches look at the remaining text, and calls closed() of each. */
void pane_lines_free(struct pane_lines *lines);

/* Adds a watch. The pattern must last until the watch is removed. */
void pane_lines_add(struct pane_lines *lines, struct line_watch *watch, struct pattern *pattern);
void pane_lines_remove(struct pane_lines *lines, struct line_watch *watch);
bool pane_lines_is_empty(const struct pane_lines *lines);

/* Takes a token of the output. */
void pane_lines_token(struct pane_lines *lines, const struct token *token);
/* Call this when a piece of output ends at offset: the watches look at it. */
void pane_lines_look(struct pane_lines *lines, uint64_t offset);
/* Call this if output is missing: calls gap() of the watches. NULL is accepted. */
void pane_lines_gap(const struct pane_lines *lines);
/* Lets the watches look at text for which there was no time before. */
void pane_lines_continue(struct pane_lines *lines);
bool pane_lines_is_behind(const struct pane_lines *lines);
