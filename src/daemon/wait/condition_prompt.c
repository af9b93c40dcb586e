/* SPDX-License-Identifier: ISC */
/* The conditions prompt and ready: a prompt was seen or marked (OSC 133), or an agent is free. */
#include "base/tokenizer.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/wait/condition_watch.h"
#include "io/loop_timer.h"

enum {
	/* delay of the first look: a command typed just before may not be read yet */
	ENTRY_MS = 500,
	AGAIN_MIN_MS = 250,
	/* longest interval between looks, which go on as a prompt may appear without output */
	AGAIN_MAX_MS = 5000,
	TEXT_MAX = 4096,
};

static const char *const by_names[] = {"screen", "osc133", "agent"};

static const struct presence *presence_of(const struct pane_watch *watch)
{
	const struct daemon *parts = watch->condition->parts;
	struct pane_ref ref;
	if (parts->presences == NULL)
		return NULL;
	pane_ref_of(parts->tmux, watch->pane, &ref);
	return presence_of_pane(parts->presences, &ref);
}

static bool report_refuses(const struct presence *presence, int64_t quiet_ms)
{
	return presence->state == PRESENCE_ASKING ||
	    (presence->state == PRESENCE_BUSY && quiet_ms < SUBMIT_BUSY_QUIET_MS);
}

/* Returns true for a row that asks: a question may end like a prompt, as "Continue (y/n)>". */
static bool row_asks(const char *line)
{
	char row[sizeof((struct prompt *)NULL)->line];
	size_t len = strlen(line);
	while (len > 0 && strchr(" .>$#", line[len - 1]) != NULL)
		len--;
	memcpy(row, line, len);
	row[len] = '\0';
	return agent_row_asks(row);
}

static const char *refusal_of(const struct pane_watch *watch, const struct muxbus_pane *pane,
    const struct pane_screen *screen)
{
	const struct screen_sign_set *signs = watch->condition->parts->signs;
	const struct presence *presence = presence_of(watch);
	struct foreground front;
	char name[AGENT_ARGV_NAME_SIZE];
	struct prompt_facts facts = {.prompt = &screen->prompt,
	    .has_cursor = screen->has_cursor,
	    .is_alternate = screen->is_alternate,
	    .is_marked = prompt_mark_holds(&watch->mark),
	    .asks = row_asks(screen->prompt.line),
	    .quiet_ms = clock_mono_ms() - watch->last_ms};
	if (pane->is_dead || pane->in_mode)
		return "the program is not seen";
	if (presence != NULL && report_refuses(presence, facts.quiet_ms))
		return "the agent reports that it is busy, or asks";
	if (foreground_find_leader(pane->pid) == FOREGROUND_STOPPED)
		return "its program is stopped";
	foreground_read(pane->pid, &front);
	facts.reads = front.is_known ? front.reads : AGENT_READS_UNKNOWN;
	pane_tty_read(pane->tty, pane->pid, &facts.tty);
	facts.is_agent = presence != NULL || foreground_agent(pane->pid, signs, name);
	if (facts.is_agent)
		facts.sign =
		    screen_verdict(signs, presence != NULL ? presence->agent : name, &screen->view);
	return prompt_refusal(&facts);
}

static void settle_prompt(
    struct pane_watch *watch, const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	struct json_writer writer;
	struct buf text = BUF(TEXT_MAX);
	char command[256];
	if (!pane_tty_front(pane->pid, command, sizeof command)) /* the model may be out of date */
		snprintf(command, sizeof command, "%s", pane->command);
	agent_place_text(&screen->view, 1, &text);
	pane_watch_put(watch->condition, &writer, watch->pane);
	json_put_str(&writer, "by", by_names[prompt_mark_holds(&watch->mark)]);
	(void)json_put_text(&writer, "text", text.len > 0 ? text.data : (void *)"", text.len);
	json_put_str(&writer, "command", command);
	json_put_int(&writer, "quiet_ms", clock_mono_ms() - watch->last_ms);
	if (watch->exit_status >= 0)
		json_put_int(&writer, "exit_status", watch->exit_status);
	buf_finish(&text);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static void look_again(struct pane_watch *watch)
{
	int64_t ms = AGAIN_MIN_MS << watch->looks;
	if (ms < AGAIN_MAX_MS)
		watch->looks++;
	loop_timer_arm(watch->timer, ms < AGAIN_MAX_MS ? ms : AGAIN_MAX_MS);
}

static void prompt_read_done(void *data, int error, const struct pane_screen *screen)
{
	struct pane_watch *watch = data;
	const struct muxbus_pane *pane;
	watch->is_asking = false;
	if (watch->is_gone) {
		mem_free(watch);
		return;
	}
	if (watch->condition->state != CONDITION_PENDING || !watch->is_tapped)
		return;
	pane = muxbus_model_pane(tmux_model(watch->condition->parts->tmux), watch->pane);
	if (error != 0 || pane == NULL || clock_mono_ms() - watch->last_ms < AGENT_REST_MS ||
	    refusal_of(watch, pane, screen) != NULL)
		look_again(watch);
	else
		settle_prompt(watch, pane, screen);
	watch->mark.has_rested = true;
}

/* Returns true if no program waits for input, so that the screen need not be read. */
static bool is_at_work(const struct pane_watch *watch)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(watch->condition->parts->tmux), watch->pane);
	struct foreground front;
	if (pane == NULL || pane->is_dead)
		return true;
	foreground_read(pane->pid, &front);
	return front.is_known && front.reads == AGENT_READS_NO;
}

static void prompt_look(void *data)
{
	struct pane_watch *watch = data;
	int64_t left_ms = watch->last_ms + watch->quiet_ms - clock_mono_ms();
	if (watch->is_asking)
		return;
	if (left_ms > 0) {
		loop_timer_arm(watch->timer, left_ms);
		return;
	}
	watch->is_asking = true;
	if (is_at_work(watch) ||
	    pane_screen_read(watch->condition->parts->tmux, watch->pane, prompt_read_done, watch) <
		0) {
		watch->is_asking = false;
		look_again(watch);
	}
}

static void prompt_bytes(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	struct pane_watch *watch = list_entry(tap, struct pane_watch, tap);
	prompt_mark_output(&watch->mark, offset, bytes, len);
	watch->last_ms = clock_mono_ms();
	watch->quiet_ms = AGENT_REST_MS;
	watch->looks = 0;
	if (!watch->is_asking)
		loop_timer_arm(watch->timer, AGENT_REST_MS);
}

static void prompt_marked(struct stream_tap *tap, const struct token *token)
{
	struct pane_watch *watch = list_entry(tap, struct pane_watch, tap);
	prompt_mark_set(&watch->mark, token->mark, token->to);
	if (token->mark == 'C')
		watch->exit_status = -1;
	else if (token->mark == 'D' && token->status >= 0)
		watch->exit_status = token->status;
}

static void prompt_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	struct pane_watch *watch = list_entry(tap, struct pane_watch, tap);
	watch->mark = (struct prompt_mark){0}; /* a later mark may have been missed */
}

static void settle_agent(struct pane_watch *watch, enum condition_state state)
{
	struct condition *condition = watch->condition;
	struct json_writer writer;
	condition_begin_details(condition, &writer);
	json_put_str(&writer, "by", by_names[2]);
	agent_write(&writer, watch->agent);
	condition_end_details(condition, &writer, state);
}

static void agent_changed(struct agent_listener *listener, const struct agent *agent)
{
	struct pane_watch *watch = list_entry(listener, struct pane_watch, agent_listener);
	if (agent != watch->agent || watch->condition->state != CONDITION_PENDING)
		return;
	if (agent_is_free(agent))
		settle_agent(watch, CONDITION_MATCHED);
	else if (agent_has_ended(agent))
		settle_agent(watch, CONDITION_GONE);
}

static void agent_stopped(struct agent_listener *listener, const struct agent *agent)
{
	struct pane_watch *watch = list_entry(listener, struct pane_watch, agent_listener);
	if (agent == watch->agent) {
		list_remove(&listener->link);
		watch->agent = NULL;
	}
}

/* Arms the condition on a kept agent, whose state the daemon knows without looking. */
static bool arm_agent(struct condition *condition, const struct agent *agent)
{
	struct pane_watch *watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->agent = agent;
	watch->pane = agent->pane.pane;
	watch->agent_listener.changed = agent_changed;
	watch->agent_listener.stopped = agent_stopped;
	list_append(&condition->parts->agents->listeners, &watch->agent_listener.link);
	condition->watch = watch;
	agent_changed(&watch->agent_listener, agent);
	return true;
}

static bool arm_pane(struct condition *condition, struct request *request, const char *text)
{
	const struct agent *agent;
	const struct muxbus_pane *pane;
	struct pane_watch *watch;
	if (!target_pane(request, text, &pane))
		return false;
	agent = agent_of_pane(condition->parts->agents, pane->id);
	if (agent != NULL)
		return arm_agent(condition, agent);
	watch = pane_watch_new(condition, request, text);
	if (watch == NULL)
		return false;
	watch->exit_status = -1;
	watch->tap.mark = prompt_marked;
	watch->tap.gap = prompt_gap;
	if (!pane_watch_tap(watch, request, prompt_bytes))
		return false;
	watch->quiet_ms = ENTRY_MS;
	watch->timer = loop_timer_new(condition->parts->base, prompt_look, watch);
	loop_timer_arm(watch->timer, ENTRY_MS);
	return true;
}

struct prompt_args {
	bool prompt;
	const char *pane;
};

static const struct field ready_fields[] = {
    {FIELD_ROW(STRING, struct prompt_args, pane, "ready"), .flags = FIELD_REQUIRED,
	.help = "An agent kept by ensure_agent, by its name, or a pane."},
    {.name = NULL},
};

static bool ready_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct prompt_args *args = data;
	const struct agent *agent = agent_get(condition->parts->agents, args->pane);
	struct resolve found;
	enum resolve_result result;
	if (agent != NULL)
		return arm_agent(condition, agent);
	if (strpbrk(args->pane, "%@$:.") != NULL || !tmux_is_live(condition->parts->tmux))
		return arm_pane(condition, request, args->pane);
	if (dispatch_put_off(request))
		return false;
	result = resolve(tmux_model(condition->parts->tmux), RESOLVE_PANE, args->pane, &found);
	buf_finish(&found.candidates);
	if (result != RESOLVE_NONE)
		return arm_pane(condition, request, args->pane);
	return request_fail(request, MESSAGE_NO_SUCH_PANE,
	    "no agent has this name, and %s; see list_agents", found.reason);
}

static const struct field prompt_fields[] = {
    {FIELD_ROW(BOOL, struct prompt_args, prompt, "prompt"), .flags = FIELD_REQUIRED,
	.help = "true."},
    {FIELD_ROW(STRING, struct prompt_args, pane, "pane"),
	.help = "The pane; left out: the caller's own."},
    {.name = NULL},
};

static bool prompt_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct prompt_args *args = data;
	if (args->prompt)
		return arm_pane(condition, request, args->pane);
	return request_fail_field(
	    request, "prompt", "must be true; the end of a prompt is no condition");
}

const struct condition_kind condition_kinds_prompt[] = {
    {.name = "prompt",
	.help = "An empty prompt was seen at the cursor, or the shell marked one (OSC 133).",
	.about = "by says which: screen, osc133, or agent, whose state the daemon keeps. text is "
		 "the row; exit_status that of the last command, if the shell marked its end since "
		 "the request. The row must end as prompts do ($ # % > and the like), with nothing "
		 "behind it, and the program must wait for input: one that computes, sleeps or is "
		 "stopped, a full-screen program that is no known agent, a question, and input not "
		 "shown, as of passwords, are no prompts. Where it is not known what the program "
		 "waits for, as behind ssh, the pane must be quiet for 1.5 seconds. An agent that "
		 "reports busy or asking is at no prompt. The first look comes half a second after "
		 "the request, so that what was typed before it counts.",
	.example = "{\"prompt\":true,\"pane\":\"%3\"}",
	CONDITION_OF_PANE("pane"),
	FIELDS_OF(prompt_args, prompt_fields),
	.arm = prompt_arm,
	.disarm = pane_watch_disarm},
    {.name = "ready",
	.help = "The same as prompt, with the name of an agent, or a pane.",
	.example = "{\"ready\":\"%3\"}",
	CONDITION_OF_PANE("ready"),
	FIELDS_OF(prompt_args, ready_fields),
	.arm = ready_arm,
	.disarm = pane_watch_disarm},
    {.name = NULL},
};
