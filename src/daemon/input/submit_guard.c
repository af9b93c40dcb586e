/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_guard.h"

#include "daemon/core/config.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"

enum { AROUND_MAX = 64 * 1024, COMMAND_AT = SCREEN_GUARD_NAMES - 1 };

static const char *known_name(const struct screen_guard_facts *facts)
{
	for (size_t at = 0; at < COMMAND_AT; at++)
		if (screen_sign_has(facts->signs, facts->names[at], SIGN_DIALOG))
			return facts->names[at];
	return NULL;
}

static enum screen_sign_kind screen_guard_sign(const struct screen_guard_facts *facts)
{
	const char *name = known_name(facts);
	return name != NULL ? screen_verdict(facts->signs, name, &facts->screen->view) : SIGN_NONE;
}

static bool is_prompt(enum screen_sign_kind sign)
{
	return sign == SIGN_IDLE || sign == SIGN_DRAFT;
}

bool screen_guard_asks(const struct screen_guard_facts *facts)
{
	enum screen_sign_kind sign = screen_guard_sign(facts);
	return sign == SIGN_DIALOG || (facts->screen->prompt.is_question && !is_prompt(sign));
}

/* Returns true if a text shows a sign of this kind, for any of the program's names. */
static bool shows(const struct screen_guard_facts *facts, enum screen_sign_kind kind,
    const char *text, size_t len)
{
	bool is_set = false;
	for (size_t at = 0; at < SCREEN_GUARD_NAMES; at++) {
		if (screen_sign_shows(facts->signs, facts->names[at], kind, text, len))
			return true;
		is_set |= screen_sign_is_named(facts->signs, facts->names[at], kind);
	}
	/* Busy signs of all programs count, unless the user's file has such signs for this one. */
	return kind == SIGN_BUSY && !is_set &&
	    screen_sign_shows(facts->signs, NULL, kind, text, len);
}

static const char *find_sign(const struct screen_guard_facts *facts, enum screen_sign_kind sign)
{
	const char *reason = NULL;
	struct buf around = BUF(AROUND_MAX);
	if (is_prompt(sign))
		return NULL;
	prompt_write_around(&facts->screen->view, &around);
	/* A busy program draws, so on an old screen the words are only text. */
	if (facts->quiet_ms < SUBMIT_BUSY_QUIET_MS &&
	    (sign == SIGN_WORK || shows(facts, SIGN_BUSY, (const char *)around.data, around.len)))
		reason = "its screen says that it is busy";
	if (shows(facts, SIGN_ASKING, (const char *)around.data, around.len))
		reason = "its screen asks a person something";
	buf_finish(&around);
	return reason;
}

bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE])
{
	const struct prompt *prompt = &facts->screen->prompt;
	enum screen_sign_kind sign = screen_guard_sign(facts);
	const char *reason = find_sign(facts, sign);
	bool is_ready = sign == SIGN_IDLE ||
	    (!prompt->has_right_draft &&
		shows(facts, SIGN_READY, prompt->line, strlen(prompt->line)));
	ret_reason[0] = '\0';
	if (!facts->screen->has_cursor && sign != SIGN_IDLE)
		reason = "no cursor is seen, so no prompt";
	if (reason != NULL)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "%s", reason);
	else if (sign == SIGN_DRAFT || (prompt->has_draft && !is_ready && !facts->is_at_prompt))
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "there is something on the prompt line: \"%.80s\"", prompt->line);
	else if (prompt->is_shell && !is_ready)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the prompt looks like a shell's");
	else if (sign == SIGN_NONE && !prompt->begins_row && !is_ready && known_name(facts) != NULL)
		/* Another version of the agent may show a draft like this. */
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "its screen shows no prompt");
	else if (prompt->is_open && facts->draws_lines && !is_ready && !facts->is_at_prompt)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "no prompt is seen: a draft may begin above the screen");
	else
		return true;
	return false;
}

uint64_t submit_guard_human(
    const struct tmux *tmux, const struct muxbus_pane *pane, bool *ret_in_prefix)
{
	const struct muxbus_model *model = tmux_model(tmux);
	uint64_t latest = 0;
	*ret_in_prefix = false;
	next_each (const struct muxbus_client, client, muxbus_model_next_client, model) {
		const struct muxbus_session *session = muxbus_model_session(model, client->session);
		if (client->is_control || session == NULL || !pane->is_active ||
		    session->current_window != pane->window)
			continue;
		*ret_in_prefix |= client->in_prefix;
		if (client->activity > latest)
			latest = client->activity;
	}
	return latest;
}

uint64_t submit_guard_activity(const struct tmux *tmux, const struct muxbus_pane *pane)
{
	const struct muxbus_model *model = tmux_model(tmux);
	uint64_t latest = 0;
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model) {
		const struct muxbus_session *session = link->window == pane->window
		    ? muxbus_model_session(model, link->session)
		    : NULL;
		if (session != NULL && session->activity > latest)
			latest = session->activity;
	}
	return latest;
}

bool submit_guard_is_blind(uint64_t activity)
{
	int64_t age_ms = clock_real_ms() - (int64_t)activity * 1000;
	return age_ms >= 0 && age_ms < SUBMIT_BLIND_MS;
}

static bool reports_question(const struct presence *presence)
{
	return presence != NULL && presence->state == PRESENCE_ASKING &&
	    clock_mono_ms() - presence->reported_ms < SUBMIT_ASKING_MS;
}

int64_t submit_guard_quiet_ms(
    const struct daemon *parts, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE])
{
	const struct presence *presence = presence_of_pane(parts->presences, ref);
	int64_t quiet_ms = parts->config->limits.deliver_quiet_ms;
	ret_reason[0] = '\0';
	switch (presence == NULL ? PRESENCE_UNKNOWN : presence->state) {
	case PRESENCE_IDLE:
		if (presence->is_by_mark)
			return quiet_ms;
		return quiet_ms < SUBMIT_IDLE_QUIET_MS ? quiet_ms : SUBMIT_IDLE_QUIET_MS;
	case PRESENCE_BUSY:
		snprintf(
		    ret_reason, SUBMIT_REASON_SIZE, "%s says that it is busy", presence->agent);
		return quiet_ms > SUBMIT_BUSY_QUIET_MS ? quiet_ms : SUBMIT_BUSY_QUIET_MS;
	case PRESENCE_ASKING:
		if (!reports_question(presence))
			return quiet_ms;
		snprintf(
		    ret_reason, SUBMIT_REASON_SIZE, "%s asks a person something", presence->agent);
		/* The report may be old: many agents do not report that Escape ended a dialog. */
		return screen_sign_has(parts->signs, presence->agent, SIGN_DIALOG)
		    ? SUBMIT_BUSY_QUIET_MS
		    : -1;
	case PRESENCE_UNKNOWN:
	case PRESENCE_GONE:
	case PRESENCE_STATE_COUNT_:
		break;
	}
	return quiet_ms;
}

bool submit_guard_is_recent(uint64_t key)
{
	int64_t age_ms = clock_real_ms() - (int64_t)key * 1000;
	return key > 0 && age_ms > -SUBMIT_HUMAN_MS && age_ms < SUBMIT_HUMAN_MS;
}

bool submit_guard_is_typing(const struct tmux *tmux, const struct muxbus_pane *pane)
{
	bool in_prefix;
	uint64_t latest = submit_guard_human(tmux, pane, &in_prefix);
	return in_prefix || submit_guard_is_recent(latest);
}

static bool is_same_program(const char *expected, const struct muxbus_pane *pane)
{
	char identity[AGENT_ARGV_IDENTITY_SIZE];
	if (!foreground_identity(pane->pid, identity))
		return strcmp(expected, pane->command) == 0;
	return strcmp(expected, identity) == 0;
}

static void tell_shell(const struct muxbus_pane *pane, const struct expected *expected,
    enum foreground_place place, char ret_reason[SUBMIT_REASON_SIZE])
{
	if (expected->identity[0] == '\0')
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "a shell (%.40s) is in front, and no program that it waits for has asked",
		    pane->command);
	else if (place == FOREGROUND_ENDED)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "a shell (%.40s) is in front: %.40s, which asked, has ended", pane->command,
		    expected->identity);
	else
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "a shell (%.40s) is in front, not %.40s that asked", pane->command,
		    expected->identity);
}

/* Returns true if the pane has a kept agent (ensure_agent), unless a shell there waits for keys. */
static bool has_kept(const struct daemon *parts, const struct muxbus_pane *pane)
{
	struct foreground front;
	if (!parts->is_kept(parts, pane->id))
		return false;
	foreground_read(pane->pid, &front);
	return front.is_known && !front.is_shell;
}

static bool has_known_screen(const struct daemon *parts, const struct muxbus_pane *pane)
{
	char name[AGENT_ARGV_NAME_SIZE];
	return foreground_agent(pane->pid, parts->signs, name) &&
	    screen_sign_has(parts->signs, name, SIGN_DIALOG);
}

static bool can_read(
    enum foreground_place place, const char *name, char ret_reason[SUBMIT_REASON_SIZE])
{
	if (place == FOREGROUND_STOPPED)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "%.40s, or a program that it runs, is stopped", name);
	else if (place == FOREGROUND_BESIDE)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "another program beside %.40s reads the same terminal", name);
	else
		return true;
	return false;
}

bool submit_guard_front(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE])
{
	enum foreground_place place = FOREGROUND_ENDED;
	struct expected expected;
	bool has_asked = expected_find(queue_store(parts->queue), ref, &expected);
	ret_reason[0] = '\0';
	if (has_asked)
		place = expected_place(&expected, pane->pid);
	if (place == FOREGROUND_IN_FRONT)
		return true;
	if (!can_read(place, expected.identity, ret_reason))
		return false;
	if (foreground_is_shell(pane->command) && !has_kept(parts, pane))
		tell_shell(pane, &expected, place, ret_reason);
	else if (has_asked && !is_same_program(expected.identity, pane))
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "%.40s is in front, not %.40s that asked",
		    pane->command, expected.identity);
	else if (!has_asked && pane->alternate_screen && !has_kept(parts, pane) &&
	    !has_known_screen(parts, pane))
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "a full-screen program (%.40s) that never asked is in front", pane->command);
	else
		return can_read(foreground_find_leader(pane->pid), pane->command, ret_reason);
	return false;
}

bool submit_guard_pane(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE])
{
	ret_reason[0] = '\0';
	if (pane->in_mode)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the pane is in %.40s",
		    pane->mode[0] != '\0' ? pane->mode : "a mode");
	else if (pane->input_off)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the pane's input is off");
	else if (pane->is_synchronized)
		snprintf(
		    ret_reason, SUBMIT_REASON_SIZE, "the pane's input is synchronised with others");
	else if (submit_guard_is_typing(parts->tmux, pane))
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "a person is typing");
	else if (!policy->knows_prompt)
		return submit_guard_front(parts, ref, pane, ret_reason);
	else
		return foreground_find_leader(pane->pid) != FOREGROUND_STOPPED ||
		    can_read(FOREGROUND_STOPPED, pane->command, ret_reason);
	return false;
}

bool submit_guard_done(const struct submit_policy *policy, const struct muxbus_pane *pane,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE])
{
	struct foreground front;
	ret_reason[0] = '\0';
	if (policy->knows_prompt || quiet_ms >= SUBMIT_BUSY_QUIET_MS)
		return true;
	foreground_read(pane->pid, &front);
	if (!front.is_known || !front.is_computing)
		return true;
	snprintf(ret_reason, SUBMIT_REASON_SIZE,
	    "its program is busy: what it has read may not be shown yet");
	return false;
}

/*
 * Sets tty for the expected program, for which a shell or another program in front only waits.
 * inner_tty is its own terminal, if that is not the pane's; or NULL. If the terminal cannot be
 * read, the kernel counts as editing its lines.
 */
static void look_behind_shell(
    const struct expected *expected, const char *inner_tty, struct pane_tty *tty)
{
	int unread = tty->unread;
	if (inner_tty != NULL)
		pane_tty_read(inner_tty, expected->program.pid, tty);
	if (!tty->is_known)
		*tty = (struct pane_tty){.is_known = true, .is_cooked = true, .has_echo = true};
	tty->unread = unread > tty->unread ? unread : tty->unread;
	tty->is_first = false;
}

bool submit_guard_terminal(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_tty *pane_tty,
    char ret_reason[SUBMIT_REASON_SIZE])
{
	const char *name = pane->command;
	struct pane_tty tty = *pane_tty;
	struct expected expected;
	bool has_asked, is_inner, is_known;
	char path[64];
	ret_reason[0] = '\0';
	if (!tty.is_known || policy->knows_prompt)
		return true;
	has_asked = expected_find(queue_store(parts->queue), ref, &expected);
	is_inner =
	    has_asked && foreground_inner_tty(pane->pid, expected.program.pid, path, sizeof path);
	if (is_inner || (has_asked && foreground_is_shell(name))) {
		look_behind_shell(&expected, is_inner ? path : NULL, &tty);
		name = expected.identity;
	}
	is_known = has_asked || has_kept(parts, pane);
	if (tty.unread > 0)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "what was typed before has not been read by %.40s", name);
	else if (tty.is_cooked && !tty.has_echo)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "%.40s asks for a secret", name);
	else if (tty.is_cooked && !tty.is_first)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "%.40s edits no lines: what it does not read, the shell behind it would", name);
	else if (tty.is_cooked && !is_known)
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "%.40s edits no lines, and never asked: it may not read them", name);
	else
		return true;
	return false;
}

/* The names of the program in front; "": it has no such name. */
struct guard_names {
	char reported[PRESENCE_NAME_MAX + 1], by_argv[AGENT_ARGV_NAME_SIZE];
	const char *command;
};

static void find_names(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, struct guard_names *ret_names)
{
	const struct presence *presence = presence_of_pane(parts->presences, ref);
	struct expected expected;
	*ret_names = (struct guard_names){.command = pane->command};
	/* If the agent has started another program on its terminal, that program counts. */
	if (presence != NULL && !presence->is_by_mark &&
	    (presence->pid <= 0 ||
		!foreground_is_below(pane_tty_front_pid(pane->pid), presence->pid)))
		snprintf(ret_names->reported, sizeof ret_names->reported, "%s", presence->agent);
	/* The agent may be on a terminal of its own, which a program in the pane shows. */
	if (!foreground_agent(pane->pid, parts->signs, ret_names->by_argv) &&
	    !(expected_find(queue_store(parts->queue), ref, &expected) &&
		expected_place(&expected, pane->pid) == FOREGROUND_IN_FRONT &&
		foreground_is_agent(expected.program.pid, parts->signs, ret_names->by_argv)))
		ret_names->by_argv[0] = '\0';
}

bool submit_guard_known(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE])
{
	struct expected expected;
	struct guard_names names;
	ret_reason[0] = '\0';
	if (policy->knows_prompt)
		return true;
	/*
	 * An expected program must be in front. Its name alone says too little: a shell has the same
	 * name while it waits for a program.
	 */
	if (expected_find(queue_store(parts->queue), ref, &expected))
		return submit_guard_front(parts, ref, pane, ret_reason);
	find_names(parts, ref, pane, &names);
	if (names.reported[0] != '\0' || names.by_argv[0] != '\0' || has_kept(parts, pane))
		return true;
	snprintf(ret_reason, SUBMIT_REASON_SIZE,
	    "%.40s is no known agent, and never asked: its line may be no prompt", pane->command);
	return false;
}

void submit_guard_note(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, struct foreground_program *ret_program)
{
	struct expected expected;
	if (expected_find(queue_store(parts->queue), ref, &expected) &&
	    expected_place(&expected, pane->pid) == FOREGROUND_IN_FRONT)
		*ret_program = expected.program;
	else
		foreground_leader(pane->pid, ret_program);
}

/* Returns facts that have only signs, names and screen. names must live as long as the facts. */
static struct screen_guard_facts facts_of(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen, struct guard_names *names)
{
	find_names(parts, ref, pane, names);
	return (struct screen_guard_facts){
	    .signs = parts->signs,
	    .names = {names->reported, names->by_argv, names->command},
	    .screen = screen,
	};
}

static bool draws_lines(
    const struct daemon *parts, const struct pane_ref *ref, const struct muxbus_pane *pane)
{
	struct expected expected;
	struct pane_tty tty;
	char path[64];
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (expected_find(queue_store(parts->queue), ref, &expected) &&
	    foreground_inner_tty(pane->pid, expected.program.pid, path, sizeof path))
		look_behind_shell(&expected, path, &tty);
	return tty.is_known && !tty.is_cooked;
}

bool submit_guard_empty(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	struct guard_names names;
	struct screen_guard_facts facts = facts_of(parts, ref, pane, screen, &names);
	return !screen_guard_asks(&facts) &&
	    (screen_guard_sign(&facts) == SIGN_IDLE ||
		(screen->has_cursor && !screen->prompt.has_draft));
}

bool submit_guard_edits(
    const struct daemon *parts, const struct pane_ref *ref, const struct muxbus_pane *pane)
{
	struct guard_names names;
	find_names(parts, ref, pane, &names);
	return screen_sign_has(parts->signs, names.reported, SIGN_EDITS) ||
	    screen_sign_has(parts->signs, names.by_argv, SIGN_EDITS);
}

enum submit_sight submit_guard_sight(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	struct guard_names names;
	struct screen_guard_facts facts = facts_of(parts, ref, pane, screen, &names);
	switch (screen_guard_sign(&facts)) {
	case SIGN_IDLE:
		return SIGHT_FREE;
	case SIGN_NONE:
		return known_name(&facts) != NULL ? SIGHT_NOT_FREE : SIGHT_UNKNOWN;
	case SIGN_DRAFT:
		return SIGHT_NOT_FREE;
	default:
		return SIGHT_UNKNOWN;
	}
}

bool submit_guard_screen(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_screen *screen,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE])
{
	struct guard_names names;
	struct screen_guard_facts facts = facts_of(parts, ref, pane, screen, &names);
	ret_reason[0] = '\0';
	if (!policy->answers_question && screen_guard_asks(&facts)) {
		snprintf(
		    ret_reason, SUBMIT_REASON_SIZE, "a choice is offered: a key would answer it");
		return false;
	}
	if (policy->knows_prompt)
		return true;
	if (reports_question(presence_of_pane(parts->presences, ref)) &&
	    screen_guard_sign(&facts) != SIGN_IDLE) {
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "its agent asks a person something, and shows no prompt");
		return false;
	}
	facts.quiet_ms = quiet_ms;
	facts.draws_lines = screen->prompt.is_open && draws_lines(parts, ref, pane);
	facts.is_at_prompt = (screen->prompt.has_draft || facts.draws_lines) &&
	    parts->is_at_prompt(parts, pane, screen);
	return screen_guard_allows(&facts, ret_reason);
}

/* Appends a text, escaped for a tmux format. */
static void put_literal(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("#,}", *text) != NULL)
			(void)buf_append_byte(out, '#');
		(void)buf_append_byte(out, (uint8_t)*text);
	}
}

/* Appends both sides of the comparison #{==:format,value} for the cursor and the patterns. */
static void put_screen(
    struct buf *out, const struct pane_screen *screen, const struct buf *patterns)
{
	unsigned count = 0;
	(void)buf_append_str(out, "#{cursor_x} #{cursor_y} ");
	for (size_t at = 0; at < patterns->len; count++) {
		const uint8_t *begin = patterns->data + at;
		size_t len = (size_t)((uint8_t *)memchr(begin, '\n', patterns->len - at) - begin);
		(void)buf_printf(out, "#{?#{C:%.*s},1,0}", (int)len, (const char *)begin);
		at += len + 1;
	}
	(void)buf_printf(out, ",%u %u ", screen->cursor_column, screen->cursor_row);
	while (count-- > 0)
		(void)buf_append_byte(out, '1');
}

void submit_guard_write(
    struct buf *out, const struct pane_ref *ref, const struct submit_moment *moment)
{
	(void)buf_append_str(out, "#{&&:#{==:");
	if (moment->screen != NULL)
		put_screen(out, moment->screen, moment->patterns);
	else
		(void)buf_append_byte(out, ',');
	(void)buf_append_str(out, "},#{&&:#{==:");
	if (moment->activity != 0)
		(void)buf_printf(
		    out, "#{session_activity},%llu", (unsigned long long)moment->activity);
	else
		(void)buf_append_byte(out, ',');
	(void)buf_printf(out,
	    "},#{&&:#{==:#{pane_pid} #{pid},%d %d},"
	    "#{&&:#{==:#{pane_dead}#{pane_in_mode}#{pane_input_off}#{pane_synchronized},0000},"
	    "#{&&:#{==:#{pane_current_command},",
	    (int)ref->pane_pid, (int)ref->server_pid);
	put_literal(out, moment->command);
	(void)buf_append_str(out, "}," MUXBUS_FORMAT_WHOLE "}}}}}");
}

bool submit_guard_lasting(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE])
{
	static const struct submit_policy notice = {0};
	struct muxbus_pane now = *pane;
	char command[256];
	struct pane_tty tty;
	ret_reason[0] = '\0';
	/* The model may still have the name of a program that has ended. */
	if (pane_tty_front(pane->pid, command, sizeof command))
		now.command = command;
	if (pane->input_off) {
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the pane's input is off");
		return false;
	}
	pane_tty_read(pane->tty, pane->pid, &tty);
	tty.unread = 0; /* the program will soon read what is unread */
	return submit_guard_front(parts, ref, &now, ret_reason) &&
	    submit_guard_known(parts, &notice, ref, &now, ret_reason) &&
	    submit_guard_terminal(parts, &notice, ref, &now, &tty, ret_reason);
}
