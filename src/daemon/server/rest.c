/* SPDX-License-Identifier: ISC */
#include "daemon/server/rest.h"

#include <sys/random.h>

#include "daemon/server/request.h"

struct text {
	struct list link;
	int64_t until_ms;
	char id[REST_ID_SIZE];
	size_t len;
	char bytes[];
};

struct rest_set {
	struct list texts; /* the oldest first */
	size_t count, bytes, bytes_max;
	struct rest_set *readers; /* the set for the role read_only; NULL in that set itself */
	uint32_t number; /* of the last id; random at first, since an earlier daemon has used ids */
};

static struct rest_set *new_set(size_t bytes_max)
{
	struct rest_set *set = xcalloc(1, sizeof *set);
	set->bytes_max = bytes_max;
	list_init(&set->texts);
	if (getrandom(&set->number, sizeof set->number, 0) != sizeof set->number)
		set->number = (uint32_t)clock_real_ms();
	return set;
}

struct rest_set *rest_set_new(size_t bytes_max)
{
	struct rest_set *set = new_set(bytes_max);
	set->readers = new_set(bytes_max);
	return set;
}

struct rest_set *rest_set_of(struct request *request)
{
	struct rest_set *set = request_daemon(request)->rests;
	return request_role(request) == ROLE_READ_ONLY ? set->readers : set;
}

static void drop_oldest(struct rest_set *set)
{
	struct text *text = list_entry(set->texts.next, struct text, link);
	list_remove(&text->link);
	set->count--;
	set->bytes -= text->len;
	mem_free(text);
}

void rest_set_free(struct rest_set *set)
{
	if (set == NULL)
		return;
	while (set->count > 0)
		drop_oldest(set);
	rest_set_free(set->readers);
	mem_free(set);
}

static bool is_old(const struct rest_set *set)
{
	return list_entry(set->texts.next, struct text, link)->until_ms <= clock_mono_ms();
}

const char *rest_keep(struct rest_set *set, const void *bytes, size_t len)
{
	struct text *text = xalloc(sizeof *text + len + 1);
	text->until_ms = clock_mono_ms() + REST_KEEP_MS;
	text->len = len;
	memcpy(text->bytes, bytes, len);
	text->bytes[len] = '\0';
	(void)snprintf(text->id, sizeof text->id, "R%08" PRIx32, ++set->number);
	while (set->count > 0 &&
	    (set->count >= REST_TEXTS_MAX || set->bytes + len > set->bytes_max || is_old(set)))
		drop_oldest(set);
	list_append(&set->texts, &text->link);
	set->count++;
	set->bytes += len;
	return text->id;
}

void rest_write(struct json_writer *writer, struct rest_set *set, const void *text, size_t len,
    size_t from, const char *what)
{
	char rest[160];
	if (len == 0 || len > set->bytes_max)
		return;
	(void)snprintf(rest, sizeof rest, "read_rest {\"id\":\"%s\",\"after\":%zu} reads %s.",
	    rest_keep(set, text, len), from, what);
	json_put_str(writer, "rest", rest);
}

const char *rest_find(const struct rest_set *set, const char *id, size_t *ret_len)
{
	list_each (struct text, text, &set->texts, link) {
		if (strcmp(text->id, id) == 0 && text->until_ms > clock_mono_ms()) {
			*ret_len = text->len;
			return text->bytes;
		}
	}
	return NULL;
}
