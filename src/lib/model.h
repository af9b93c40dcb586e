/* SPDX-License-Identifier: ISC */
/*
 * What a server holds, as one picture: built record by record, finished once, then
 * only read, but for what sync counts of each pane's output. A new listing makes a new
 * model; the old one is kept until the differences have been told.
 */
#ifndef LIB_MODEL_H
#define LIB_MODEL_H

#include <muxbus.h>

/* More of a kind than this is left out, and the model says so. */
#define MODEL_SESSIONS_MAX 2000
#define MODEL_WINDOWS_MAX 10000
#define MODEL_LINKS_MAX 20000
#define MODEL_PANES_MAX 10000
#define MODEL_CLIENTS_MAX 2000

int model_new(struct muxbus_model **ret_model);
void model_free(struct muxbus_model *model);

/*
 * A copy of bytes with a NUL behind it that lives as long as the model; NULL if out of
 * memory. The copy may be changed up to its length.
 */
char *model_string(struct muxbus_model *model, const void *bytes, size_t len);

/*
 * Add one record; its strings must come from model_string() or be constants. Return 0,
 * also where the record is left out for its number, or MUXBUS_ERR_NOMEM. tmux lists a
 * window and its panes once a link: of records with the same id one is kept.
 */
int model_add_session(struct muxbus_model *model, const struct muxbus_session *session);
int model_add_window(struct muxbus_model *model, const struct muxbus_window *window);
int model_add_link(struct muxbus_model *model, const struct muxbus_link *link);
int model_add_pane(struct muxbus_model *model, const struct muxbus_pane *pane);
int model_add_client(struct muxbus_model *model, const struct muxbus_client *client);

/*
 * Sorts what was added, drops what hangs on nothing, and counts. After it the model is
 * read only. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int model_finish(struct muxbus_model *model);

/* Whether records were left out because there were too many, or hung on nothing. */
bool model_is_cut(const struct muxbus_model *model);

/* The pane of this id to write output_offset and last_output_ms; NULL if there is none. */
struct muxbus_pane *model_pane_entry(struct muxbus_model *model, uint32_t id);
/* A client to write is_ours: the position counts from 0; NULL past the end. */
struct muxbus_client *model_client_entry(struct muxbus_model *model, size_t position);
/* A session to write its group; NULL if there is none. */
struct muxbus_session *model_session_entry(struct muxbus_model *model, uint32_t id);

/* The link of a window in a session with the lowest index; NULL if there is none. */
const struct muxbus_link *model_link(
    const struct muxbus_model *model, uint32_t session, uint32_t window);

/*
 * The links of one window, those of the lowest session first; of one session, by index;
 * and the panes of one window, by index. NULL if there is none, or no more. The first
 * kind of link has places of its own: it cannot be walked on by the others.
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

#endif
