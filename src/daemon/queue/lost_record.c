/* SPDX-License-Identifier: ISC */
/* Records of the store that cannot be read at the start. */
#include "daemon/queue/lost_record.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"

enum { TEXT_SIZE = 160 };

void lost_record_add(struct lost_records *lost, const char *key, const char *what)
{
	log_warning("an entry of the journal is no %s: %s", what, key);
	if (lost->count < LOST_RECORDS_MAX)
		lost->keys[lost->count++] = xstrdup(key);
}

void lost_records_tell(struct lost_records *lost, struct queue *queue,
    enum notification_source source, const char *what)
{
	if (lost->count == 0)
		return;
	queue_begin(queue);
	for (size_t at = 0; at < lost->count; at++) {
		const char *slash = strchr(lost->keys[at], '/');
		const char *id = slash != NULL ? slash + 1 : lost->keys[at];
		bool is_id = id[0] != '\0' && strlen(id) < NOTIFICATION_ID_SIZE;
		char text[TEXT_SIZE];

		snprintf(text, sizeof text, "a %s was lost: its record cannot be read", what);
		(void)queue_post(queue,
		    &(struct notification_draft){.source = source,
			.id = is_id ? id : NULL,
			.text = text,
			.data = "{\"reason\":\"lost\"}"});
		store_delete(queue_store(queue), lost->keys[at]);
		mem_free(lost->keys[at]);
	}
	(void)queue_commit(queue);
	lost->count = 0;
}
