/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for declared tools: missing programs by group, and unusable files. */
#include "cli/doctor/doctor_parts.h"

#include <stdio.h>
#include <string.h>

#include "cli/ask.h"
#include "client/link.h"

static const char *text_of(const struct json *tool, const char *name)
{
	const struct json *value = json_member(tool, name);
	return value != NULL && value->type == JSON_STRING ? value->text : "";
}

static bool is(const struct json *tool, const char *name, const char *text)
{
	return strcmp(text_of(tool, name), text) == 0;
}

/* Whether an earlier tool of the group has the same state and reason. */
static bool is_known(const struct json *tools, const struct json *tool)
{
	for (const struct json *other = tools->child; other != tool; other = other->next)
		if (is(other, "group", text_of(tool, "group")) &&
		    is(other, "state", text_of(tool, "state")) &&
		    is(other, "reason", text_of(tool, "reason")))
			return true;
	return false;
}

/* The tools that share the group, state and reason of one: "a, b, c". */
static void list_alike(const struct json *tools, const struct json *tool, struct buf *out)
{
	json_each (other, tools) {
		if (!is(other, "group", text_of(tool, "group")) ||
		    !is(other, "state", text_of(tool, "state")) ||
		    !is(other, "reason", text_of(tool, "reason")))
			continue;
		(void)buf_printf(out, "%s%s", out->len > 0 ? ", " : "", text_of(other, "name"));
	}
}

static void find_tool(
    struct doctor_report *report, const struct json *tools, const struct json *tool)
{
	const char *file = text_of(tool, "file"), *reason = text_of(tool, "reason");
	char subject[96], remedy[PATH_MAX + 64];
	struct buf names;
	if (is(tool, "state", "broken")) {
		(void)snprintf(remedy, sizeof remedy, "correct or remove %s", file);
		doctor_find(report, FINDING_WRONG, "tools", remedy, "%s", reason);
		return;
	}
	if (is_known(tools, tool))
		return;
	(void)snprintf(subject, sizeof subject, "tools: %.64s", text_of(tool, "group"));
	buf_init(&names, (size_t)64 * 1024);
	list_alike(tools, tool, &names);
	if (is(tool, "state", "hidden"))
		doctor_find(report, FINDING_NOTE, subject, "install it, to use these tools",
		    "%s: not listed are %s", reason, buf_text(&names));
	else if (*reason != '\0')
		doctor_find(report, FINDING_NOTE, subject,
		    "install the version of the server that the declaration is for", "%s: %s",
		    buf_text(&names), reason);
	else
		doctor_find(report, FINDING_GOOD, subject, NULL, "%s", buf_text(&names));
	buf_finish(&names);
}

void doctor_tools(struct doctor_report *report, const struct cli *cli)
{
	char reason[PATH_MAX + 512];
	const struct json *tools = NULL;
	struct link_answer answer;
	struct link *link;
	if (ask_open(&link, cli->socket, reason, sizeof reason) != LINK_OK)
		return; /* the part for the daemon says so */
	if (link_ask(link, "list_tools", NULL, ASK_TIMEOUT_MS, &answer) == LINK_LINE)
		tools = json_member(answer.result, "tools");
	json_each (tool, tools)
		find_tool(report, tools, tool);
	link_close(link);
}
