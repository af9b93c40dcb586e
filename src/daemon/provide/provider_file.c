/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provider_file.h"

#include <dirent.h>

#include "base/file.h"
#include "base/hash.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_program.h"

#define SUFFIX ".provider"
#define REASON_SIZE (PATH_MAX + 256)

static const char *const lives[] = {"on_call", "with_daemon", NULL};

struct provider_members {
	struct field_strings program;
	int life;
	int64_t idle_sec;
	const struct json *methods, *events;
};

static const struct field member_fields[] = {
    {FIELD_ROW(STRINGS, struct provider_members, program, "program"), .flags = FIELD_REQUIRED,
	.min = 1, .max = DECLARATION_WORDS_MAX},
    {FIELD_ROW(VALUE, struct provider_members, events, "events")},
    {FIELD_ROW(INT, struct provider_members, idle_sec, "idle_sec"), .unit = "s", .min = 1,
	.max = 86400, .preset = "600"},
    {FIELD_ROW(CHOICE, struct provider_members, life, "life"), .choices = lives,
	.preset = "\"on_call\""},
    {FIELD_ROW(VALUE, struct provider_members, methods, "methods"), .flags = FIELD_REQUIRED},
    {.name = NULL},
};

static void set_reason(struct provider_file *file, const char *reason)
{
	mem_free(file->reason);
	file->reason = xstrdup(reason);
}

/* Reads the members. The values point into the tree that file->reader owns. */
static void read_members(struct provider_file *file, const struct json *value)
{
	struct provider_members members;
	struct field_error error;
	struct buf scratch = BUF(PROVIDER_FILE_BYTES_MAX);
	if (field_read(member_fields, value, &members, sizeof members, &scratch, &error) < 0) {
		set_reason(file, error.text);
	} else if (members.methods->type != JSON_ARRAY ||
	    (members.events != NULL && members.events->type != JSON_ARRAY)) {
		set_reason(file, "methods and events: must be arrays");
	} else {
		file->program = members.program.strings;
		file->life = (enum provider_life)members.life;
		file->idle_ms = members.idle_sec * 1000;
		file->methods = members.methods;
		file->events = members.events;
	}
	file->owned = buf_steal(&scratch, NULL);
}

static struct provider_file *read_file(const char *dir, const char *entry)
{
	struct provider_file *file = xcalloc(1, sizeof *file);
	char reason[REASON_SIZE] = "";
	struct json_error error;
	const struct json *value;
	struct buf text = BUF(PROVIDER_FILE_BYTES_MAX);
	file->name = xmemdup(entry, strlen(entry) - strlen(SUFFIX));
	file->dir = xstrdup(dir);
	file->path = xasprintf("%s/%s", dir, entry);
	file->reader = json_reader_new(PROVIDER_FILE_BYTES_MAX);
	if (file_read_safe(file->path, &text, reason, sizeof reason) < 0) {
		set_reason(file, reason);
	} else if (!declaration_is_name(file->name)) {
		set_reason(file, "the name of the file must be letters, digits and \"_\"");
	} else if ((value = json_read(file->reader, buf_text(&text), text.len, &error)) == NULL ||
	    value->type != JSON_OBJECT) {
		(void)snprintf(reason, sizeof reason, "not a JSON object: %s",
		    value == NULL ? error.text : json_type_name(value->type));
		set_reason(file, reason);
	} else {
		file->content = hash_bytes(buf_text(&text), text.len);
		read_members(file, value);
	}
	buf_finish(&text);
	return file;
}

void provider_file_free(struct provider_file *file)
{
	if (file == NULL)
		return;
	json_reader_free(file->reader);
	mem_free(file->owned);
	mem_free(file->name);
	mem_free(file->dir);
	mem_free(file->path);
	mem_free(file->reason);
	mem_free(file);
}

static int is_provider(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && str_ends_in(entry->d_name, SUFFIX);
}

static size_t insert(struct provider_file **files, size_t count, struct provider_file *file)
{
	size_t at = 0;
	while (at < count && strcmp(files[at]->name, file->name) != 0)
		at++;
	if (at < count)
		provider_file_free(files[at]);
	files[at] = file;
	return at < count ? count : count + 1;
}

size_t provider_files_read(const char *dir, struct provider_file **files, size_t count)
{
	struct dirent **entries;
	int found = dir != NULL ? scandir(dir, &entries, is_provider, alphasort) : 0;
	for (int at = 0; at < found; at++) {
		if (count < PROVIDER_FILES_MAX)
			count = insert(files, count, read_file(dir, entries[at]->d_name));
		else
			log_warning("%s/%s: only %d files of providers are read", dir,
			    entries[at]->d_name, PROVIDER_FILES_MAX);
		free(entries[at]);
	}
	if (found > 0)
		free(entries);
	return count;
}

bool provider_file_program(
    const struct provider_file *file, char out[PATH_MAX], char *ret_reason, size_t size)
{
	const char *word = file->program[0];
	struct stat status;
	if (!tool_program_find(word, file->dir, getenv("PATH"), out, PATH_MAX)) {
		(void)snprintf(ret_reason, size, "%.200s is not installed", word);
		return false;
	}
	return word[0] != '.' ||
	    (stat(out, &status) == 0 && file_is_safe(out, &status, ret_reason, size));
}
