/* SPDX-License-Identifier: ISC */
/*
 * The followed tmux server: one sync of libmuxbus, its changes published as events. Commands of
 * requests run through it. Only this file starts, stops and listens to the sync; other files
 * read the model through it.
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
	/* The server was found or lost; called after its event was published. May be NULL. */
	void (*state)(void *data, bool is_live);
	/* A part began or ended to follow tmux: see demand.h. May be NULL. */
	void (*followed)(void *data);
};

/* NULL on failure, with a reason. Follows the server from tmux_start() on. */
struct tmux *tmux_new(struct event_base *base, const struct config *config,
    struct event_log *events, const struct tmux_handlers *handlers, void *data, char *ret_reason,
    size_t reason_size);
/* The reader of pane output: stream.c, which sets itself before tmux_start(). */
struct tmux_reader {
	void (*output)(struct stream_set *streams, uint32_t pane, const uint8_t *bytes, size_t len);
	/* Bytes are missing before offset. */
	void (*gap)(struct stream_set *streams, uint32_t pane, uint64_t offset, const char *reason);
	void (*pane_created)(struct stream_set *streams, uint32_t pane);
	/* The program of a pane has ended; the pane may go on. */
	void (*pane_exited)(struct stream_set *streams, uint32_t pane);
	void (*pane_respawned)(struct stream_set *streams, uint32_t pane);
	void (*pane_closed)(struct stream_set *streams, uint32_t pane);
	void (*server_lost)(struct stream_set *streams);
	/* Whether the bells of a pane come from its output. */
	bool (*has_marks)(const struct stream_set *streams, uint32_t pane);
};
/* reader NULL: removes the reader. */
void tmux_set_reader(
    struct tmux *tmux, const struct tmux_reader *reader, struct stream_set *streams);
int tmux_start(struct tmux *tmux);

/*
 * Detaches until tmux_attach(). tmux has no client of the daemon then; commands and readings of
 * the model go on, one by one; no event and no output comes.
 */
void tmux_rest(struct tmux *tmux);
/*
 * Attaches if the daemon rests. done is called once: at once if it is attached; when it is, or
 * after three seconds in any case; with an error if there is no server. done may be NULL.
 */
void tmux_attach(struct tmux *tmux, void (*done)(void *data, int error), void *data);
/* Whether that is under way. */
bool tmux_is_attaching(const struct tmux *tmux);
bool tmux_is_resting(const struct tmux *tmux);
/* Whether no output and no events come, though there is a server. */
bool tmux_is_detached(const struct tmux *tmux);

/* Detaches; done is called within a second. */
void tmux_stop(struct tmux *tmux, void (*done)(void *data), void *data);
void tmux_free(struct tmux *tmux);
/* Ends all commands that wait for tmux, so that no answer finds other parts gone. NULL: nothing. */
void tmux_cut(struct tmux *tmux);

struct muxbus_sync *tmux_sync(struct tmux *tmux);
const struct muxbus_model *tmux_model(const struct tmux *tmux);
bool tmux_is_live(const struct tmux *tmux);

/* The process of the server that is followed, or was last; 0: none yet. */
pid_t tmux_server_pid(struct tmux *tmux);
/* Whether what comes as created now was there before the daemon: the server is older. */
bool tmux_is_finding(const struct tmux *tmux);
/* A number that differs after each change of the model; never 0. */
uint64_t tmux_revision(const struct tmux *tmux);
/* The reason if not live, else "". */
const char *tmux_reason(const struct tmux *tmux);

/* For a part that begins or ends to need output or events. NULL: nothing. */
void tmux_followed(struct tmux *tmux);

/* Fills the scope of an event about a pane, window or session. */
void tmux_scope_pane(const struct tmux *tmux, uint32_t pane, struct event_scope *ret_scope);

/* Whether subscriptions need details (title, command, path, mode) from tmux. */
void tmux_want_details(struct tmux *tmux, bool is_wanted);

/* Runs commands whose outcome does not matter. */
void tmux_tell(struct tmux *tmux, struct muxbus_command *command);

/*
 * Announces that a pane was made with a program that only waits for the real one: until then
 * events about the pane are not published. pid is that of the waiting program; 0: ends this.
 */
void tmux_expect(struct tmux *tmux, uint32_t pane, pid_t pid);

/* The capabilities of the followed server: enum muxbus_cap, joined by |; 0 if none. */
uint32_t tmux_caps(const struct tmux *tmux);

/* The reference of an existing pane; cleared if none has this id. */
void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref);

enum pane_fate {
	PANE_THERE,
	PANE_UNKNOWN, /* no server is followed now */
	PANE_GONE, /* closed, or another process or server has its number */
};
enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref);

/*
 * Writes the pane of a list under a name, or null; and of one that is gone a second member with
 * "_gone" behind the name: another pane may have its id now. The second part alone, too.
 */
void pane_fate_write(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
void pane_fate_write_gone(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
