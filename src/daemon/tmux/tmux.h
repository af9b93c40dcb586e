/* SPDX-License-Identifier: ISC */
/*
 * The tmux server that is followed: one sync of libmuxbus, whose changes are published as events.
 * tmux.c alone attaches, stops and listens to the sync; other files use it for commands, listings,
 * wanted output and the model. Also references to panes, and what became of these panes.
 */
#pragma once

#include <muxbus.h>

#include "daemon/core/pane_ref.h"

struct config;
struct event_log;
struct event_scope;
struct json_writer;
struct stream_set;

struct tmux_handlers {
	/* Called after the event that the server was found or lost. May be NULL. */
	void (*state)(void *data, bool is_live, int error);
	/* Called by tmux_followed(). May be NULL. */
	void (*followed)(void *data);
};

/* Follows the server after muxbus_sync_start(). On failure returns NULL with a reason. */
struct tmux *tmux_new(struct event_base *base, const struct config *config,
    struct event_log *events, const struct tmux_handlers *handlers, void *data, char *ret_reason,
    size_t reason_size);
/* The reader of the output of panes: stream.c, which is set before muxbus_sync_start(). */
struct tmux_reader {
	void (*output)(struct stream_set *streams, uint32_t pane, const uint8_t *bytes, size_t len);
	/* Called if bytes before offset are missing. */
	void (*gap)(struct stream_set *streams, uint32_t pane, uint64_t offset, const char *reason);
	void (*pane_created)(struct stream_set *streams, uint32_t pane);
	/* Called when the program of a pane has ended; the pane may stay. */
	void (*pane_exited)(struct stream_set *streams, uint32_t pane);
	void (*pane_respawned)(struct stream_set *streams, uint32_t pane);
	void (*pane_closed)(struct stream_set *streams, uint32_t pane);
	void (*server_lost)(struct stream_set *streams);
	bool (*has_marks)(const struct stream_set *streams, uint32_t pane);
};
/* Sets the reader; NULL: none. */
void tmux_set_reader(
    struct tmux *tmux, const struct tmux_reader *reader, struct stream_set *streams);

/* Detaches until tmux_attach(): commands, listings and pipes still work, but no events come. */
void tmux_rest(struct tmux *tmux);
/*
 * Attaches if the daemon is detached. Calls done (may be NULL) once: when it is attached, perhaps
 * at once, or after ATTACH_MS (tmux.c) anyway; with an error if no server is followed then.
 */
void tmux_attach(struct tmux *tmux, void (*done)(void *data, int error), void *data);
bool tmux_is_attaching(const struct tmux *tmux);
bool tmux_is_resting(const struct tmux *tmux);
/* Returns true if a server is followed, but no events come, and no output except by pipes. */
bool tmux_is_detached(const struct tmux *tmux);

/* Unsets MUXBUS in tmux, if a server is followed, and ends the connection; then calls done. */
void tmux_stop(struct tmux *tmux, void (*done)(void *data), void *data);
void tmux_free(struct tmux *tmux);
/* Ends all commands that wait for tmux, before other parts are freed. tmux may be NULL. */
void tmux_cut(struct tmux *tmux);

struct muxbus_sync *tmux_sync(struct tmux *tmux);
const struct muxbus_model *tmux_model(const struct tmux *tmux);
bool tmux_is_live(const struct tmux *tmux);

/* Returns the pid of the server that is followed; 0: none, or outside of this PID namespace. */
pid_t tmux_server_pid(struct tmux *tmux);
/* Returns true while the objects of a server older than the daemon are reported as created. */
bool tmux_is_finding(const struct tmux *tmux);
/* Returns a number that differs after each change of the model; never 0. */
uint64_t tmux_revision(const struct tmux *tmux);
const char *tmux_reason(const struct tmux *tmux);

/* Call this when a part of the daemon begins or ends to need output or events. tmux may be NULL. */
void tmux_followed(struct tmux *tmux);

void tmux_scope_pane(const struct tmux *tmux, uint32_t pane, struct event_scope *ret_scope);

/*
 * Adds or removes a counted need for details (title, command, path, mode), for which tmux must be
 * asked.
 */
void tmux_want_details(struct tmux *tmux, bool is_wanted);

/* Runs commands whose outcome does not matter. */
void tmux_tell(struct tmux *tmux, struct muxbus_command *command);

/*
 * Call this when a pane was made with a waiting program, whose process is pid. Events about the
 * pane are not published until the real program runs. pid 0 ends this.
 */
void tmux_expect(struct tmux *tmux, uint32_t pane, pid_t pid);

/* Returns the server's capabilities, enum muxbus_cap joined by |; 0: no server. */
uint32_t tmux_caps(const struct tmux *tmux);

/* Sets a reference to a pane as it is now. Clears it if there is no such pane or no server. */
void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref);

enum pane_fate {
	PANE_THERE,
	PANE_UNKNOWN, /* no server is followed now */
	PANE_GONE, /* the pane has closed, or another process or server has its id */
};
enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref);

/*
 * Writes a pane as the member `name`, or null. If the pane is gone, also writes NAME_gone, because
 * another pane may have its id. pane_fate_write_gone() writes NAME_gone alone.
 */
void pane_fate_write(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
void pane_fate_write_gone(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
