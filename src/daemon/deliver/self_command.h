/* SPDX-License-Identifier: ISC */
/*
 * Commands that an agent has Muxbus type into a pane, usually its own, such as "/compress". A
 * command is typed when the agent is ready. It is done when the pane is quiet at an empty prompt
 * again, and ends in exactly one notification. Commands are in the store. After a restart of the
 * daemon, a command that still stands at the prompt is submitted. A command that may have been
 * typed is not typed again, but reported as such.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

#define SELF_COMMAND_MAX 1000 /* bytes of a command */
#define SELF_COMMANDS_MAX 100
#define SELF_COMMANDS_PANE_MAX 4 /* maximum number for one pane; they run in order */

enum self_command_stage {
	SELF_COMMAND_WAITING, /* until its agent is ready */
	SELF_COMMAND_TYPED, /* typed, or about to be typed */
	SELF_COMMAND_RUNNING, /* submitted */
};

struct self_command {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	struct pane_ref pane;
	char *text;
	/* The order of the commands; 0: made by an earlier release, ordered by created_ms. */
	int64_t number;
	int64_t created_ms; /* CLOCK_REALTIME, which may be set */
	int64_t boot_ms; /* the same time by CLOCK_BOOTTIME */
	char boot_id[BOOT_ID_SIZE]; /* the boot from which boot_ms counts */
	enum self_command_stage stage;
};

struct self_command_set *self_command_set_new(const struct daemon *parts);
void self_command_set_free(struct self_command_set *set);
/* Call this when the tmux server was found or lost. */
void self_command_set_wake(struct self_command_set *set);

/* Adds a command behind those of its pane. Returns NULL if the pane or the daemon has too many. */
const struct self_command *self_command_add(
    struct self_command_set *set, const struct pane_ref *pane, const char *text);

const struct self_command *self_command_next(
    const struct self_command_set *set, const struct self_command *previous);

bool self_command_set_is_idle(const struct self_command_set *set);
extern const struct method methods_self_command[];
