/* SPDX-License-Identifier: ISC */
#include "daemon/server/work.h"

#include "daemon/core/config.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/request.h"
#include "daemon/tmux/tmux.h"

bool work_is_look(enum work_kind kind)
{
	return kind == WORK_LOOK || kind == WORK_LOOK_AT_WINDOW;
}

static bool read_id(const struct json *params, const char *name, char sigil, uint32_t *ret_id)
{
	const struct json *text = json_member(params, name);
	return text != NULL && text->type == JSON_STRING &&
	    str_parse_id(text->text, text->len, sigil, ret_id);
}

/*
 * Returns the window if a request needs no other one. MUXBUS_NO_ID: the request may need more, or
 * its window is not in the model, or the peer's pane is uncertain.
 */
static uint32_t only_window(struct request *request, const struct json *params)
{
	const struct muxbus_model *model = tmux_model(request_daemon(request)->tmux);
	struct peer *peer = request_peer(request);
	const struct muxbus_pane *pane = NULL;
	uint32_t id;
	if (!(request_method(request)->flags & METHOD_ONE_PANE))
		return MUXBUS_NO_ID;
	if (!read_id(params, "pane", '%', &id))
		return json_member(params, "session") == NULL &&
			read_id(params, "window", '@', &id) &&
			muxbus_model_window(model, id) != NULL
		    ? id
		    : MUXBUS_NO_ID;
	if (peer == NULL || !(peer_pane_of(peer)->is_early || peer_pane_of(peer)->is_weak))
		pane = muxbus_model_pane(model, id);
	return pane != NULL ? pane->window : MUXBUS_NO_ID;
}

static bool is_young(struct request *request, const struct json *params)
{
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	const struct json *age = json_member(params, METHOD_MAX_AGE);
	int64_t max_age_ms;
	uint32_t id;
	if (age == NULL || !json_int(age, &max_age_ms) || max_age_ms <= 0 ||
	    max_age_ms > UINT32_MAX || !(request_method(request)->flags & METHOD_AGED))
		return false;
	if (read_id(params, "pane", '%', &id))
		return muxbus_sync_pane_is_fresh(sync, id, (unsigned)max_age_ms);
	return muxbus_sync_is_fresh(sync,
	    MUXBUS_PART_PANES | MUXBUS_PART_SESSIONS | MUXBUS_PART_CLIENTS, (unsigned)max_age_ms);
}

struct work work_before(struct request *request, const struct json *params, bool is_behind)
{
	struct daemon *parts = request_daemon(request);
	struct work work = {.kind = WORK_LOOK, .window = MUXBUS_NO_ID};
	unsigned flags = request_method(request)->flags;
	bool must_look = tmux_is_detached(parts->tmux), looks_itself;
	if (must_look && flags & METHOD_BY_OUTPUT && !config_pipes(parts->config))
		return (struct work){.kind = WORK_ATTACH};
	/* For a narrow role, dispatch checks the owner of the pane before it calls the handler. */
	looks_itself = flags & METHOD_LOOKS_ITSELF && request_role(request) == ROLE_FULL;
	must_look = must_look && !looks_itself && !is_young(request, params);
	if (flags & METHOD_WITHOUT_TMUX || !(must_look || is_behind))
		return (struct work){.kind = WORK_NONE};
	if (must_look)
		work.window = only_window(request, params);
	if (work.window != MUXBUS_NO_ID)
		work.kind = WORK_LOOK_AT_WINDOW;
	return work;
}

void work_begin(
    const struct work *work, struct request *request, dispatch_done_fn *done, void *data)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	int error = 0;
	switch (work->kind) {
	case WORK_LOOK:
		error = muxbus_sync_refresh(tmux_sync(tmux),
		    request_method(request)->flags & METHOD_OF_SESSIONS
			? MUXBUS_PART_SESSIONS | MUXBUS_PART_CLIENTS
			: MUXBUS_PART_INDEXES,
		    0, done, data);
		break;
	case WORK_LOOK_AT_WINDOW:
		error = muxbus_sync_refresh_window(tmux_sync(tmux), work->window, 0, done, data);
		break;
	case WORK_ATTACH:
		tmux_attach(tmux, done, data);
		break;
	case WORK_OTHER:
		work->begin(work->context, done, data);
		break;
	case WORK_NONE:
		break;
	}
	if (error < 0)
		done(data, error);
}
