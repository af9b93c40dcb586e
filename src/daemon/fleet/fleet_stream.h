/* SPDX-License-Identifier: ISC */
/*
 * Merged streams: a subscription over all hosts is one on each of them. Events of one host come in
 * order, each once; those of different hosts in any order. After a cut each host's part resumes
 * behind its last event, and a gap says what its daemon does not remember.
 */
#ifndef DAEMON_FLEET_FLEET_STREAM_H
#define DAEMON_FLEET_FLEET_STREAM_H

#define FLEET_STREAMS_MAX 60 /* of all peers together: a daemon allows 64 on one connection */

struct fleet_streams;
struct host;
struct host_set;
struct json;
struct request;

struct fleet_streams *fleet_streams_new(struct host_set *hosts);
/* Behind the last peer. */
void fleet_streams_free(struct fleet_streams *streams);

/* Handle the requests subscribe and unsubscribe of a peer, each with its parameters or NULL. */
void fleet_streams_subscribe(
    struct fleet_streams *streams, struct request *request, const struct json *params);
void fleet_streams_unsubscribe(
    struct fleet_streams *streams, struct request *request, const struct json *params);

/* From the handlers of the host set. */
void fleet_streams_state(struct fleet_streams *streams, struct host *host);
void fleet_streams_line(
    struct fleet_streams *streams, struct host *host, const struct json *message);
void fleet_streams_removed(struct fleet_streams *streams, struct host *host);

#endif
