/* SPDX-License-Identifier: ISC */
/*
 * Makes notifications of the daemon from messages of NATS, the posts. JetStream delivers a post
 * again until the daemon's journal has it, or it is refused or too old. The key of a post prevents
 * a second notification while the daemon knows the key.
 */
#pragma once

#include "client/loop_link.h"
#include "nats/broker.h"
#include "nats/name.h"

/* broker must outlive posts. The link daemon must be freed before posts. */
struct posts *posts_new(struct event_base *base, struct broker *broker, struct loop_link *daemon,
    const struct names *names);
void posts_free(struct posts *posts); /* NULL is allowed; free the link daemon first */

/* Starts or stops requesting posts. Start only while the stores and the daemon are ready. */
void posts_run(struct posts *posts, bool is_running);

struct posts_status {
	uint64_t taken;
	uint64_t refused; /* posts that were given up; the log has the reasons */
};
void posts_status(const struct posts *posts, struct posts_status *out);
