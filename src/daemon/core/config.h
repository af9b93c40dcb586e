/* SPDX-License-Identifier: ISC */
/* The configuration of the daemon: options and limits. */
#pragma once

#include "base/base.h"

/* Numbers that -o name=value sets; the table in config.c has their names, bounds and help. */
struct config_limits {
	int64_t audit_bytes; /* maximum size of both files of the audit together */
	int64_t audit_days; /* maximum age of a line of the audit */
	int64_t ack_wait_ms; /* time to acknowledge a notification that was handed out or typed */
	int64_t deliver_quiet_ms; /* time without output before a notification is typed */
	int64_t nudges; /* maximum number of times that a notification is typed again */
	int64_t peers; /* maximum number of peers connected at the same time */
	int64_t loan_ms; /* time for a puller to acknowledge */
	int64_t quote_match; /* 1: notifications quote the line that a watch found */
	int64_t quote_output; /* 1: typed notifications quote the output of jobs */
	int64_t line_bytes; /* maximum size of a request line */
	int64_t unread_bytes; /* maximum of output that a peer has not read yet */
	int64_t waits; /* maximum number of open requests of one peer that wait */
	/* longest time that a call of an agent by MCP waits; 0: as long as that agent allows */
	int64_t mcp_wait_sec;
	int64_t events; /* maximum number of events kept for late subscribers */
	int64_t event_bytes;
	int64_t queue_bytes; /* maximum of all remembered notifications together */
	int64_t ring_bytes; /* maximum of output remembered for each pane */
	int64_t result_bytes; /* maximum of a result */
	int64_t quiet_ms; /* time without output until the event pane_quiet */
	int64_t fresh_ms; /* maximum age of model data in a response */
	int64_t stuck_ms; /* how long a peer may send requests without reading */
	int64_t command_timeout_ms; /* time for tmux to answer a command */
	int64_t show_ms; /* how long a message for a person is shown */
	int64_t on_notify_rate; /* maximum runs of on_notify in a minute */
};

enum config_attach {
	/* the daemon is attached while a program needs what only a client of tmux gets */
	ATTACH_USED,
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
	char readonly_socket[PATH_MAX]; /* socket for peers that may only read; "": none */
	mode_t readonly_mode;
	gid_t readonly_group; /* -1: our own group */
	char state_dir[PATH_MAX];
	char log_file[PATH_MAX]; /* "": standard error */
	const char *tmux_path; /* NULL: the server's own binary */
	bool is_fleet; /* --fleet: follows many hosts and no tmux server; tmux_socket is "" */
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
	CONFIG_RUN, /* run the daemon */
	CONFIG_DONE, /* --help or --version was answered: status 0 */
	CONFIG_DESCRIBE, /* print the tables as JSON */
	CONFIG_DESCRIBE_MDOC, /* print the tables as the reference section of muxbus-protocol(7) */
	CONFIG_ERROR, /* reported on standard error: status 2 */
	CONFIG_FAILED, /* a path cannot be used; reported on standard error: status 1 */
};

/* Reads the command line. argv must outlive config. */
enum config_result config_read(struct config *config, int argc, char **argv);
void config_limits_init(struct config_limits *limits);

/* Sets a limit from "name=value". Returns 0, or -1 with a reason; size is that of ret_reason. */
int config_limits_set(
    struct config_limits *limits, const char *setting, char *ret_reason, size_t size);

struct json_writer;
void config_write(const struct config *config, struct json_writer *writer);

/* Writes the table of the settings as an array: name, default, bounds, unit and help of each. */
void config_write_table(struct json_writer *writer, const char *name);
/* Appends the table as mdoc, for the reference section of muxbus-protocol(7). */
void config_write_mdoc(struct buf *out);

/* Returns true if pane output comes through pipe-pane where possible, without a client of tmux. */
static inline bool config_pipes(const struct config *config)
{
	return config->attach == ATTACH_NEVER ||
	    (config->attach == ATTACH_USED && !config->follows_by_control && !config->all_output);
}
