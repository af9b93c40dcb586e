/* SPDX-License-Identifier: ISC */
/* Requests that one host answers. */
#ifndef DAEMON_FLEET_FLEET_FORWARD_H
#define DAEMON_FLEET_FLEET_FORWARD_H

#include <stdbool.h>
#include <stddef.h>

struct host;
struct json;
struct request;

/*
 * Sends a request to the host, and answers the request with its result, ids qualified. params has
 * no names of hosts. A request that writes gets a key if its method takes one, so that it is done
 * once over a cut.
 */
void fleet_forward(struct request *request, struct host *host, const struct json *params);

/* Fails a request as the host did, or its link; error: the member of the message. */
void fleet_forward_error(
    struct request *request, const struct host *host, const struct json *error);

/* Whether a message is an error of the way to the host, or of its state: asked again, it may pass. */
bool fleet_forward_may_pass(const struct json *message);

#endif
