/* SPDX-License-Identifier: ISC */
/* The configuration of the daemon: options and limits. */
#pragma once

#include "base/base.h"

/* Numbers that -o name=value sets; the table in config.c has names, bounds and help. */
struct config_limits {
	int64_t audit_bytes; /* of both files of the audit */
	int64_t audit_days; /* that a line of it is kept, at most */
	int64_t ack_wait_ms; /* until a notification handed out or typed must be taken */
	int64_t deliver_quiet_ms; /* without output before typing */
	int64_t nudges; /* how often a notification is typed again */
	int64_t peers; /* at once */
	int64_t loan_ms; /* for a puller to acknowledge */
	int64_t quote_match; /* 1: notifications quote the line that a watch found */
	int64_t quote_output; /* 1: typed notifications quote the output of jobs */
	int64_t line_bytes; /* of a request */
	int64_t unread_bytes; /* of output that a peer has not read */
	int64_t waits; /* open requests of one peer */
	int64_t mcp_wait_sec; /* that a call of an agent lasts; 0: as known of that agent */
	int64_t events; /* remembered for late subscribers */
	int64_t event_bytes;
	int64_t queue_bytes; /* of notifications that are remembered */
	int64_t ring_bytes; /* of output remembered per pane */
	int64_t result_bytes; /* of one response */
	int64_t quiet_ms; /* without output until pane_quiet */
	int64_t fresh_ms; /* how old the model may be when it answers */
	int64_t stuck_ms; /* that a peer may send requests without reading */
	int64_t command_timeout_ms; /* for tmux to answer */
	int64_t show_ms; /* that a message for a person is shown */
	int64_t on_notify_rate; /* runs of on_notify in a minute */
};

/* When the daemon is a client of tmux: -o attach. */
enum config_attach {
	ATTACH_USED, /* while a program needs what only a client gets */
	ATTACH_ALWAYS,
	ATTACH_NEVER, /* what only a client gets is refused */
};

/* Which lines the audit gets: -o audit. */
enum config_audit {
	AUDIT_SIZES, /* with the sizes of texts */
	AUDIT_FULL, /* with texts */
	AUDIT_OFF,
};

struct config {
	char tmux_socket[PATH_MAX];
	char socket[PATH_MAX];
	char readonly_socket[PATH_MAX]; /* of peers that only read; "": none */
	mode_t readonly_mode;
	gid_t readonly_group; /* -1: ours */
	char state_dir[PATH_MAX];
	char log_file[PATH_MAX]; /* "": standard error */
	const char *tmux_path; /* NULL: the server's own binary */
	bool is_fleet; /* the role of many hosts: there is no tmux server, and its socket is "" */
	bool is_foreground;
	bool exit_with_server;
	bool all_output; /* --output=always */
	int attach; /* enum config_attach */
	int audit; /* enum config_audit */
	int audit_refuses; /* 1: -o audit_full_disk=refuse */
	int follows_by_control; /* 1: -o follow=control */
	int shows_nothing; /* 1: -o show=none */
	int notifies_of_all; /* 1: -o on_notify_for=all */
	int ready_fd; /* gets a line when ready; -1: none */
	int listen_fd; /* the socket from a service manager; 0: we make it */
	int log_level;
	struct config_limits limits;
};

enum config_result {
	CONFIG_RUN, /* go on */
	CONFIG_DONE, /* --help or --version was answered: status 0 */
	CONFIG_DESCRIBE, /* print the tables as JSON */
	CONFIG_DESCRIBE_MDOC, /* print them as the reference of muxbus-protocol(7) */
	CONFIG_ERROR, /* reported on standard error: status 2 */
	CONFIG_FAILED, /* not possible here; reported on standard error: status 1 */
};

enum config_result config_read(struct config *config, int argc, char **argv);

/* Sets all limits to their defaults. */
void config_limits_init(struct config_limits *limits);

/* Sets a limit from the form of -o: "name=value". Returns 0, or -1 with a reason. */
int config_limits_set(
    struct config_limits *limits, const char *setting, char *ret_reason, size_t size);

/* The limits with their present values, for status. */
struct json_writer;
void config_write(const struct config *config, struct json_writer *writer);

/* The table of limits: name, preset, bounds, unit, help. */
void config_write_table(struct json_writer *writer, const char *name);
/* The same as mdoc list items. */
void config_write_mdoc(struct buf *out);

/* Whether the output of panes comes by pipes where it can. A client gets it anyway. */
static inline bool config_pipes(const struct config *config)
{
	return config->attach == ATTACH_NEVER ||
	    (config->attach == ATTACH_USED && !config->follows_by_control && !config->all_output);
}
