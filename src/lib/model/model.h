/* SPDX-License-Identifier: ISC */
/*
 * The model of a server. It is built record by record, finished once, then read only, except
 * for the output counts of panes. Each listing and each announced change makes a new model; the
 * old model is kept until the differences were reported.
 */
#pragma once

#include <muxbus.h>

/* More records are left out, and model_is_cut() is true. */
#define MODEL_SESSIONS_MAX 2000
#define MODEL_WINDOWS_MAX 10000
#define MODEL_LINKS_MAX 20000
#define MODEL_PANES_MAX 10000
#define MODEL_CLIENTS_MAX 2000

int model_new(struct muxbus_model **ret_model);
void model_free(struct muxbus_model *model);

/*
 * Copies bytes and adds a NUL. The copy lives as long as the model and may be changed within
 * its length. NULL if out of memory.
 */
char *model_string(struct muxbus_model *model, const void *bytes, size_t len);

/* Replaces a text by a copy as of model_string(). Returns 0, or MUXBUS_ERR_NOMEM with NULL. */
int model_keep_text(struct muxbus_model *model, const char **text);

/*
 * Add one record; its strings must come from model_string() or be constants. Return 0, also
 * if there are too many records, or MUXBUS_ERR_NOMEM. tmux lists a window and its panes once
 * for each link: one of the records with the same id is kept.
 */
int model_add_session(struct muxbus_model *model, const struct muxbus_session *session);
int model_add_window(struct muxbus_model *model, const struct muxbus_window *window);
int model_add_link(struct muxbus_model *model, const struct muxbus_link *link);
int model_add_pane(struct muxbus_model *model, const struct muxbus_pane *pane);
int model_add_client(struct muxbus_model *model, const struct muxbus_client *client);

/*
 * Sorts the records, drops records without a parent, and counts. The model is then read
 * only. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int model_finish(struct muxbus_model *model);

/* Whether records were left out: there were too many, or they had no parent. */
bool model_is_cut(const struct muxbus_model *model);

/* A pane to be written to, but for its place: the one of this id, or the next one. NULL: none. */
struct muxbus_pane *model_pane_entry(struct muxbus_model *model, uint32_t id);
struct muxbus_pane *model_next_pane_entry(
    struct muxbus_model *model, const struct muxbus_pane *previous);
/* The client at a position from 0, to write is_ours; NULL past the end. */
struct muxbus_client *model_client_entry(struct muxbus_model *model, size_t position);
/* The session of this id, to write its group or name; or NULL. */
struct muxbus_session *model_session_entry(struct muxbus_model *model, uint32_t id);
/* The window of this id, to write its name, size or layout; or NULL. */
struct muxbus_window *model_window_entry(struct muxbus_model *model, uint32_t id);

/* Make a window of a session current, and a pane of a window active; the others are not. */
void model_set_current_window(struct muxbus_model *model, uint32_t session, uint32_t window);
void model_set_active_pane(struct muxbus_model *model, uint32_t window, uint32_t pane);

/* The link of a window in a session with the lowest index; NULL if there is none. */
const struct muxbus_link *model_link(
    const struct muxbus_model *model, uint32_t session, uint32_t window);

/*
 * The links of one window, by session; the links of one session, by index; and the panes of one
 * window, by index. NULL at the end. Links of a window are copies: do not mix the two walks.
 */
const struct muxbus_link *model_first_link(const struct muxbus_model *model, uint32_t window);
const struct muxbus_link *model_next_window_link(
    const struct muxbus_model *model, const struct muxbus_link *previous);
const struct muxbus_link *model_first_session_link(
    const struct muxbus_model *model, uint32_t session);
const struct muxbus_link *model_next_session_link(
    const struct muxbus_model *model, const struct muxbus_link *previous);
const struct muxbus_pane *model_first_pane(const struct muxbus_model *model, uint32_t window);
const struct muxbus_pane *model_next_window_pane(
    const struct muxbus_model *model, const struct muxbus_pane *previous);
