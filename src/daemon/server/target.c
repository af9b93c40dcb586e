/* SPDX-License-Identifier: ISC */
#include "daemon/server/target.h"

#include "daemon/queue/consumer.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/request.h"
#include "daemon/server/tmux_call.h"
#include "daemon/tmux/tmux.h"

#define DATA_MAX_BYTES 8192

static const enum message_error missing[] = {
    [RESOLVE_SESSION] = MESSAGE_NO_SUCH_SESSION,
    [RESOLVE_WINDOW] = MESSAGE_NO_SUCH_WINDOW,
    [RESOLVE_PANE] = MESSAGE_NO_SUCH_PANE,
};

static const char *const list_names[] = {
    [RESOLVE_SESSION] = "list_sessions",
    [RESOLVE_WINDOW] = "list_windows",
    [RESOLVE_PANE] = "list_panes",
};

static const struct muxbus_model *model_of(struct request *request)
{
	return tmux_model(request_daemon(request)->tmux);
}

static void fail(struct request *request, enum resolve_kind kind, enum resolve_result result,
    const char *text, const struct resolve *found)
{
	char shown[STR_SHOWN_SIZE];
	struct buf data;
	struct json_writer writer;
	json_start(&writer, &data, DATA_MAX_BYTES);
	json_put_str(&writer, "target", str_shown(text, strlen(text), shown));
	if (result == RESOLVE_AMBIGUOUS) {
		json_array_begin(&writer, "candidates");
		json_put_raw(&writer, NULL, found->candidates.data, found->candidates.len);
		json_array_end(&writer);
		request_fail_data(request, MESSAGE_AMBIGUOUS_TARGET, (const char *)data.data,
		    "%s: use an id or one of data.candidates", found->reason);
	} else {
		json_put_given(&writer, "nearest", found->nearest);
		request_fail_data(request, missing[kind], (const char *)data.data,
		    "%s; %s lists the existing ones", found->reason, list_names[kind]);
	}
	buf_finish(&data);
}

/* If there is no tmux server, fails the request and returns true: the object may exist. */
static bool fail_without_server(struct request *request)
{
	if (tmux_is_live(request_daemon(request)->tmux))
		return false;
	tmux_call_fail(request, MUXBUS_ERR_UNAVAILABLE, NULL);
	return true;
}

/* Returns the peer's own pane; NULL after failing the request or putting it off. */
static const struct muxbus_pane *own_pane(struct request *request)
{
	bool is_weak;
	uint32_t id = request_peer_pane(request, &is_weak);
	const struct muxbus_pane *pane =
	    id == MUXBUS_NO_ID ? NULL : muxbus_model_pane(model_of(request), id);
	if (pane == NULL && !dispatch_put_off(request) && !fail_without_server(request))
		request_fail_data(request, MESSAGE_NO_SUCH_PANE, "\"target\":null",
		    "you are in no pane of this tmux server, so a target is required, such "
		    "as \"%%3\" or \"work:1.0\"; list_panes lists the panes");
	return pane;
}

bool target_is_id(enum resolve_kind kind, const char *text)
{
	static const char sigils[] = {
	    [RESOLVE_SESSION] = '$', [RESOLVE_WINDOW] = '@', [RESOLVE_PANE] = '%'};
	uint32_t id;
	text += text[0] == '=';
	return str_parse_id(text, strlen(text), sigils[kind], &id);
}

static bool find(
    struct request *request, enum resolve_kind kind, const char *text, struct resolve *ret_found)
{
	enum resolve_result result;
	if (!target_is_id(kind, text) && dispatch_put_off(request))
		return false;
	result = resolve(model_of(request), kind, text, ret_found);
	if (result == RESOLVE_AMBIGUOUS ||
	    (result == RESOLVE_NONE && !dispatch_put_off(request) && !fail_without_server(request)))
		fail(request, kind, result, text, ret_found);
	buf_finish(&ret_found->candidates);
	return result == RESOLVE_FOUND;
}

bool target_pane(struct request *request, const char *text, const struct muxbus_pane **ret_pane)
{
	struct resolve found;
	if (text == NULL) {
		const struct muxbus_pane *pane = own_pane(request);
		if (pane != NULL)
			*ret_pane = pane;
		return pane != NULL;
	}
	if (!find(request, RESOLVE_PANE, text, &found))
		return false;
	*ret_pane = found.pane;
	return true;
}

/* Finds the target text. If text is NULL, sets *ret_pane to the peer's own pane instead. */
static bool find_or_own(struct request *request, enum resolve_kind kind, const char *text,
    struct resolve *ret_found, const struct muxbus_pane **ret_pane)
{
	*ret_pane = NULL;
	if (text != NULL)
		return find(request, kind, text, ret_found);
	if (!dispatch_put_off(request))
		*ret_pane = own_pane(request);
	return *ret_pane != NULL;
}

bool target_window(
    struct request *request, const char *text, const struct muxbus_window **ret_window)
{
	const struct muxbus_pane *pane;
	struct resolve found;
	if (!find_or_own(request, RESOLVE_WINDOW, text, &found, &pane))
		return false;
	*ret_window =
	    pane != NULL ? muxbus_model_window(model_of(request), pane->window) : found.window;
	return *ret_window != NULL ||
	    request_fail(
		request, MESSAGE_NO_SUCH_WINDOW, "pane %%%u is in no window now", pane->id);
}

bool target_session(
    struct request *request, const char *text, const struct muxbus_session **ret_session)
{
	const struct muxbus_pane *pane;
	struct resolve found;
	if (!find_or_own(request, RESOLVE_SESSION, text, &found, &pane))
		return false;
	*ret_session =
	    pane != NULL ? resolve_window_session(model_of(request), pane->window) : found.session;
	return *ret_session != NULL ||
	    request_fail(
		request, MESSAGE_NO_SUCH_SESSION, "pane %%%u is in no session now", pane->id);
}

bool target_filter(struct request *request, const char *field, const struct json *value,
    struct consumer_filter *ret_filter)
{
	const struct muxbus_pane *pane;
	char reason[sizeof(struct field_error) + 16];
	const char *text;
	if (!consumer_filter_read(value, ret_filter, &text, reason, sizeof reason))
		return request_fail_field(request, field, "%s", reason);
	if (text == NULL)
		return true;
	if (!target_pane(request, text, &pane))
		return false;
	ret_filter->has_pane = true;
	ret_filter->pane = pane->id;
	return true;
}
