/* SPDX-License-Identifier: ISC */
#include "daemon/methods/close_check.h"

#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"

static const struct muxbus_model *model_of(struct request *request)
{
	return tmux_model(request_daemon(request)->tmux);
}

static bool refuse(struct request *request, const char *reason)
{
	return request_fail(
	    request, MESSAGE_REFUSED, "%s; say \"force\": true if that is what you want", reason);
}

static const struct muxbus_pane *own_pane(struct request *request)
{
	bool is_weak;
	uint32_t id = request_peer_pane(request, &is_weak);
	return id == MUXBUS_NO_ID ? NULL : muxbus_model_pane(model_of(request), id);
}

static struct muxbus_model_counts counts_of(struct request *request)
{
	struct muxbus_model_counts counts;
	muxbus_model_counts(model_of(request), &counts);
	return counts;
}

bool close_check_pane(struct request *request, const struct muxbus_pane *pane)
{
	if (own_pane(request) == pane)
		return refuse(request, "this is the pane you are in yourself");
	if (counts_of(request).panes <= 1)
		return refuse(
		    request, "this is the last pane of the tmux server, which would end with it");
	return true;
}

bool close_check_window(struct request *request, const struct muxbus_window *window)
{
	const struct muxbus_pane *own = own_pane(request);
	if (dispatch_put_off(request)) /* the model may lack the window of the requester's pane */
		return false;
	if (own != NULL && own->window == window->id)
		return refuse(request, "the pane you are in yourself is in this window");
	if (counts_of(request).windows <= 1)
		return refuse(
		    request, "this is the last window of the tmux server, which would end with it");
	return true;
}

static bool is_only_in(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_session *session)
{
	bool is_in = false;
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model) {
		if (link->window != window)
			continue;
		if (link->session != session->id)
			return false;
		is_in = true;
	}
	return is_in;
}

bool close_check_session(struct request *request, const struct muxbus_session *session)
{
	const struct muxbus_pane *own = own_pane(request);
	if (dispatch_put_off(request))
		return false;
	if (own != NULL && is_only_in(model_of(request), own->window, session))
		return refuse(request, "the pane you are in yourself is in this session");
	if (counts_of(request).sessions <= 1)
		return refuse(request,
		    "this is the last session of the tmux server, which would end with it");
	return true;
}
