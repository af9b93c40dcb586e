/* SPDX-License-Identifier: ISC */
/*
 * Commands that agents have typed into their own pane: "/compress". A source. Each is typed
 * when its agent is ready, is waited for until the pane is quiet at an empty prompt again, and
 * ends in exactly one notification. Kept in the store. After a restart one that had not been
 * typed still is; one that is at the prompt is submitted; and a command whose end was not seen
 * is notified as such: none is typed twice.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

#define SELF_COMMAND_MAX 1000 /* bytes of a command */
#define SELF_COMMANDS_MAX 100
#define SELF_COMMANDS_PANE_MAX 4 /* of one pane, done in order */

enum self_command_stage {
	SELF_COMMAND_WAITING, /* for its agent to be ready */
	SELF_COMMAND_TYPED, /* or about to be */
	SELF_COMMAND_RUNNING, /* submitted */
};

struct self_command {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane;
	char *text;
	int64_t created_ms; /* CLOCK_REALTIME */
	enum self_command_stage stage;
};

/* Loads the commands of the queue's store. */
struct self_command_set *self_command_set_new(const struct daemon *parts);
void self_command_set_free(struct self_command_set *set);
/* The tmux server was found or lost: what waits is looked at again. */
void self_command_set_wake(struct self_command_set *set);

/* Accepts one, which is done after those that its pane has. NULL: there are too many. */
const struct self_command *self_command_add(
    struct self_command_set *set, const struct pane_ref *pane, const char *text);

const struct self_command *self_command_next(
    const struct self_command_set *set, const struct self_command *previous);

/* Whether no command is to be typed or runs. */
bool self_command_set_is_idle(const struct self_command_set *set);

/* The method self_command, in self_command_methods.c. */
extern const struct method methods_self_command[];
