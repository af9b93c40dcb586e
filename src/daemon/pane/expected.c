/* SPDX-License-Identifier: ISC */
#include "daemon/pane/expected.h"

#include <muxbus.h>

#include "daemon/queue/record.h"

static const struct record_field expected_fields[] = {
    {RECORD_ROW(WORD, struct expected, identity, "identity")},
    {RECORD_ROW(NATURAL, struct expected, program.pid, "pid"), .is_optional = true},
    {RECORD_ROW(UINT64, struct expected, program.start, "start"), .is_optional = true},
    {RECORD_ROW(BOOL, struct expected, is_by_command, "by_command"), .is_optional = true},
};

static const struct record_kind expected_kind = {.prefix = "expect/",
    .noun = "the program that is expected in a pane",
    .rows = RECORD_ROWS(expected_fields, "=identity"),
    .source = SOURCE_POST};

bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected)
{
	char name[PANE_REF_TEXT_SIZE];
	*ret_expected = (struct expected){0};
	pane_ref_format(pane, name);
	return record_get(store, &expected_kind, name, ret_expected);
}

void expected_set(struct store *store, const struct pane_ref *pane, const struct expected *expected,
    bool is_pending)
{
	char name[PANE_REF_TEXT_SIZE];
	struct expected known, next = *expected;
	bool is_same;
	if (pane->pane == MUXBUS_NO_ID || next.identity[0] == '\0' ||
	    foreground_is_shell(next.identity))
		return;
	if (expected_find(store, pane, &known)) {
		is_same = strcmp(known.identity, next.identity) == 0;
		if (is_same && next.program.pid == 0)
			next.program = known.program;
		is_same = is_same && known.program.pid == next.program.pid &&
		    known.program.start == next.program.start;
		if (!known.is_by_command && (is_same || is_pending))
			next.is_by_command = false;
		if (is_same && next.is_by_command == known.is_by_command)
			return;
	}
	pane_ref_format(pane, name);
	record_put(store, &expected_kind, name, &next);
}

void expected_forget(struct store *store, const struct pane_ref *pane, pid_t pane_pid)
{
	char name[PANE_REF_TEXT_SIZE];
	struct expected known;
	if (!expected_find(store, pane, &known) ||
	    expected_place(&known, pane_pid) != FOREGROUND_ENDED)
		return;
	pane_ref_format(pane, name);
	record_delete(store, &expected_kind, name);
}

bool expected_is_awaited(const struct expected *expected, pid_t pane_pid)
{
	char identity[AGENT_ARGV_IDENTITY_SIZE];
	return !expected->is_by_command ||
	    foreground_lives(expected->program.pid, expected->program.start) ||
	    (foreground_identity(pane_pid, identity) && strcmp(identity, expected->identity) == 0);
}

enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid)
{
	enum foreground_place place = foreground_find(pane_pid, &expected->program);
	char identity[AGENT_ARGV_IDENTITY_SIZE];
	if (place != FOREGROUND_ENDED &&
	    (!foreground_identity_of(expected->program.pid, identity) ||
		strcmp(identity, expected->identity) != 0))
		return FOREGROUND_ENDED;
	return place;
}
