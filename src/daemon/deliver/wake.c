/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/wake.h"

#include <muxbus.h>

#include "daemon/deliver/delivery.h"
#include "daemon/deliver/way_promise.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

enum { CALL_SIZE = 160, TEXT_SIZE = WAY_TEXT_SIZE + CALL_SIZE + 64, MESSAGE_SIZE = 2 * TEXT_SIZE };

static bool is_command_line(const struct request *request)
{
	const struct peer *peer = request_peer(request);
	char program[64];
	return peer != NULL && pane_tty_program(peer_pid(peer), program, sizeof program) &&
	    strcmp(program, "muxbus") == 0;
}

/* Writes the call that waits for the notification, in the requester's form: MCP, shell, socket. */
static void write_call(const struct request *request, const char *id, char out[CALL_SIZE])
{
	if (id[0] == '\0')
		snprintf(out, CALL_SIZE, "next_notification, and wait");
	else if (request_is_formatted(request))
		snprintf(out, CALL_SIZE,
		    "next_notification {\"filter\":{\"id\":\"%s\"},\"timeout_sec\":3600}", id);
	else if (is_command_line(request))
		snprintf(out, CALL_SIZE,
		    "muxbus next_notification filter:='{\"id\":\"%s\"}' timeout_sec=3600", id);
	else
		snprintf(out, CALL_SIZE,
		    "{\"id\":1,\"method\":\"next_notification\",\"params\":{\"filter\":{\"id\":"
		    "\"%s\"},\"timeout_sec\":3600}}",
		    id);
}

/*
 * Finds the way and describes it. Unless id is "", the way counts as promised (way_promise.h). A
 * request by MCP counts as one of an agent, which a message to a person does not wake.
 */
static const struct way *find(
    struct request *request, const char *id, const struct pane_ref *address, char out[TEXT_SIZE])
{
	char call[CALL_SIZE];
	struct way_found found;
	delivery_way(request_daemon(request)->deliveries, address, &found);
	if (id[0] != '\0')
		way_promise_give(request_daemon(request)->promises, address, &found);
	write_call(request, id, call);
	if (found.way == &way_none || (!way_wakes(found.way) && request_is_formatted(request)))
		snprintf(out, TEXT_SIZE, "cannot wake you here (%s): call %s", found.text, call);
	else if (!way_wakes(found.way) && !is_command_line(request))
		snprintf(out, TEXT_SIZE, "%s; to wait for it call %s", found.text, call);
	else
		snprintf(out, TEXT_SIZE, "%s", found.text);
	return found.way;
}

static void put_wake(struct request *request, const struct pane_ref *address, const struct way *way,
    const char *text)
{
	struct json_writer *writer = request_result(request);
	json_object_begin(writer, "wake");
	json_put_str(writer, "way", way->name);
	(void)json_put_text(writer, "text", text, strlen(text));
	if (address->pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', address->pane);
	json_object_end(writer);
}

void wake_write(
    struct request *request, const char *done, const char *id, const struct pane_ref *address)
{
	char text[TEXT_SIZE], message[MESSAGE_SIZE];
	const struct way *way = find(request, id, address, text);
	if (way == &way_none || (!way_wakes(way) && request_is_formatted(request)))
		snprintf(message, sizeof message, "%s Its notification %s %s", done, id, text);
	else if (!way_wakes(way))
		snprintf(message, sizeof message, "%s Its notification %s is %s.", done, id, text);
	else
		snprintf(message, sizeof message, "%s Its notification %s is %s%s; end your turn.",
		    done, id, text, way->when != NULL ? way->when : "");
	(void)json_put_text(request_result(request), "message", message, strlen(message));
	put_wake(request, address, way, text);
	request_note_durable(request);
}

const struct way *wake_write_way(
    struct request *request, const char *id, const struct pane_ref *address)
{
	char text[TEXT_SIZE];
	const struct way *way = find(request, id, address, text);
	put_wake(request, address, way, text);
	return way;
}

void wake_write_other(struct request *request, const struct pane_ref *address)
{
	char text[TEXT_SIZE];
	const char *before;
	struct way_found found = {.way = &way_none, .text = "it is for no pane"};
	if (pane_ref_is_set(address))
		delivery_way(request_daemon(request)->deliveries, address, &found);
	before = found.way == &way_none ? "it stays queued: " : "";
	before = found.is_final ? "it is refused: " : before;
	strcpy(stpcpy(text, before), found.text);
	put_wake(request, address, found.way, text);
}
