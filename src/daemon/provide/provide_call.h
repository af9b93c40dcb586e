/* SPDX-License-Identifier: ISC */
/* A call of a provided method: its request to the provider, its limits, and the open calls. */
#pragma once

#include "daemon/queue/notification.h"
#include "daemon/tool/tool_program.h"

#define PROVIDE_OPEN_MAX 64 /* open calls of a provider */
#define PROVIDE_SERVER_OPEN_MAX 256 /* open calls of a server of tools */
#define PROVIDE_CALLER_MAX 32 /* open calls of a calling process */
#define PROVIDE_DEPTH_MAX 8 /* calls within calls, as when A calls B, which calls A … */
#define PROVIDE_RESULT_MAX ((size_t)1024 * 1024) /* bytes of a result as JSON */
#define PROVIDE_PROGRESS_MS 100 /* least time between two progress reports of a call */
#define PROVIDE_PROGRESS_SERVER 10 /* reports that a server of tools may send at once */

struct peer;
struct request;

/* A call as the caller orders it. All is copied, except where noted. */
struct provide_order {
	struct provider *provider;
	const char *name; /* name of the method, for people */
	const char *method; /* the provider's name of the method; NULL: the same */
	int64_t timeout_ms;
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	const char *caller; /* a JSON object: pane, cwd …; NULL: a server of one pane needs none */
	const char *server; /* name of a server of tools, for people; not copied; or NULL */
	const char *const
	    *gives; /* arguments of the server's tool that the declaration gives; or NULL */
	pid_t caller_pid; /* 0: not known */
	const char *within; /* id of the call that contains this call; "": none; NULL: not known */
};

struct provide_call {
	struct list link; /* oldest first */
	struct provider *provider;
	struct request *request; /* waits for the answer; NULL: it was answered with kept */
	char kept[NOTIFICATION_ID_SIZE]; /* id of a call that no request waits for; else "" */
	pid_t provider_pid; /* 0: not sent yet */
	pid_t caller_pid;
	uint64_t id;
	unsigned depth;
	char *name; /* name of the method, for people */
	char *method; /* the provider's name of the method */
	const char *server; /* as in struct provide_order */
	const char **gives; /* as in struct provide_order */
	char *line; /* the line to send; NULL when sent */
	size_t line_len;
	int64_t timeout_ms, begun_ms, progress_ms;
	unsigned progress_count; /* reports since progress_ms */
	struct loop_timer *timer;
};

/* All open calls. */
struct provide_calls {
	struct list list;
	uint64_t last_id;
};
/* Ids begin at a random number, so that an answer to an earlier daemon's call has no valid id. */
void provide_calls_init(struct provide_calls *calls);

/*
 * Returns true if a call may begin, with its depth in *ret_depth: one more than the depth of the
 * call within which this call is made. If the outer call is not known, it is taken to be the
 * deepest open call that the caller's process or one of its ancestors has to answer. Returns false
 * with a failure of kind limit, or of kind busy if a server of tools has too many open calls.
 */
bool provide_calls_admit(const struct provide_calls *calls, const struct provider *provider,
    const struct provide_order *order, unsigned *ret_depth, struct tool_failure *ret_failure);
size_t provide_calls_open(const struct provide_calls *calls, const struct provider *provider);
/* Returns the call that was sent to a provider with this id, or NULL. */
struct provide_call *provide_calls_find(
    const struct provide_calls *calls, const struct provider *provider, const char *id);

/*
 * Adds a call that an earlier daemon sent with this id, and that its tool server still runs. The
 * order's method and arguments are ignored. Returns NULL if the id is invalid, or the call is known.
 */
struct provide_call *provide_call_take_up(struct provide_calls *calls,
    const struct provide_order *order, const char *kept, const char *id, pid_t provider_pid);
/* Makes a call from the order, with id and line, but does not send it. Never returns NULL. */
struct provide_call *provide_call_new(
    struct provide_calls *calls, const struct provide_order *order, const char *kept);
void provide_call_free(struct provide_call *call);
/* Sends the call. Returns false if the peer does not read. */
bool provide_call_send(struct provide_call *call, struct peer *peer);
/* Asks the provider to cancel the call; a server of tools gets the reason. peer NULL is ignored. */
void provide_call_send_cancel(
    const struct provide_call *call, struct peer *peer, const char *reason);

/* Checks a response (as in dispatch.h). True with *ret_result, or false with a failure. */
bool provide_call_check(const struct provide_call *call, const struct json *response,
    const char *reason, const struct json **ret_result, struct tool_failure *ret_failure);
/* Returns true if a progress report may be passed on now. */
bool provide_call_takes_progress(struct provide_call *call);
