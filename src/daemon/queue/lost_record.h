/* SPDX-License-Identifier: ISC */
/*
 * Records of the store that cannot be read at the start: what somebody asked to be told of
 * will not come true, and that is told instead, once.
 */
#ifndef DAEMON_QUEUE_LOST_RECORD_H
#define DAEMON_QUEUE_LOST_RECORD_H

#include <stddef.h>

#include "daemon/queue/notification.h"

#define LOST_RECORDS_MAX 64 /* at one start; more are told at the next */

struct queue;

struct lost_records {
	char *keys[LOST_RECORDS_MAX];
	size_t count;
};

/* Notes one, and logs it; the table may be walked meanwhile. what: "watch". */
void lost_record_add(struct lost_records *lost, const char *key, const char *what);

/* Takes them out of the store and posts a notification for each, named as its key is. */
void lost_records_tell(struct lost_records *lost, struct queue *queue,
    enum notification_source source, const char *what);

#endif
