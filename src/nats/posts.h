/* SPDX-License-Identifier: ISC */
/*
 * Posts: messages of NATS that become notifications of the daemon. JetStream keeps a post until
 * the journal of the daemon has it, and delivers it again until then; a key of the post's own
 * number makes a second delivery no second notification.
 */
#pragma once

#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/name.h"

struct posts *posts_new(struct event_base *base, struct broker *broker, struct loop_link *daemon,
    const struct names *names);
void posts_free(struct posts *posts); /* NULL is allowed; after the link */

/* Asks for posts from now on, or no more: the stores and the daemon must be there. */
void posts_run(struct posts *posts, bool is_running);

struct posts_status {
	uint64_t taken;
	uint64_t refused; /* not a post: they are given up, and the log says why */
};
void posts_status(const struct posts *posts, struct posts_status *out);
