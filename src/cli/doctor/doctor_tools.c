/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for declared tools, such as those whose program is missing. */
#include "cli/doctor/doctor.h"

#include "cli/ask.h"

static bool is(const struct json *tool, const char *name, const char *text)
{
	return strcmp(json_get_str(tool, name, ""), text) == 0;
}

static bool is_alike(const struct json *one, const struct json *other)
{
	return is(one, "group", json_get_str(other, "group", "")) &&
	    is(one, "state", json_get_str(other, "state", "")) &&
	    is(one, "reason", json_get_str(other, "reason", ""));
}

static void write_remedy(const struct json *tool, const char *file, char *out, size_t size)
{
	const char *slash = strrchr(file, '/');
	(void)snprintf(
	    out, size, "%.*s/install_tools", slash != NULL ? (int)(slash - file) : 0, file);
	if (access(out, X_OK) == 0)
		(void)snprintf(
		    out, size, "muxbus setup --install=%s", json_get_str(tool, "group", ""));
	else
		(void)snprintf(out, size, "install it, to use these tools");
}

static void find_tool(
    struct doctor_report *report, const struct json *tools, const struct json *tool)
{
	const char *file = json_get_str(tool, "file", ""),
		   *reason = json_get_str(tool, "reason", "");
	char subject[96], remedy[PATH_MAX + 64];
	struct buf names = BUF((size_t)64 * 1024);
	if (is(tool, "state", "broken")) {
		(void)snprintf(remedy, sizeof remedy, "correct or remove %s", file);
		doctor_find(report, FINDING_WRONG, "tools", remedy, "%s", reason);
		return;
	}
	/* Report tools that are alike once, at the first of them. */
	for (const struct json *other = tools->child; other != tool; other = other->next)
		if (is_alike(other, tool))
			return;
	(void)snprintf(subject, sizeof subject, "tools: %.64s", json_get_str(tool, "group", ""));
	for (const struct json *other = tool; other != NULL; other = other->next)
		if (is_alike(other, tool))
			(void)buf_printf(&names, "%s%s", names.len > 0 ? ", " : "",
			    json_get_str(other, "name", ""));
	write_remedy(tool, file, remedy, sizeof remedy);
	if (is(tool, "state", "hidden"))
		doctor_find(report, FINDING_NOTE, subject, remedy, "%s: not listed are %s", reason,
		    buf_text(&names));
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
	struct link *link;
	const struct json *result = ask_quietly(cli, "list_tools", ASK_TIMEOUT_MS, &link);
	const struct json *tools = json_member(result, "tools");
	json_each (tool, tools)
		find_tool(report, tools, tool);
	link_close(link);
}
