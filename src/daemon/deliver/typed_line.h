/* SPDX-License-Identifier: ISC */
/* The line that is being typed into a pane, as the store keeps it for the next daemon. */
#ifndef DAEMON_DELIVER_TYPED_LINE_H
#define DAEMON_DELIVER_TYPED_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pane_ref;
struct queue;
struct store;

struct typed_line {
	uint64_t *batch; /* numbers of the notifications that it tells of */
	size_t count;
	unsigned before; /* how often earlier daemons may have typed for these */
	char *line;
};

void typed_line_put(
    struct store *store, const struct pane_ref *pane, const struct typed_line *typed);
void typed_line_delete(struct store *store, const struct pane_ref *pane);
/* False if there is none. Finish what was got. */
bool typed_line_get(struct store *store, const struct pane_ref *pane, struct typed_line *ret_typed);
void typed_line_finish(struct typed_line *typed);

/* Looks which of those that the queue's store holds can be read: typed_line_get() reads them later. */
void typed_line_load(struct queue *queue);

#endif
