/* SPDX-License-Identifier: ISC */
#include "daemon/server/role.h"

#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/pane/maker.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/target.h"
#include "daemon/tmux/tmux.h"

bool role_refuse(struct request *request, const char *what)
{
	const char *name = role_names[request_role(request)];
	char data[64];
	request_audit_refusal(request);
	(void)snprintf(data, sizeof data, "\"role\":\"%s\"", name);
	return request_fail_data(request, MESSAGE_FORBIDDEN, data,
	    "%s, which the role %s of this connection does not allow", what, name);
}

/* Returns a parameter with FIELD_KEPT, which narrow roles may not use; NULL: none. */
static const char *find_kept(const struct method *method, const struct json *params)
{
	for (const struct field *field = method->fields; field != NULL && field->name != NULL;
	     field++)
		if (field->flags & FIELD_KEPT && json_given(params, field->name) != NULL)
			return field->name;
	return NULL;
}

bool role_begin(struct request *request, const struct json *params)
{
	const struct method *method = request_method(request);
	const char *kept;
	char what[160];
	if (request_role(request) == ROLE_FULL)
		return true;
	kept = find_kept(method, params);
	if (!role_has(request_role(request), method))
		(void)snprintf(what, sizeof what, "%.48s %s", method->name,
		    request_role(request) == ROLE_READ_ONLY ? "does more than read"
							    : "can change more than one pane");
	else if (kept != NULL)
		(void)snprintf(
		    what, sizeof what, "%.48s with %.48s changes what is kept", method->name, kept);
	/* Another host would not know the role of this peer. */
	else if (request_daemon(request)->config->is_fleet &&
	    (method->flags & METHOD_WAITS || !method_is_read_only(method)))
		(void)snprintf(what, sizeof what, "%.48s is done by another host", method->name);
	else
		return true;
	return role_refuse(request, what);
}

bool role_find_own(struct request *request, struct pane_ref *ret_own)
{
	bool is_weak = false;
	uint32_t pane = MUXBUS_NO_ID;
	pane_ref_clear(ret_own);
	if (request_role(request) == ROLE_OWN_PANES)
		pane = request_peer_pane(request, &is_weak);
	if (pane != MUXBUS_NO_ID && !is_weak)
		pane_ref_of(request_daemon(request)->tmux, pane, ret_own);
	return request_role(request) == ROLE_FULL;
}

bool role_owns(struct request *request, const struct pane_ref *pane)
{
	struct pane_caller caller;
	struct pane_ref own, now;
	if (pane->pane == MUXBUS_NO_ID || request_peer(request) == NULL)
		return false;
	(void)role_find_own(request, &own);
	if (own.pane != MUXBUS_NO_ID && pane_ref_same_pane(&own, pane))
		return true;
	/* `pane` must be the pane that has this id now, not an earlier one with the same id. */
	pane_ref_of(request_daemon(request)->tmux, pane->pane, &now);
	if (!pane_ref_same_pane(&now, pane) || peer_pane_of(request_peer(request))->is_weak)
		return false;
	requester_caller(request, &caller);
	/* A caller outside of tmux owns no panes: other programs may share its kernel session. */
	return caller.pane.pane != MUXBUS_NO_ID &&
	    maker_is(request_daemon(request)->makers, &caller, pane->pane);
}

bool role_may_take(struct request *request, const struct pane_ref *pane)
{
	switch (request_role(request)) {
	case ROLE_FULL:
		return true;
	case ROLE_OWN_PANES:
		return role_owns(request, pane);
	case ROLE_READ_ONLY:
	case ROLE_COUNT_:
		break;
	}
	return false;
}

void role_find_only(
    struct request *request, const struct muxbus_pane *pane, struct role_only *ret_only)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	const struct muxbus_pane *other = NULL;
	ret_only->count = 0;
	if (request_role(request) == ROLE_FULL)
		return;
	ret_only->pids[ret_only->count++] = pane->pid;
	while (ret_only->count < ROLE_ONLY_MAX &&
	    (other = muxbus_model_next_pane(tmux_model(tmux), other)) != NULL) {
		struct pane_ref ref;
		if (other == pane || other->window != pane->window || other->is_dead ||
		    other->pid <= 0)
			continue;
		pane_ref_of(tmux, other->id, &ref);
		if (role_owns(request, &ref))
			ret_only->pids[ret_only->count++] = other->pid;
	}
}

/*
 * Puts a request off until the pane's window is listed, as tmux does not announce a respawned pane.
 * Not needed for methods that type: their tmux commands check the pane (struct role_only).
 */
static bool look_again(struct request *request, uint32_t id)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), id);
	return pane != NULL && !(request_method(request)->effects & METHOD_TYPES) &&
	    !process_has_terminal(pane->pid) && dispatch_look_at(request, pane->window);
}

bool role_admit(struct request *request, const void *args)
{
	const struct method *method = request_method(request);
	struct peer *peer = request_peer(request);
	struct pane_ref pane, own;
	char what[192];
	if (request_role(request) == ROLE_FULL || method_is_read_only(method))
		return true;
	if (peer != NULL && request_daemon(request)->tmux != NULL && peer_pane_of(peer)->is_early &&
	    dispatch_put_off(request))
		return false;
	pane_ref_clear(&pane);
	if (method->affects != NULL && !method->affects(request, args, &pane))
		return false;
	if (role_owns(request, &pane))
		return !look_again(request, pane.pane);
	if (pane.pane != MUXBUS_NO_ID)
		(void)snprintf(what, sizeof what,
		    "%.48s affects pane %%%u, in which you are not and which you did not make",
		    method->name, pane.pane);
	else if (role_find_own(request, &own), own.pane != MUXBUS_NO_ID)
		(void)snprintf(what, sizeof what,
		    "%.48s affects what belongs to no pane, and yours is pane %%%u", method->name,
		    own.pane);
	else
		(void)snprintf(what, sizeof what,
		    "%.48s needs a pane of yours, and you have none (your program was not started "
		    "in a pane of this tmux, or that pane is closed)",
		    method->name);
	return role_refuse(request, what);
}

const char *role_text(struct request *request, const void *args, const char *name)
{
	const char *text = NULL;
	for (const struct field *field = request_method(request)->fields; field->name != NULL;
	     field++)
		if (strcmp(field->name, name) == 0)
			memcpy(&text, (const char *)args + field->offset, sizeof text);
	return text;
}

bool role_affects_pane(struct request *request, const void *args, struct pane_ref *ret_pane)
{
	const char *text = role_text(request, args, "pane");
	const struct muxbus_pane *pane;
	if (text == NULL)
		return role_affects_caller(request, args, ret_pane);
	if (!target_pane(request, text, &pane))
		return false;
	pane_ref_of(request_daemon(request)->tmux, pane->id, ret_pane);
	return true;
}

bool role_affects_caller(
    struct request *request, const void *args UNUSED, struct pane_ref *ret_pane)
{
	(void)role_find_own(request, ret_pane);
	return true;
}
