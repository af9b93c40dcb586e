/* SPDX-License-Identifier: ISC */
/* The record of the line that is being typed into a pane. */
#include "daemon/deliver/typed_line.h"

#include "daemon/core/pane_ref.h"
#include "daemon/queue/queue.h"

static const struct record_field typed_fields[] = {
    {RECORD_ROW(NUMBERS, struct typed_line, batch, "batch"),
	.count_offset = offsetof(struct typed_line, count)},
    {RECORD_ROW(INT, struct typed_line, before, "before")},
    {RECORD_ROW(TEXT, struct typed_line, line, "line")},
};

static const struct record_kind typed_kind = {
    .prefix = "typed/",
    .noun = "a line that was being typed",
    .rows = RECORD_ROWS(typed_fields, "&batch*#before\n=line"),
    .source = SOURCE_POST,
};

void typed_line_put(
    struct store *store, const struct pane_ref *pane, const struct typed_line *typed)
{
	char name[PANE_REF_NAME_SIZE];
	pane_ref_name(pane, name);
	record_put(store, &typed_kind, name, typed);
}

void typed_line_delete(struct store *store, const struct pane_ref *pane)
{
	char name[PANE_REF_NAME_SIZE];
	pane_ref_name(pane, name);
	record_delete(store, &typed_kind, name);
}

bool typed_line_get(struct store *store, const struct pane_ref *pane, struct typed_line *ret_typed)
{
	char name[PANE_REF_NAME_SIZE];
	*ret_typed = (struct typed_line){0};
	pane_ref_name(pane, name);
	return record_get(store, &typed_kind, name, ret_typed);
}

void typed_line_finish(struct typed_line *typed)
{
	record_finish(typed_kind.rows, typed);
}

static bool check(void *data, const char *name, const struct json *value)
{
	struct typed_line typed = {0};
	(void)data;
	(void)name;
	if (!record_read(typed_kind.rows, value, &typed))
		return false;
	record_finish(typed_kind.rows, &typed);
	return true;
}

void typed_line_load(struct queue *queue)
{
	queue_load(queue, &typed_kind, check, NULL);
}
