/* SPDX-License-Identifier: ISC */
/* The model of a server. After model_finish(), objects are no longer added or removed. */
#pragma once

#include <muxbus.h>

/* Limits: further records are ignored, and model_is_cut() becomes true. */
#define MODEL_SESSIONS_MAX 2000
#define MODEL_WINDOWS_MAX 10000
#define MODEL_LINKS_MAX 20000
#define MODEL_PANES_MAX 10000
#define MODEL_CLIENTS_MAX 2000

int model_new(struct muxbus_model **ret_model);
void model_free(struct muxbus_model *model);

/* Returns a copy with a NUL that lives as long as the model; NULL if out of memory. */
char *model_string(struct muxbus_model *model, const void *bytes, size_t len);

/* Replaces *text by a copy in the model; by "" if out of memory. */
void model_keep_text(struct muxbus_model *model, const char **text);

/*
 * Add a record. Its strings come from model_string() or are constants. tmux lists a window and its
 * panes once for each link, so of several records with the same id one is kept.
 */
void model_add_session(struct muxbus_model *model, const struct muxbus_session *session);
void model_add_window(struct muxbus_model *model, const struct muxbus_window *window);
void model_add_link(struct muxbus_model *model, const struct muxbus_link *link);
void model_add_pane(struct muxbus_model *model, const struct muxbus_pane *pane);
void model_add_client(struct muxbus_model *model, const struct muxbus_client *client);

/* Notes that a part of the model is missing, because there was no memory. */
void model_fail(struct muxbus_model *model);
/* Returns MUXBUS_ERR_NOMEM if a part of the model is missing for lack of memory, else 0. */
int model_error(const struct muxbus_model *model);

/* Sorts and joins the records; drops copies, and those without a parent. Returns model_error(). */
int model_finish(struct muxbus_model *model);

/* Returns true if records are missing because there were too many or because they had no parent. */
bool model_is_cut(const struct muxbus_model *model);

/* Return a pane by id, or the next pane, or NULL. The caller must not change the order of panes. */
struct muxbus_pane *model_pane_entry(struct muxbus_model *model, uint32_t id);
struct muxbus_pane *model_next_pane_entry(
    struct muxbus_model *model, const struct muxbus_pane *previous);
/* Returns the client at a position from 0, to set is_ours; NULL past the end. */
struct muxbus_client *model_client_entry(struct muxbus_model *model, size_t position);
/* Return the session or window with this id, to change members other than the id; or NULL. */
struct muxbus_session *model_session_entry(struct muxbus_model *model, uint32_t id);
struct muxbus_window *model_window_entry(struct muxbus_model *model, uint32_t id);

void model_set_current_window(struct muxbus_model *model, uint32_t session, uint32_t window);
void model_set_active_pane(struct muxbus_model *model, uint32_t window, uint32_t pane);

/* Compares two struct muxbus_link by session, index and window, as qsort() does. */
int model_compare_links(const void *a, const void *b);

/* Returns the link of a window in a session with the lowest index, or NULL. */
const struct muxbus_link *model_link(
    const struct muxbus_model *model, uint32_t session, uint32_t window);

/*
 * Walk the links of a window, sorted by session; the links of a session, by index; the panes of a
 * window, by index. Return NULL at the end. The links of a window are copies: do not pass them to
 * model_next_session_link().
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
