/* SPDX-License-Identifier: ISC */
/* The target of a text, in a model of a few sessions with difficult names. */
#include <stdio.h>
#include <string.h>

#include "daemon/tmux/resolve.h"
#include "tap.h"

/* The model of this test. */

static const struct muxbus_session sessions[] = {
    {.id = 0, .name = "work", .current_window = 1},
    {.id = 1, .name = "we.b", .current_window = 3},
    {.id = 2, .name = "%7", .current_window = 4},
    {.id = 3, .name = "12", .current_window = 1},
    {.id = 4, .name = "#(touch x)", .current_window = 4},
    {.id = 5, .name = "$9", .current_window = 7},
};
static const struct muxbus_window windows[] = {
    {.id = 1, .name = "editor", .active_pane = 2},
    {.id = 2, .name = "editor", .active_pane = 3},
    {.id = 3, .name = "log.1", .active_pane = 4},
    {.id = 4, .name = "log", .active_pane = 5},
    {.id = 5, .name = "3", .active_pane = 7},
    {.id = 6, .name = "a:b.c", .active_pane = 8},
    {.id = 7, .name = "@9", .active_pane = 9},
};
/* By session, then index. */
static const struct muxbus_link links[] = {
    {.session = 0, .window = 1, .index = 0, .is_current = true},
    {.session = 0, .window = 2, .index = 3},
    {.session = 0, .window = 5, .index = 4},
    {.session = 0, .window = 6, .index = 5},
    {.session = 1, .window = 3, .index = 1, .is_current = true},
    {.session = 1, .window = 4, .index = 2},
    {.session = 2, .window = 4, .index = 0, .is_current = true},
    {.session = 3, .window = 1, .index = 0, .is_current = true},
    {.session = 4, .window = 4, .index = 0, .is_current = true},
    {.session = 5, .window = 7, .index = 0, .is_current = true},
};
static const struct muxbus_pane panes[] = {
    {.id = 1, .window = 1, .index = 0},
    {.id = 2, .window = 1, .index = 1},
    {.id = 3, .window = 2, .index = 0},
    {.id = 4, .window = 3, .index = 0},
    {.id = 5, .window = 4, .index = 0},
    {.id = 6, .window = 4, .index = 1},
    {.id = 7, .window = 5, .index = 0},
    {.id = 8, .window = 6, .index = 0},
    {.id = 9, .window = 7, .index = 0},
};

#define COUNT(a) (sizeof a / sizeof a[0])
#define WALK(type)                                                                            \
	const struct muxbus_##type *muxbus_model_next_##type(                                 \
	    const struct muxbus_model *model, const struct muxbus_##type *previous)           \
	{                                                                                     \
		const struct muxbus_##type *next = previous != NULL ? previous + 1 : type##s; \
		(void)model;                                                                  \
		return next < type##s + COUNT(type##s) ? next : NULL;                         \
	}
#define LOOK_UP(type)                                       \
	const struct muxbus_##type *muxbus_model_##type(    \
	    const struct muxbus_model *model, uint32_t id)  \
	{                                                   \
		(void)model;                                \
		for (size_t i = 0; i < COUNT(type##s); i++) \
			if (type##s[i].id == id)            \
				return &type##s[i];         \
		return NULL;                                \
	}

WALK(session)
WALK(link)
LOOK_UP(session)
LOOK_UP(window)
LOOK_UP(pane)

void muxbus_model_counts(const struct muxbus_model *model, struct muxbus_model_counts *ret_counts)
{
	(void)model;
	*ret_counts = (struct muxbus_model_counts){.sessions = COUNT(sessions)};
}

size_t muxbus_model_window_links(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_link **ret_first)
{
	size_t count = 0;
	(void)model;
	for (size_t i = COUNT(links); i-- > 0;)
		if (links[i].window == window) {
			*ret_first = &links[i]; /* the others do not lie behind it */
			count++;
		}
	return count;
}

size_t muxbus_model_window_panes(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_pane **ret_first)
{
	size_t first = 0, end;
	(void)model;
	while (first < COUNT(panes) && panes[first].window != window)
		first++;
	for (end = first; end < COUNT(panes) && panes[end].window == window;)
		end++;
	*ret_first = &panes[first];
	return end - first;
}

/* The test. */

#define IDS "; ids are those of sessions ($1), windows (@1) and panes (%1)"

/* The id of the target; else the error. */
static void describe(enum resolve_kind kind, const char *text, char *out, size_t size)
{
	struct resolve found;
	enum resolve_result result = resolve(NULL, kind, text, &found);
	if (result == RESOLVE_AMBIGUOUS)
		snprintf(out, size, "? %s", found.candidates.data);
	else if (result == RESOLVE_NONE)
		snprintf(out, size, "! %s", found.reason);
	else if (kind == RESOLVE_SESSION)
		snprintf(out, size, "$%u", found.session->id);
	else if (kind == RESOLVE_WINDOW)
		snprintf(out, size, "@%u", found.window->id);
	else
		snprintf(out, size, "%%%u @%u", found.pane->id, found.window->id);
	buf_finish(&found.candidates);
}

static const struct row {
	enum resolve_kind kind;
	const char *text;
	const char *want;
} rows[] = {
    {RESOLVE_PANE, "%3", "%3 @2"},
    {RESOLVE_PANE, "=%3", "%3 @2"},
    {RESOLVE_PANE, "%99", "! there is no pane %99"},
    {RESOLVE_PANE, "%3x", "! there is no session '%3x'" IDS},
    {RESOLVE_PANE, "@1", "%2 @1"},
    {RESOLVE_PANE, "@1.0", "%1 @1"},
    {RESOLVE_PANE, "@1.%2", "%2 @1"},
    {RESOLVE_PANE, "@1.%3", "! window @1 has no pane '%3'"},
    {RESOLVE_PANE, "@1.5", "! window @1 has no pane '5'"},
    {RESOLVE_PANE, "@9", "! there is no window @9"},
    {RESOLVE_PANE, "work", "%2 @1"},
    {RESOLVE_PANE, "=work", "%2 @1"},
    {RESOLVE_PANE, "wor", "! there is no session 'wor'; did you mean 'work'?"},
    {RESOLVE_PANE, "work:", "%2 @1"},
    {RESOLVE_PANE, "work:0", "%2 @1"},
    {RESOLVE_PANE, "work:0.0", "%1 @1"},
    {RESOLVE_PANE, "work:.0", "%1 @1"},
    {RESOLVE_PANE, "$0:0.1", "%2 @1"},
    {RESOLVE_PANE, "$0:@2", "%3 @2"},
    {RESOLVE_PANE, "work:3", "%3 @2"},
    {RESOLVE_PANE, "work:4", "%7 @5"},
    {RESOLVE_PANE, "work:editor", "? \"work:0\",\"work:3\""},
    {RESOLVE_PANE, "=work:editor.0", "? \"work:0\",\"work:3\""},
    {RESOLVE_PANE, "work:edit", "! session 'work' has no window 'edit'"},
    {RESOLVE_PANE, "work:0.7", "! window '0' of session 'work' has no pane '7'"},
    {RESOLVE_PANE, "work:a:b.c", "%8 @6"},
    {RESOLVE_PANE, "work:a:b.c.0", "%8 @6"},
    {RESOLVE_PANE, "we.b", "%4 @3"},
    {RESOLVE_PANE, "we.b:1", "%4 @3"},
    {RESOLVE_PANE, "we.b:log", "%5 @4"},
    {RESOLVE_PANE, "we.b:log.0", "%5 @4"},
    {RESOLVE_PANE, "we.b:log.1", "? \"%6\",\"%4\""},
    {RESOLVE_PANE, "we.b:log.1.0", "%4 @3"},
    {RESOLVE_PANE, "we.b:=log.0", "%5 @4"},
    {RESOLVE_PANE, "%7", "%7 @5"},
    {RESOLVE_PANE, "%7:0", "%5 @4"},
    {RESOLVE_PANE, "12", "%2 @1"},
    {RESOLVE_PANE, "#(touch x)", "%5 @4"},
    {RESOLVE_PANE, "", "! the target names no session"},
    {RESOLVE_PANE, ":0", "! the target names no session"},
    {RESOLVE_PANE, "work:^", "! session 'work' has no window '^'"},
    {RESOLVE_PANE, "work:+1", "! session 'work' has no window '+1'"},
    {RESOLVE_PANE, "wo*", "! there is no session 'wo*'" IDS},
    {RESOLVE_WINDOW, "@2", "@2"},
    {RESOLVE_WINDOW, "%3", "@2"},
    {RESOLVE_WINDOW, "work", "@1"},
    {RESOLVE_WINDOW, "work:3", "@2"},
    {RESOLVE_WINDOW, "work:editor", "? \"work:0\",\"work:3\""},
    {RESOLVE_WINDOW, "we.b:log.1", "@3"},
    {RESOLVE_WINDOW, "$5:0", "@7"},
    {RESOLVE_WINDOW, "$5:@9", "! session '$9' has no window '@9'"},
    {RESOLVE_PANE, "$9:0", "! there is no session '$9'"},
    {RESOLVE_WINDOW, "work:7", "! session 'work' has no window '7'"},
    {RESOLVE_SESSION, "$1", "$1"},
    {RESOLVE_SESSION, "$9", "! there is no session '$9'"},
    {RESOLVE_SESSION, "we.b", "$1"},
    {RESOLVE_SESSION, "=we.b", "$1"},
    {RESOLVE_SESSION, "work:", "$0"},
    {RESOLVE_SESSION, "%7", "$2"},
    {RESOLVE_SESSION, "work:1", "! 'work:1' names a window, not a session"},
    {RESOLVE_SESSION, "%3", "! there is no session '%3'"},
};

/* A reason repeats a name of any length, cut, and says all it has to say. */
static void test_long_names(void)
{
	char name[9000] = "work:0.", got[512];
	memset(name + 7, 'x', sizeof name - 8);
	describe(RESOLVE_PANE, name, got, sizeof got);
	ok(strstr(got, "x\xe2\x80\xa6'") != NULL, "a long name of a pane: %s", got);
	name[4] = 'x';
	describe(RESOLVE_SESSION, name, got, sizeof got);
	ok(strstr(got, "x\xe2\x80\xa6'") != NULL, "a long name of a session: %s", got);
}

int main(void)
{
	test_long_names();
	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[512], *help;
		describe(rows[i].kind, rows[i].text, got, sizeof got);
		/*
		 * This test does not check the suggestion of a near name, except where a case
		 * states it.
		 */
		help = strstr(rows[i].want, "did you") ? NULL : strstr(got, "; did you mean");
		if (help != NULL)
			*help = '\0';
		is_str(got, rows[i].want, "'%s'", rows[i].text);
	}
	return done_testing();
}
