/* SPDX-License-Identifier: ISC */
/*
 * Passes requests from NATS to the daemon, and responses back, if the grant allows the method.
 * Programs find the service like any NATS micro service, by $SRV.PING, $SRV.INFO and $SRV.STATS.
 */
#pragma once

#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/name.h"

/*
 * The grant lists the methods that a request from NATS may call, by names or patterns, or by the
 * effects that the daemon's describe lists, such as "reads". Effects do not grant a method if they
 * are unknown, or only claimed by a declared tool or a provider. Methods about a connection, such
 * as subscribe, are refused in any case.
 */

#define GRANT_PRESET "reads,sees"

/* allowed: effects, methods, patterns ("list_*"), with commas. NULL with a reason if not valid. */
struct grant *grant_new(const char *allowed, char *ret_reason, size_t size);
void grant_free(struct grant *grant); /* grant may be NULL */

/* Replaces the known methods by the "methods" of describe; NULL: none. */
void grant_learn(struct grant *grant, const struct json *methods);

enum grant_answer {
	GRANT_ALLOWED,
	GRANT_REFUSED,
	GRANT_UNKNOWN, /* the daemon has no such method */
};

/* Writes a reason to ret_reason unless it returns GRANT_ALLOWED. */
enum grant_answer grant_check(
    const struct grant *grant, const char *method, char *ret_reason, size_t size);

#define SERVICE_OPEN_MAX 256 /* open requests; more are refused */

/* Opens its own connection to the socket. The caller frees broker and grant after the service. */
struct service *service_new(struct event_base *base, const char *socket, struct broker *broker,
    const struct grant *grant, const struct names *names);
void service_free(struct service *service); /* service may be NULL */
