/* SPDX-License-Identifier: ISC */
/* A call of a provided method: its request to the provider, its limits, and its place among others. */
#pragma once

#include "daemon/tool/tool_program.h"

#define PROVIDE_OPEN_MAX 64 /* open calls of a provider, */
#define PROVIDE_SERVER_OPEN_MAX 256 /* and of a server of tools */
#define PROVIDE_CALLER_MAX 32 /* open calls of a calling process */
#define PROVIDE_DEPTH_MAX 8 /* calls within calls: A calls B, which calls A … */
#define PROVIDE_RESULT_MAX ((size_t)1024 * 1024) /* bytes of a result as JSON */
#define PROVIDE_PROGRESS_MS 100 /* between two reports of a call that are passed on */
#define PROVIDE_PROGRESS_SERVER 10 /* reports that a server of tools may send at once */

struct peer;
struct request_report;

/* How a call ends: with a result, which is lent, or with a failure (result NULL). */
struct provide_answer {
	const struct json *result;
	const struct tool_failure *failure;
};

struct provide_handlers {
	void (*done)(
	    void *data, const struct provide_answer *answer); /* once; frees nothing of ours */
	void (*progressed)(void *data, const struct request_report *report); /* NULL: not wanted */
	void (*forgotten)(void *data); /* the daemon ends; NULL: it is cancelled before */
};

/* The order of a caller; all is copied, but the provider. */
struct provide_order {
	struct provider *provider;
	const char *name; /* of the method, for people */
	const char *method; /* as the provider has it; NULL: the same */
	int64_t timeout_ms;
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	const char *caller; /* the same: pane, cwd …; NULL: a server of one pane knows it */
	const char *server; /* of tools, for people: its calls have other limits; lent, or NULL */
	const char *const
	    *gives; /* names of arguments of a server's tool, NULL-terminated; or NULL */
	pid_t caller_pid; /* 0: not known */
	const char *kept; /* the id of a call that nothing waits for; NULL: it is waited for */
	const char *within; /* an id of a call; "": within none; NULL: not said */
	const struct provide_handlers *handlers; /* lent */
	void *data;
};

struct provide_call {
	struct list link; /* oldest first */
	struct provider *provider;
	pid_t provider_pid; /* 0: it was not sent */
	pid_t caller_pid;
	uint64_t id;
	unsigned depth;
	char *name; /* of the method */
	char *method; /* as the provider has it */
	const char *server; /* as in the order */
	const char **gives; /* the same */
	char *line; /* as it is sent */
	size_t line_len;
	int64_t timeout_ms, begun_ms, progress_ms;
	unsigned progress_count; /* since then */
	struct loop_timer *timer;
	const struct provide_handlers *handlers;
	void *data;
};

/* All open calls. */
struct provide_calls {
	struct list list;
	uint64_t last_id;
};
/* Ids begin at a random number: an answer to an earlier daemon's call fits none of this one's. */
void provide_calls_init(struct provide_calls *calls);

/*
 * Whether another call may begin. Its depth is that of the call that it is within, or, if its caller
 * does not say that, of the deepest one that the caller's process, or one that has started it, has to
 * answer. False with a failure of kind limit.
 */
bool provide_calls_admit(const struct provide_calls *calls, const struct provider *provider,
    const struct provide_order *order, unsigned *ret_depth, struct tool_failure *ret_failure);
size_t provide_calls_open(const struct provide_calls *calls, const struct provider *provider);
/* The call that was sent to a provider with an id; NULL: none. */
struct provide_call *provide_calls_find(
    const struct provide_calls *calls, const struct provider *provider, const char *id);

/*
 * The call of an earlier daemon, which its server still has, by the id that it was sent with.
 * method and arguments of the order are not read. NULL: that is no id, or it is known.
 */
struct provide_call *provide_call_take_up(struct provide_calls *calls,
    const struct provide_order *order, const char *id, pid_t provider_pid);
/* Never NULL; not sent. It sets the id, the line and the order's members. */
struct provide_call *provide_call_new(
    struct provide_calls *calls, const struct provide_order *order);
void provide_call_free(struct provide_call *call);
/* False: the peer does not read. */
bool provide_call_send(struct provide_call *call, struct peer *peer);
/* The caller has gone, or the time is over; a server hears why. peer NULL: nothing to do. */
void provide_call_send_cancel(
    const struct provide_call *call, struct peer *peer, const char *reason);

/* Checks a response. True with *ret_result; else with a failure. response as in dispatch.h. */
bool provide_call_check(const struct provide_call *call, const struct json *response,
    const char *reason, const struct json **ret_result, struct tool_failure *ret_failure);
/* Whether a report of progress may be passed on now. */
bool provide_call_takes_progress(struct provide_call *call);
