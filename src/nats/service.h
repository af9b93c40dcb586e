/* SPDX-License-Identifier: ISC */
/*
 * The service: requests from NATS to the daemon, each answered with the daemon's response, as far
 * as the grant allows the method. The service is found like any micro service of NATS, by
 * $SRV.PING, $SRV.INFO and $SRV.STATS.
 */
#pragma once

#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/grant.h"
#include "nats/name.h"

#define SERVICE_OPEN_MAX 256 /* requests under way; more are refused */

struct service;

/* All live longer than the service. */
struct service *service_new(struct broker *broker, struct loop_link *daemon,
    const struct grant *grant, const struct names *names);
void service_free(struct service *service); /* NULL is allowed; after the link */
