/* SPDX-License-Identifier: ISC */
#include "daemon/input/person_guard.h"

#include "base/process.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/draft.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/maker.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/pane_input.h"
#include "daemon/tmux/stream.h"

enum {
	DATA_MAX = 1024,
	SHOWN_MS = 5000, /* time after which even a busy program has shown a text that was typed */
};

struct asking {
	const struct daemon *parts;
	struct request *request;
	person_guard_fn *done;
	void *data;
	struct role_only *only; /* gets the processes for the keys; NULL: not wanted */
	bool force;
	bool has_sign; /* at least one pane was checked */
	uint32_t first; /* the pane that the request types into */
	/* the pane that is checked now: first, or one that gets its keys too; MUXBUS_NO_ID: none */
	uint32_t pane;
	enum draft_sign sign; /* the weakest sign in all panes checked so far */
};

static void end(struct asking *asking, bool may)
{
	asking->done(asking->data, may, asking->has_sign ? draft_sign_name(asking->sign) : NULL);
	mem_free(asking);
}

/* Refuses the request: there is a draft, or a person has typed. */
static void refuse(struct asking *asking, const struct draft *draft)
{
	struct json_writer writer;
	struct buf data;
	json_start(&writer, &data, DATA_MAX);
	json_put_id(&writer, "pane", '%', asking->pane);
	json_put_str(&writer, "why", draft->is_there ? "draft" : "person_typed");
	json_put_str(&writer, "sign", draft_sign_name(draft->sign));
	if (draft->is_there)
		json_put_str(&writer, "draft", draft->text);
	json_put_str(&writer, "typed", "nothing");
	request_fail_data(asking->request, MESSAGE_REFUSED, (const char *)data.data,
	    "pane %%%u: %s; typed: nothing; \"force\": true types all the same", asking->pane,
	    draft->is_there ? "a line that you did not type stands at its prompt"
			    : "a person typed there less than 5 seconds ago");
	buf_finish(&data);
	end(asking, false);
}

/* Returns when a person last pressed a key in any pane: the person may have left this pane then. */
static uint64_t last_key(const struct muxbus_model *model)
{
	uint64_t last = 0;
	next_each (const struct muxbus_client, client, muxbus_model_next_client, model)
		if (!client->is_control && client->activity > last)
			last = client->activity;
	return last;
}

/* Looks for a draft in a program that reads lines. */
static void find_draft(const struct asking *asking, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct draft *ret_draft)
{
	struct pane_input *input = stream_input(asking->parts->streams, pane->id);
	struct draft_facts facts = {.view = &screen->view};
	char agent[AGENT_ARGV_NAME_SIZE], cwd[PATH_MAX];
	struct foreground front;
	struct pane_tty tty;
	bool is_cooked;
	*ret_draft = (struct draft){0};
	foreground_read(pane->pid, &front);
	pane_tty_read(pane->tty, pane->pid, &tty);
	is_cooked = tty.is_known && tty.is_cooked;
	facts.is_shell = front.is_known ? front.is_shell : foreground_is_shell(pane->command);
	if (!screen->has_cursor || (is_cooked && (!facts.is_shell || !tty.has_echo)) ||
	    (is_cooked && front.is_known && front.reads == AGENT_READS_NO) ||
	    (screen->is_alternate && !foreground_agent(pane->pid, NULL, agent) &&
		!foreground_is_carrier(front.name)))
		return;
	if (front.is_known && process_cwd(front.pid, cwd, sizeof cwd))
		facts.cwd = cwd;
	if (input != NULL) {
		bool is_typed = input->line.len > 0 || input->is_other_form;
		pane_input_age(input);
		facts.lead = input->has_lead ? input->lead : NULL;
		facts.typed = (const char *)input->line.data;
		facts.typed_len = input->line.len;
		facts.fresh = input->fresh;
		facts.ended = (const char *)input->ended.data;
		facts.ended_len = input->ended.len;
		/* tmux gives whole seconds: the key may have come at the end of its second. */
		facts.is_untouched =
		    ((int64_t)last_key(tmux_model(asking->parts->tmux)) + 1) * 1000 <=
		    input->typed_ms;
		/* An agent may show a text in another form than typed, such as "[Pasted text]". */
		facts.is_other_form = facts.is_untouched &&
		    (input->has_ended_other ||
			(is_typed && (input->is_other_form || !facts.is_shell)));
	}
	facts.is_editing = front.is_known && front.is_shell && tty.is_known && !is_cooked &&
	    !screen->is_alternate &&
	    (!facts.is_untouched || clock_real_ms() - input->typed_ms > SHOWN_MS);
	draft_read(&facts, ret_draft);
	/* The typed text is forgotten if the line is empty although it should show the text. */
	if (input == NULL || ret_draft->sign == DRAFT_BY_KEYS || !ret_draft->is_empty)
		return;
	if (clock_real_ms() - input->typed_ms > SHOWN_MS)
		pane_input_clear(input);
	else
		input->fresh = input->line.len;
}

static bool is_free(const struct asking *asking, const struct muxbus_pane *pane)
{
	struct pane_caller caller;
	if (request_role(asking->request) != ROLE_FULL)
		return true; /* a limited role can reach only its own panes */
	requester_caller(asking->request, &caller);
	return caller.pane.pane == pane->id ||
	    maker_is(request_daemon(asking->request)->makers, &caller, pane->id);
}

/* Binds the keys to the process that the pane has now. Fails the request if there is no room. */
static bool bind(struct asking *asking, const struct muxbus_pane *pane)
{
	struct role_only *only = asking->only;
	char data[64];
	if (only == NULL || (pane->id != asking->first && pane->pid <= 0))
		return true;
	if (pane->id == asking->first || only->count < ROLE_ONLY_MAX) {
		only->pids[pane->id == asking->first ? 0 : only->count++] = pane->pid;
		return true;
	}
	(void)snprintf(data, sizeof data, "\"pane\":\"%%%u\",\"typed\":\"nothing\"", asking->first);
	request_fail_data(asking->request, MESSAGE_NOT_READY, data,
	    "pane %%%u: more than %d panes get its keys; typed: nothing; \"force\": true types all "
	    "the same",
	    asking->first, ROLE_ONLY_MAX);
	end(asking, false);
	return false;
}

static const struct muxbus_pane *next_pane(
    const struct asking *asking, const struct muxbus_pane *first, uint32_t behind)
{
	const struct muxbus_model *model = tmux_model(asking->parts->tmux);
	const struct muxbus_pane *pane = NULL, *found = NULL;
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		if (pane_input_reaches(first, pane) &&
		    (behind == MUXBUS_NO_ID || pane->id > behind) &&
		    (found == NULL || pane->id < found->id))
			found = pane;
	return found;
}

static void look(struct asking *asking, const struct muxbus_pane *pane);

static void look_next(struct asking *asking)
{
	const struct muxbus_pane *first =
	    muxbus_model_pane(tmux_model(asking->parts->tmux), asking->first);
	const struct muxbus_pane *pane = NULL;
	while (first != NULL && (pane = next_pane(asking, first, asking->pane)) != NULL &&
	    is_free(asking, pane)) {
		asking->pane = pane->id;
		if (!bind(asking, pane))
			return;
	}
	if (pane != NULL)
		look(asking, pane);
	else
		end(asking, true); /* if the first pane has closed, tmux reports that */
}

static void fail(struct asking *asking, int error)
{
	tmux_call_fail(asking->request, error, NULL);
	end(asking, false);
}

static void on_screen(void *data, int error, const struct pane_screen *screen)
{
	struct asking *asking = data;
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(asking->parts->tmux), asking->pane);
	struct draft draft = {0};
	bool is_typing;
	if (error < 0) {
		fail(asking, error);
		return;
	}
	if (pane != NULL && !asking->force) {
		is_typing = submit_guard_is_typing(asking->parts->tmux, pane);
		find_draft(asking, pane, screen, &draft);
		if (is_typing || draft.is_there) {
			refuse(asking, &draft);
			return;
		}
		if (draft.sign < asking->sign)
			asking->sign = draft.sign;
		asking->has_sign = true;
		if (!bind(asking, pane))
			return;
	}
	look_next(asking);
}

/* Called when the window and the list of clients were listed again, or this failed. */
static void on_fresh(void *data, int error)
{
	struct asking *asking = data;
	if (error == 0 && asking->pane == MUXBUS_NO_ID) {
		look_next(asking);
		return;
	}
	if (error == 0)
		error =
		    pane_screen_read_listed(asking->parts->tmux, asking->pane, on_screen, asking);
	if (error < 0)
		fail(asking, error);
}

static void refresh(struct asking *asking, uint32_t window)
{
	int error = muxbus_sync_refresh_window(
	    tmux_sync(asking->parts->tmux), window, MUXBUS_PART_CLIENTS, on_fresh, asking);
	if (error < 0)
		fail(asking, error);
}

static void look(struct asking *asking, const struct muxbus_pane *pane)
{
	asking->pane = pane->id;
	refresh(asking, pane->window);
}

void person_guard(struct request *request, const struct muxbus_pane *pane, bool force,
    struct role_only *only, person_guard_fn *done, void *data)
{
	struct asking *asking = xcalloc(1, sizeof *asking);
	*asking = (struct asking){.parts = request_daemon(request),
	    .request = request,
	    .done = done,
	    .data = data,
	    .force = force,
	    .only = force || request_role(request) != ROLE_FULL ? NULL : only,
	    .first = pane->id,
	    .pane = MUXBUS_NO_ID,
	    .sign = DRAFT_BY_MARK};
	if (asking->only != NULL)
		*only = (struct role_only){.count = 1, .pids = {pane->pid}};
	/*
	 * tmux does not announce to its control client that a pane was respawned, or that panes are
	 * synchronized, so the window is listed.
	 */
	if (asking->only != NULL && !tmux_is_detached(asking->parts->tmux) && is_free(asking, pane))
		refresh(asking, pane->window);
	else
		look_next(asking); /* with force too, so that requests keep their order */
}
