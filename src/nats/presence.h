/* SPDX-License-Identifier: ISC */
/*
 * The entry of a tmux server in a key-value bucket of JetStream, with the key FLEET.HOST.SERVER. It
 * has, for example, versions, counts of the daemon's status, and the progress of the publisher. An
 * entry that is not renewed expires after STORES_TTL_SEC.
 */
#pragma once

#include "nats/posts.h"
#include "nats/publisher.h"

#define PRESENCE_MS 30000 /* interval of renewals */

struct presence_parts {
	struct broker *broker;
	struct loop_link *daemon;
	struct publisher *publisher;
	struct posts *posts; /* NULL if posts are not taken */
	const struct names *names;
};

struct nats_presence *presence_new(struct event_base *base, const struct presence_parts *parts);
void presence_free(struct nats_presence *presence); /* NULL is allowed; free parts.daemon first */
/* Starts or stops writing an entry now and every PRESENCE_MS. */
void presence_run(struct nats_presence *presence, bool is_running);
/* Renews the entry soon, because something has changed. */
void presence_renew(struct nats_presence *presence);
/* Writes the last entry, before this program exits, if presence_run() has started entries. */
void presence_end(struct nats_presence *presence);
