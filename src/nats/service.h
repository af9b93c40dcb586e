/* SPDX-License-Identifier: ISC */
/*
 * The service: requests from NATS to the daemon, each answered with the daemon's response, as far
 * as the grant allows the method. The service is found like any micro service of NATS, by
 * $SRV.PING, $SRV.INFO and $SRV.STATS.
 */
#pragma once

#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/name.h"

/*
 * The grant: which methods a request from NATS may name. The effects of methods come from the
 * daemon's own describe; a method without a known effect is refused, and so is one of a declared
 * tool or a provider, which claims its effects, unless it is named.
 */

#define GRANT_PRESET "reads,sees"

/*
 * allowed: effects, methods, and patterns of methods such as "list_*", with commas between them.
 * NULL with a reason for a word that can be none of these.
 */
struct grant *grant_new(const char *allowed, char *ret_reason, size_t size);
void grant_free(struct grant *grant); /* NULL is allowed */

/* Takes the "methods" of describe. */
void grant_learn(struct grant *grant, const struct json *methods);

enum grant_answer {
	GRANT_ALLOWED,
	GRANT_REFUSED,
	GRANT_UNKNOWN, /* the daemon has no such method */
};

/* Fills ret_reason unless the method is allowed. */
enum grant_answer grant_check(
    const struct grant *grant, const char *method, char *ret_reason, size_t size);

#define SERVICE_OPEN_MAX 256 /* requests under way; more are refused */

/* It connects to the socket by itself. All live longer than the service. */
struct service *service_new(struct event_base *base, const char *socket, struct broker *broker,
    const struct grant *grant, const struct names *names);
void service_free(struct service *service); /* NULL is allowed */
