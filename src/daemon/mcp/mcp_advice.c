/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp_advice.h"

#include "daemon/core/daemon_parts.h"
#include "daemon/job/job.h"
#include "daemon/mcp/mcp_tool_set.h"
#include "daemon/timer/timer.h"
#include "daemon/tmux/tmux.h"
#include "daemon/watch/watch.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz_"
#define LISTED_MAX 20 /* panes or jobs that an error names */
#define READ_BYTES 7000 /* default max_bytes of a read, whose result then need not be cut */
#define READ_MAX 15000 /* limit of a max_bytes that the caller gave */

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
			*(int *)value = 0; /* the first choice is the shortest */
	}
}

static void put_visible(struct buf *out, const char *text)
{
	(void)str_append_visible(out, text, strnlen(text, 60)); /* may end within a word */
}

static void end_list(struct buf *out, size_t count, const char *more)
{
	(void)buf_printf(out, "%s.%s",
	    count == 0               ? " none"
		: count > LISTED_MAX ? " and others"
				     : "",
	    more);
}

static void list_panes(struct buf *out, const struct daemon *daemon)
{
	const struct muxbus_model *model = daemon->tmux != NULL ? tmux_model(daemon->tmux) : NULL;
	const struct muxbus_pane *pane = NULL;
	size_t count = 0;
	(void)buf_append_str(out, "\nPanes:");
	while (model != NULL && (pane = muxbus_model_next_pane(model, pane)) != NULL) {
		if (count++ >= LISTED_MAX)
			continue;
		(void)buf_printf(out, "%s %%%u ", count > 1 ? "," : "", (unsigned)pane->id);
		put_visible(out, pane->command != NULL ? pane->command : "?");
	}
	end_list(out, count, " list_panes tells more.");
}

static void list_jobs(struct buf *out, const struct daemon *daemon)
{
	const struct job *job = NULL;
	size_t count = 0;
	(void)buf_append_str(out, "\nJobs:");
	while (daemon->jobs != NULL && (job = job_next(daemon->jobs, job)) != NULL) {
		if (job->is_silent || count++ >= LISTED_MAX)
			continue;
		(void)buf_printf(out, "%s %s ", count > 1 ? "," : "", job->id);
		put_visible(out, job->command);
	}
	end_list(out, count, "");
}

enum { TIMERS_NAMED = 100 };

static void list_timers(struct buf *out, const struct daemon *daemon)
{
	const struct timer *timer = NULL;
	const char *comma = "";
	unsigned left = TIMERS_NAMED;
	(void)buf_append_str(out, "\nTimers:");
	while (daemon->timers != NULL && left-- > 0 &&
	    (timer = timer_next(daemon->timers, timer)) != NULL) {
		(void)buf_printf(out, "%s %s", comma, timer->id);
		comma = ",";
	}
	(void)buf_append_str(out, *comma ? "." : " none.");
}

static void list_watches(struct buf *out, const struct daemon *daemon)
{
	const struct watch *watch = NULL;
	const char *comma = "";
	(void)buf_append_str(out, "\nWatches:");
	while (daemon->watches != NULL && (watch = watch_next(daemon->watches, watch)) != NULL) {
		(void)buf_printf(out, "%s %s ", comma, watch->id);
		put_visible(out, watch->file);
		comma = ",";
	}
	(void)buf_append_str(out, *comma ? "." : " none.");
}

/* Lists the parameters of a tool, and an example. */
static void list_parameters(struct buf *out, const struct method *tool)
{
	const char *comma = "";
	if (tool->fields == NULL && tool->uses != NULL)
		return; /* a tool of another host: this daemon does not know its parameters */
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

static const char *next_step(enum message_error error)
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
		return "capture_pane shows what is there; wait_for {\"any\":[{\"ready\":…}]} "
		       "waits.";
	default:
		return NULL;
	}
}

/* Returns the length of a text, less a "see NAME" at its end if the agent cannot see tool NAME. */
static size_t usable_len(const char *text, const struct mcp_tool_set *tools)
{
	static const char mark[] = " see ";
	size_t len = strlen(text);
	for (const char *at = strstr(text, mark); at != NULL; at = strstr(at + 1, mark)) {
		char name[64];
		const char *word = at + sizeof mark - 1;
		const struct method *method;
		(void)snprintf(name, sizeof name, "%.*s", (int)strspn(word, NAME_CHARACTERS), word);
		method = method_find(name);
		if (method != NULL && !mcp_tool_set_has(tools, method) && at > text &&
		    strchr(":;,", at[-1]) != NULL)
			len = (size_t)(at - 1 - text);
	}
	return len;
}

void mcp_advice_write(struct buf *out, const struct daemon *daemon, const struct method *tool,
    const struct mcp_tool_set *tools, enum message_error error, const char *text)
{
	const char *step = next_step(error);
	size_t name_len = strlen(tool->name), len;
	bool has_end;
	if (strncmp(text, tool->name, name_len) == 0 && strncmp(text + name_len, ": ", 2) == 0)
		text += name_len + 2; /* errors of declared tools begin with the tool's name */
	len = usable_len(text, tools);
	has_end = len > 0 && strchr(".?!", text[len - 1]) != NULL;
	(void)buf_printf(out, "%s failed: %.*s%s", tool->name, (int)len, text, has_end ? "" : ".");
	switch (error) {
	case MESSAGE_PARAMS:
		list_parameters(out, tool);
		break;
	case MESSAGE_NO_SUCH_PANE:
	case MESSAGE_AMBIGUOUS_TARGET:
		list_panes(out, daemon);
		break;
	case MESSAGE_NO_SUCH_JOB:
		list_jobs(out, daemon);
		break;
	case MESSAGE_NO_SUCH_TIMER:
		list_timers(out, daemon);
		break;
	case MESSAGE_NO_SUCH_WATCH:
		list_watches(out, daemon);
		break;
	default:
		break;
	}
	if (step != NULL)
		(void)buf_printf(out, "\n%s", step);
}
