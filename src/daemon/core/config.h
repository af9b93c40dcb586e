/* SPDX-License-Identifier: ISC */
/* The configuration of the daemon: options and limits. */
#pragma once

#include "base/base.h"

/* Numbers that -o name=value sets. The table in config.c has their meanings, bounds and units. */
struct config_limits {
	int64_t audit_bytes;
	int64_t audit_days;
	int64_t ack_wait_ms;
	int64_t deliver_quiet_ms;
	int64_t nudges;
	int64_t peers;
	int64_t loan_ms;
	int64_t quote_match;
	int64_t quote_output;
	int64_t line_bytes;
	int64_t unread_bytes;
	int64_t waits;
	int64_t mcp_wait_sec;
	int64_t events;
	int64_t event_bytes;
	int64_t queue_bytes;
	int64_t ring_bytes;
	int64_t result_bytes;
	int64_t quiet_ms;
	int64_t fresh_ms;
	int64_t stuck_ms;
	int64_t command_timeout_ms;
	int64_t show_ms;
	int64_t on_notify_rate;
};

enum config_attach {
	ATTACH_USED, /* attached while a program needs events or output that only a client gets */
	ATTACH_ALWAYS,
	ATTACH_NEVER, /* requests that need a client of tmux are refused */
};

enum config_audit {
	AUDIT_SIZES,
	AUDIT_FULL,
	AUDIT_OFF,
};

struct config {
	char tmux_socket[PATH_MAX];
	char socket[PATH_MAX];
	char readonly_socket[PATH_MAX]; /* socket for peers with the role read_only; "": none */
	mode_t readonly_mode;
	gid_t readonly_group; /* -1: our own group */
	char state_dir[PATH_MAX];
	char log_file[PATH_MAX]; /* "": standard error */
	const char *tmux_path; /* NULL: the binary of the tmux server */
	bool is_fleet; /* --fleet: follows many hosts and no tmux server */
	bool is_foreground;
	bool exit_with_server;
	bool all_output; /* --output=always */
	int attach; /* enum config_attach */
	int audit; /* enum config_audit */
	int audit_refuses; /* 1: -o audit_full_disk=refuse */
	int follows_by_control; /* 1: -o follow=control */
	int shows_nothing; /* 1: -o show=none */
	int notifies_of_all; /* 1: -o on_notify_for=all */
	int ready_fd; /* gets the line "ready" when the daemon is ready; -1: none */
	int listen_fd; /* the socket from a service manager; 0: the daemon makes its own */
	int log_level;
	struct config_limits limits;
};

enum config_result {
	CONFIG_RUN,
	CONFIG_DONE, /* --help or --version was answered: status 0 */
	CONFIG_DESCRIBE, /* print the tables as JSON */
	CONFIG_DESCRIBE_MDOC, /* print the tables as the reference section of muxbus-protocol(7) */
	CONFIG_ERROR, /* wrong usage, which was printed: status 2 */
	CONFIG_FAILED, /* a path cannot be used, which was printed: status 1 */
};

/* Reads the command line. argv must outlive config. */
enum config_result config_read(struct config *config, int argc, char **argv);
void config_limits_init(struct config_limits *limits);

/* Sets a limit from "name=value". Returns 0, or -1 with a reason. */
int config_limits_set(
    struct config_limits *limits, const char *setting, char *ret_reason, size_t size);

struct json_writer;
void config_write(const struct config *config, struct json_writer *writer);

/* Writes the table of limits as an object: by name the default, bounds, unit and help. */
void config_write_table(struct json_writer *writer, const char *name);
/* Appends the table as mdoc, for the reference section of muxbus-protocol(7). */
void config_write_mdoc(struct buf *out);

/* Returns true if pane output comes through pipe-pane where possible, without a client of tmux. */
static inline bool config_pipes(const struct config *config)
{
	return config->attach == ATTACH_NEVER ||
	    (config->attach == ATTACH_USED && !config->follows_by_control && !config->all_output);
}
