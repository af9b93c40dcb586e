/* SPDX-License-Identifier: ISC */
#include "daemon/queue/record.h"

#include "daemon/queue/store.h"

static void record_key(
    const struct record_kind *kind, const char *name, char out[STORE_KEY_MAX + 1])
{
	size_t len = strlen(kind->prefix), name_len = strnlen(name, STORE_KEY_MAX - len);
	memcpy(out, kind->prefix, len);
	memcpy(out + len, name, name_len);
	out[len + name_len] = '\0';
}

void record_put(
    struct store *store, const struct record_kind *kind, const char *name, const void *object)
{
	struct json_writer writer;
	char key[STORE_KEY_MAX + 1];
	struct buf value;
	json_start_object(&writer, &value, STORE_VALUE_MAX);
	record_write(&writer, kind->rows, object);
	json_object_end(&writer);
	record_key(kind, name, key);
	if (writer.is_cut)
		log_error("%s is too large to be kept: %s", kind->noun, key);
	else
		store_put(store, key, value.data, value.len);
	buf_finish(&value);
}

void record_delete(struct store *store, const struct record_kind *kind, const char *name)
{
	char key[STORE_KEY_MAX + 1];
	record_key(kind, name, key);
	store_delete(store, key);
}

/* Returns the value as JSON, or NULL if it is invalid. Words of release 0.1 become one string. */
static const struct json *read_value(struct json_reader *reader, const struct record_kind *kind,
    const char *value, size_t len, struct json *words)
{
	struct json_error error;
	if (kind->rows->order_0_1 == NULL || (len > 0 && value[0] == '{'))
		return json_read(reader, value, len, &error);
	*words = (struct json){.type = JSON_STRING, .text = value, .len = len};
	return words;
}

void record_load(struct store *store, const struct record_kind *kind, record_take_fn *take,
    void *data, struct record_lost *lost)
{
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	const char *key, *value;
	size_t cursor = 0, len;
	struct json words;
	while (store_next(store, kind->prefix, &cursor, &key, &value, &len)) {
		const char *name = key + strlen(kind->prefix);
		const struct json *tree = read_value(reader, kind, value, len, &words);
		bool is_name = utf8_is_valid(name, strlen(name)) &&
		    (kind->naming != RECORD_BY_ID || strlen(name) < NOTIFICATION_ID_SIZE);
		if (tree != NULL && is_name && take(data, name, tree))
			continue;
		log_warning("%s cannot be read from the journal: %s", kind->noun, key);
		if (lost->count < RECORDS_LOST_MAX)
			lost->keys[lost->count++] = xstrdup(key);
	}
	json_reader_free(reader);
}

bool record_get(struct store *store, const struct record_kind *kind, const char *name, void *object)
{
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	const struct json *tree;
	char key[STORE_KEY_MAX + 1];
	const char *value;
	struct json words;
	bool is_read;
	size_t len;
	record_key(kind, name, key);
	value = store_get(store, key, &len);
	tree = value != NULL ? read_value(reader, kind, value, len, &words) : NULL;
	is_read = tree != NULL && record_read(kind->rows, tree, object);
	json_reader_free(reader);
	return is_read;
}
