/* SPDX-License-Identifier: ISC */
#include "cli/mcp/mcp_advice.h"

struct advice_row {
	char *tool;
	char *recheck; /* the tool that shows whether a call had an effect; NULL if none */
	bool is_default; /* part of the default list of tools */
	bool is_read_only, is_idempotent, is_waiting;
};

struct mcp_advice {
	struct advice_row *rows; /* in the order of describe */
	size_t count;
};

struct mcp_advice *mcp_advice_new(void)
{
	return xcalloc(1, sizeof(struct mcp_advice));
}

static void forget(struct mcp_advice *advice)
{
	for (size_t at = 0; at < advice->count; at++) {
		mem_free(advice->rows[at].tool);
		mem_free(advice->rows[at].recheck);
	}
	mem_free(advice->rows);
	*advice = (struct mcp_advice){0};
}

void mcp_advice_free(struct mcp_advice *advice)
{
	if (advice == NULL)
		return;
	forget(advice);
	mem_free(advice);
}

static void learn_row(struct advice_row *row, const struct json *value)
{
	const char *recheck = json_get_str(value, "recheck", NULL);
	row->tool = xstrdup(value->name);
	row->recheck = recheck != NULL ? xstrdup(recheck) : NULL;
	row->is_default = json_get_bool(value, "tool", false);
	row->is_read_only = json_get_bool(value, "read_only", false);
	row->is_idempotent = json_get_bool(value, "idempotent", false);
	row->is_waiting = json_get_bool(value, "waits", false);
}

void mcp_advice_learn(struct mcp_advice *advice, const struct json *methods)
{
	if (methods == NULL || methods->type != JSON_OBJECT)
		return;
	forget(advice);
	advice->rows = xcalloc(methods->count + 1, sizeof *advice->rows);
	json_each (value, methods)
		if (value->type == JSON_OBJECT)
			learn_row(&advice->rows[advice->count++], value);
}

static const struct advice_row *find(const struct mcp_advice *advice, const char *tool)
{
	for (size_t at = 0; at < advice->count; at++)
		if (strcmp(advice->rows[at].tool, tool) == 0)
			return &advice->rows[at];
	return NULL;
}

bool mcp_advice_is_known(const struct mcp_advice *advice, const char *tool)
{
	return find(advice, tool) != NULL;
}

bool mcp_advice_is_repeatable(const struct mcp_advice *advice, const char *tool, bool has_wait)
{
	const struct advice_row *row = find(advice, tool);
	return row != NULL && row->is_read_only && (!row->is_waiting || has_wait);
}

void mcp_advice_describe(const struct mcp_advice *advice, const char *tool, char *out, size_t size)
{
	const struct advice_row *row = find(advice, tool);
	const char *text =
	    "Check what it may have done (list_panes, yield_turn) before repeating it.";
	if (row != NULL && row->recheck != NULL) {
		const struct advice_row *recheck = find(advice, row->recheck);
		/* For a default tool, advise only a default tool: the agent may have no others. */
		bool is_listed = !row->is_default || recheck == NULL || recheck->is_default;
		snprintf(out, size, "Check with %s before repeating it.",
		    is_listed ? row->recheck : "yield_turn, which shows what is pending,");
		return;
	}
	if (row != NULL && row->is_read_only)
		text = row->is_waiting ? "Nothing was changed by waiting: call it again. A "
					 "wait with a name (wait) goes on over a restart."
				       : "It only reads: call it again.";
	else if (row != NULL && row->is_idempotent)
		text = "Calling it twice is harmless: call it again.";
	snprintf(out, size, "%s", text);
}
