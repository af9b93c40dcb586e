/* SPDX-License-Identifier: ISC */
/* Advice for a model in the answer to a failed call; and smaller limits in a call's arguments. */
#include "daemon/mcp/mcp_tool.h"

#include "daemon/core/daemon_parts.h"
#include "daemon/job/job.h"
#include "daemon/timer/timer.h"
#include "daemon/tmux/tmux.h"
#include "daemon/watch/watch.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz_"
#define LISTED_MAX 20 /* maximum number of objects that an error lists */
#define READ_BYTES 7000 /* maximum of max_bytes if it has its default value */
#define READ_MAX 15000 /* maximum of max_bytes otherwise */

static void narrow_bytes(const struct field *field, int64_t *value)
{
	bool is_preset = field->preset != NULL && strtoll(field->preset, NULL, 10) == *value;
	int64_t max = is_preset ? READ_BYTES : READ_MAX;
	*value = *value > max ? max : *value;
}

void mcp_advice_narrow(const struct method *tool, void *args)
{
	for (const struct field *field = tool->fields; field != NULL && field->name != NULL;
	     field++) {
		void *value = (char *)args + field->offset;
		if (field->type == FIELD_INT && strcmp(field->name, "max_bytes") == 0)
			narrow_bytes(field, value);
		else if (field->type == FIELD_CHOICE && strcmp(field->name, "detail") == 0 &&
		    *(int *)value < 0)
			*(int *)value = 0; /* the first choice of the field is the shortest */
	}
}

/* Lists one object. Returns false if the list is full. text may be foreign. */
static bool list_one(struct buf *out, size_t *count, const char *id, const char *text)
{
	if (++*count > LISTED_MAX)
		return false;
	(void)buf_printf(out, "%s %s%s", *count > 1 ? "," : "", id, *text != '\0' ? " " : "");
	(void)str_append_visible(out, text, strnlen(text, 60));
	return true;
}

static size_t list_panes(struct buf *out, const struct daemon *daemon)
{
	const struct muxbus_model *model = daemon->tmux != NULL ? tmux_model(daemon->tmux) : NULL;
	const struct muxbus_pane *pane = NULL;
	size_t count = 0;
	char id[16];
	while (model != NULL && (pane = muxbus_model_next_pane(model, pane)) != NULL) {
		(void)snprintf(id, sizeof id, "%%%u", (unsigned)pane->id);
		if (!list_one(out, &count, id, pane->command != NULL ? pane->command : "?"))
			break;
	}
	return count;
}

static size_t list_jobs(struct buf *out, const struct daemon *daemon)
{
	const struct job *job = NULL;
	size_t count = 0;
	while (daemon->jobs != NULL && (job = job_next(daemon->jobs, job)) != NULL)
		if (!job->is_silent && !list_one(out, &count, job->id, job->command))
			break;
	return count;
}

static size_t list_timers(struct buf *out, const struct daemon *daemon)
{
	const struct timer *timer = NULL;
	size_t count = 0;
	while (daemon->timers != NULL && (timer = timer_next(daemon->timers, timer)) != NULL &&
	    list_one(out, &count, timer->id, ""))
		continue;
	return count;
}

static size_t list_watches(struct buf *out, const struct daemon *daemon)
{
	const struct watch *watch = NULL;
	size_t count = 0;
	while (daemon->watches != NULL && (watch = watch_next(daemon->watches, watch)) != NULL &&
	    list_one(out, &count, watch->id, watch->file))
		continue;
	return count;
}

/* Errors about a target, and the list of objects that their text gets. */
static const struct {
	enum message_error error;
	const char *title, *more;
	size_t (*list)(struct buf *out, const struct daemon *daemon);
} lists[] = {
    {MESSAGE_NO_SUCH_PANE, "Panes", " list_panes tells more.", list_panes},
    {MESSAGE_AMBIGUOUS_TARGET, "Panes", " list_panes tells more.", list_panes},
    {MESSAGE_NO_SUCH_JOB, "Jobs", "", list_jobs},
    {MESSAGE_NO_SUCH_TIMER, "Timers", "", list_timers},
    {MESSAGE_NO_SUCH_WATCH, "Watches", "", list_watches},
};

static void list_parameters(struct buf *out, const struct method *tool)
{
	const char *comma = "";
	if (tool->fields == NULL && tool->uses != NULL)
		return; /* a tool of another host, whose parameters this daemon does not know */
	(void)buf_printf(out, "\n%s takes", tool->name);
	for (const struct field *field = tool->fields; field != NULL && field->name != NULL;
	     field++) {
		if (field->flags & FIELD_ALIAS)
			continue;
		(void)buf_printf(out, "%s %s (%s%s)", comma, field->name,
		    field_type_name(field->type),
		    field->flags & FIELD_REQUIRED ? ", required" : "");
		comma = ",";
	}
	(void)buf_append_str(out, *comma ? "." : " no parameters.");
	if (tool->example != NULL)
		(void)buf_printf(out, " For example: %s", tool->example);
}

static const char *next_step(enum message_error error, const struct method *tool)
{
	switch (error) {
	case MESSAGE_TMUX_UNAVAILABLE:
		return "Nothing about panes works until the tmux server is back; jobs, timers and "
		       "watches do.";
	case MESSAGE_TIMEOUT:
		return "It may still happen: wait with wait_for rather than trying again at once.";
	case MESSAGE_BUSY:
		return "Wait with wait_for rather than trying again at once.";
	case MESSAGE_NOT_READY:
		return tool->group == NULL && tool->effects & (METHOD_TYPES | METHOD_RUNS)
		    ? "capture_pane shows what is there; wait_for {\"any\":[{\"ready\":…}]} waits."
		    : NULL; /* the error is not about a pane */
	default:
		return NULL;
	}
}

/*
 * Returns the length of an error text without its hint, such as "; see NAME" or "; NAME lists ...",
 * if the agent does not have the tool NAME.
 */
static size_t usable_len(const char *text, const struct mcp_tool_set *tools)
{
	static const char see[] = "see ", lists_it[] = " lists ";
	size_t len = strlen(text);
	for (const char *at = strchr(text, ' '); at != NULL; at = strchr(at + 1, ' ')) {
		char name[64];
		bool has_see = strncmp(at + 1, see, strlen(see)) == 0;
		const char *word = at + 1 + (has_see ? strlen(see) : 0);
		size_t name_len = strspn(word, NAME_CHARACTERS);
		const struct method *method;
		if (at == text || strchr(":;,", at[-1]) == NULL ||
		    (!has_see && strncmp(word + name_len, lists_it, strlen(lists_it)) != 0))
			continue;
		(void)snprintf(name, sizeof name, "%.*s", (int)name_len, word);
		method = method_find(name);
		if (method != NULL && !mcp_tool_set_has(tools, method))
			len = (size_t)(at - 1 - text);
	}
	return len;
}

void mcp_advice_write(struct buf *out, const struct daemon *daemon, const struct method *tool,
    const struct mcp_tool_set *tools, enum message_error error, const char *text)
{
	const char *step = next_step(error, tool);
	size_t name_len = strlen(tool->name), len;
	bool has_end;
	if (strncmp(text, tool->name, name_len) == 0 && strncmp(text + name_len, ": ", 2) == 0)
		text += name_len + 2; /* errors of declared tools begin with the tool's name */
	len = usable_len(text, tools);
	has_end = len > 0 && strchr(".?!", text[len - 1]) != NULL;
	(void)buf_printf(out, "%s failed: %.*s%s", tool->name, (int)len, text, has_end ? "" : ".");
	if (error == MESSAGE_PARAMS)
		list_parameters(out, tool);
	for (size_t at = 0; at < sizeof lists / sizeof *lists; at++) {
		size_t count;
		if (lists[at].error != error)
			continue;
		(void)buf_printf(out, "\n%s:", lists[at].title);
		count = lists[at].list(out, daemon);
		(void)buf_printf(out, "%s.%s",
		    count == 0               ? " none"
			: count > LISTED_MAX ? " and others"
					     : "",
		    lists[at].more);
	}
	if (step != NULL)
		(void)buf_printf(out, "\n%s", step);
}
