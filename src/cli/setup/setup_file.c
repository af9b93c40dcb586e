/* SPDX-License-Identifier: ISC */
#include "cli/setup/setup_file.h"

#include "cli/cli.h"
#include "cli/config_file.h"
#include "cli/program.h"
#include "cli/screen_text.h"
#include "cli/setup/config_json.h"
#include "cli/setup/config_toml.h"
#include "wire/address.h"
#include "wire/json.h"
#include "wire/shell_word.h"

#define TEXT_MAX ((size_t)64 * 1024)

void setup_say(const char *format, ...)
{
	va_list args;
	char text[PATH_MAX * 2 + 512];
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	screen_print_line(stdout, text);
	(void)fputc('\n', stdout);
}

const char *setup_integrations(void)
{
	const char *own = getenv("MUXBUS_CONTRIBDIR");
	return own != NULL && *own == '/' ? own : MUXBUS_CONTRIBDIR;
}

bool setup_init(struct setup *setup)
{
	char found[PATH_MAX], real[PATH_MAX], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	bool is_ours;
	*setup = (struct setup){0};
	if (len <= 0)
		return false;
	self[len] = '\0';
	is_ours = program_find_in_path("muxbus", found, sizeof found) &&
	    realpath(found, real) != NULL && strcmp(real, self) == 0;
	(void)snprintf(setup->command, sizeof setup->command, "%s", is_ours ? "muxbus" : self);
	return true;
}

const char *const setup_tools[] = {"assistant", "coding", NULL};

#define SERVER_END "\"mcp\"]" /* ends the arguments of the MCP server */
#define TOOLS_OPTION "--tools="

static bool takes_tools(const struct setup *setup, const char *value)
{
	size_t len = strlen(value), end_len = strlen(SERVER_END);
	return setup->tools != NULL && len > end_len &&
	    strcmp(value + len - end_len, SERVER_END) == 0;
}

/* Replaces @, $ and % in a value (struct setup_step), escaped for a quoted string. Adds --tools. */
static char *fill(const struct setup *setup, const char *value)
{
	bool has_tools = takes_tools(setup, value);
	struct buf out = BUF(TEXT_MAX), word = BUF(TEXT_MAX);
	bool lossy = false;
	if (shell_word(&word, setup->command) < 0)
		xalloc_fail();
	for (; *value; value++) {
		const char *meant = *value == '@' ? setup->command
		    : *value == '$'               ? buf_text(&word)
		    : *value == '%'               ? setup_integrations()
						  : NULL;
		int r = meant != NULL ? json_escape(&out, meant, strlen(meant), &lossy)
				      : buf_append_byte(&out, (uint8_t)*value);
		if (r < 0)
			xalloc_fail();
	}
	if (has_tools) {
		out.len--;
		if (buf_printf(&out, ",\"" TOOLS_OPTION "%s\"]", setup->tools) < 0)
			xalloc_fail();
	}
	buf_finish(&word);
	return (char *)buf_steal(&out, NULL);
}

static bool contains(const struct buf *text, const char *word)
{
	return text->len > 0 && memmem(text->data, text->len, word, strlen(word)) != NULL;
}

static bool fill_script(const struct setup *setup, const struct buf *script, struct buf *out)
{
	static const char name[] = "const muxbus = \"muxbus\"";
	const char *text = buf_text(script);
	const char *found =
	    script->len > 0 ? memmem(text, script->len, name, sizeof name - 1) : NULL;
	size_t before =
	    found != NULL ? (size_t)(found - text) + sizeof name - sizeof "muxbus\"" : 0;
	bool lossy = false;
	if (found == NULL)
		return buf_append(out, text, script->len) == 0;
	return buf_append(out, text, before) == 0 &&
	    json_escape(out, setup->command, strlen(setup->command), &lossy) == 0 &&
	    buf_append(out, text + before + 6, script->len - before - 6) == 0;
}

/* Writes the new text of a file that is wholly ours: nothing to remove it. False with a reason. */
static bool edit_copy(const struct setup *setup, const struct setup_file *file,
    const struct buf *old, struct buf *out, char *ret_reason, size_t size)
{
	static struct config_file source;
	static char path[PATH_MAX];
	bool is_done;
	if (old->len > 0 && !contains(old, file->mark)) {
		if (setup->action == SETUP_REMOVE)
			return buf_append(out, old->data, old->len) == 0;
		return cli_refuse(ret_reason, size, "this is another file with the name of ours");
	}
	if (setup->action == SETUP_REMOVE)
		return true;
	(void)snprintf(path, sizeof path, "%s/%s", setup_integrations(), file->source);
	is_done = config_file_read(&source, path, ret_reason, size);
	if (is_done && (!source.is_there || !fill_script(setup, &source.text, out))) {
		(void)snprintf(
		    ret_reason, size, "%s is not installed; `make install` does that", path);
		is_done = false;
	}
	buf_finish(&source.text);
	return is_done;
}

static bool lacks_integrations(const struct setup_file *file, char *ret_reason, size_t size)
{
	for (const struct setup_step *step = file->steps; step->value != NULL; step++) {
		if (strchr(step->value, '%') != NULL && access(setup_integrations(), X_OK) < 0) {
			(void)snprintf(ret_reason, size,
			    "the integrations are not installed at %s; `make install` does that",
			    setup_integrations());
			return true;
		}
	}
	return false;
}

/* The origin of the Muxbus entries in a file. */
enum entry {
	ENTRY_NONE,
	ENTRY_OURS, /* setup of any installation wrote them; people may add members */
	ENTRY_CHANGED, /* setup wrote them; a person added arguments or removed members */
	ENTRY_OTHER, /* a person wrote them */
};

/* True if a text equals the model, where a leading @ or % stands for paths of any installation. */
static bool fits_text(const char *text, const char *model)
{
	const char *end = *model == '@' ? "/muxbus" : model + 1;
	size_t len = strlen(text), end_len = strlen(end);
	if (*model != '@' && *model != '%')
		return strcmp(text, model) == 0;
	return (*model == '@' && strcmp(text, "muxbus") == 0) ||
	    (len > end_len && strcmp(text + len - end_len, end) == 0);
}

static bool is_tools_option(const struct json *value)
{
	size_t len = strlen(TOOLS_OPTION);
	return value->type == JSON_STRING && strncmp(value->text, TOOLS_OPTION, len) == 0 &&
	    str_is_in(value->text + len, setup_tools);
}

/* Compares an entry with its model. Numbers and truth values may differ: people choose them. */
static enum entry compare(const struct json *value, const struct json *model)
{
	enum entry entry = ENTRY_OURS;
	const struct json *at = model->type == JSON_ARRAY ? value->child : NULL;
	if (model->type != JSON_STRING && model->type != JSON_ARRAY && model->type != JSON_OBJECT)
		return ENTRY_OURS;
	if (value->type != model->type ||
	    (model->type == JSON_STRING && !fits_text(value->text, model->text)))
		return ENTRY_OTHER;
	json_each (part, model) {
		const struct json *theirs =
		    model->type == JSON_ARRAY ? at : json_member(value, part->name);
		enum entry one = theirs != NULL ? compare(theirs, part) : ENTRY_OTHER;
		entry = one > entry ? one : entry;
		at = at != NULL ? at->next : NULL;
	}
	if (at != NULL && at->next == NULL && is_tools_option(at))
		at = NULL;
	return entry == ENTRY_OURS && at != NULL ? ENTRY_CHANGED : entry;
}

static const struct json *find_value(const struct json *value, const char *const *path)
{
	for (; value != NULL && *path != NULL; path++)
		value = value->type == JSON_OBJECT ? json_member(value, *path) : NULL;
	return value;
}

/*
 * Reads the value at a path, lent from the reader. Returns NULL with *ret_is_there set if the value
 * is TOML that is not also JSON.
 */
static const struct json *read_value(struct json_reader *reader, const struct setup_file *file,
    const char *const *path, const struct buf *text, bool *ret_is_there)
{
	struct json_error error;
	struct config_toml toml;
	const struct json *value;
	const char *bytes = buf_text(text);
	size_t len = text->len;
	if (!file->is_toml) {
		value = find_value(json_read(reader, bytes, len, &error), path);
		*ret_is_there = value != NULL;
		return value;
	}
	bytes = config_toml_init(&toml, path[0], bytes, len) ? config_toml_get(&toml, path[1], &len)
							     : NULL;
	*ret_is_there = bytes != NULL;
	value = bytes != NULL ? json_read(reader, bytes, len, &error) : NULL;
	buf_finish(&toml.text);
	return value;
}

/* Compares a value with its step. *ret_has_tools: the value is an array with --tools=SET last. */
static enum entry compare_step(const struct setup_file *file, const struct setup_step *step,
    const struct buf *text, bool *ret_has_tools)
{
	struct json_error error;
	struct json_reader *reader = json_reader_new(CONFIG_FILE_MAX);
	struct json_reader *models = json_reader_new(TEXT_MAX);
	bool is_there;
	const struct json *value = read_value(reader, file, step->path, text, &is_there);
	const struct json *last = value != NULL && value->type == JSON_ARRAY ? value->child : NULL;
	enum entry entry = value != NULL
	    ? compare(value, json_read(models, step->value, strlen(step->value), &error))
	    : is_there ? ENTRY_OTHER
		       : ENTRY_NONE;
	while (last != NULL && last->next != NULL)
		last = last->next;
	*ret_has_tools = last != NULL && is_tools_option(last);
	json_reader_free(reader);
	json_reader_free(models);
	return entry;
}

static bool has_own(const struct setup_file *file, const struct buf *text)
{
	struct json_reader *reader = json_reader_new(CONFIG_FILE_MAX);
	bool is_found = false;
	for (size_t i = 0; !is_found && file->own[i][0] != NULL; i++)
		(void)read_value(reader, file, file->own[i], text, &is_found);
	json_reader_free(reader);
	return is_found;
}

static enum entry compare_file(const struct setup_file *file, const struct buf *text)
{
	enum entry entry = ENTRY_NONE;
	bool lacks_some = false, has_tools;
	for (const struct setup_step *step = file->steps; step->value != NULL; step++) {
		enum entry one;
		if (step->kind != SETUP_SET)
			continue;
		one = compare_step(file, step, text, &has_tools);
		lacks_some |= one == ENTRY_NONE;
		entry = one > entry ? one : entry;
	}
	if (entry == ENTRY_NONE)
		return has_own(file, text) ? ENTRY_OTHER : ENTRY_NONE;
	return entry == ENTRY_OURS && lacks_some ? ENTRY_CHANGED : entry;
}

static bool take_step(struct config_json *config, const struct setup_step *step, bool is_removal,
    bool is_changed, const char *value)
{
	if (step->kind == SETUP_ELEMENT && is_removal)
		return config_json_remove_elements(config, step->path, step->mark);
	if (step->kind == SETUP_ELEMENT)
		return config_json_set_element(config, step->path, step->mark, value);
	return is_removal || is_changed ||
	    config_json_set(config, step->path, value, step->kind == SETUP_PRESET);
}

static bool edit_steps(const struct setup *setup, const struct setup_file *file,
    const struct buf *old, struct buf *out, char *ret_reason, size_t size)
{
	struct config_json json = {0};
	struct config_toml toml = {0};
	bool is_toml = file->is_toml, is_removal = setup->action == SETUP_REMOVE;
	bool is_ours = is_removal && compare_file(file, old) == ENTRY_OURS;
	bool is_done = is_toml ? config_toml_init(&toml, file->own[0][0], buf_text(old), old->len)
			       : config_json_init(&json, buf_text(old), old->len);
	for (size_t i = 0; is_done && is_ours && file->own[i][0] != NULL; i++)
		is_done =
		    is_toml ? config_toml_remove(&toml) : config_json_remove(&json, file->own[i]);
	for (const struct setup_step *step = file->steps; is_done && step->value != NULL; step++) {
		bool has_tools;
		bool is_changed = compare_step(file, step, old, &has_tools) == ENTRY_CHANGED ||
		    (setup->tools == NULL && has_tools);
		char *value = fill(setup, step->value);
		if (!is_toml)
			is_done = take_step(&json, step, is_removal, is_changed, value);
		else if (!is_removal && !is_changed)
			is_done = config_toml_set(
			    &toml, step->path[1], value, step->kind == SETUP_PRESET);
		mem_free(value);
	}
	if (!is_done)
		(void)snprintf(ret_reason, size, "%s", is_toml ? toml.reason : json.reason);
	else if (buf_append(out, is_toml ? toml.text.data : json.text.data,
		     is_toml ? toml.text.len : json.text.len) < 0)
		xalloc_fail();
	buf_finish(&json.text);
	buf_finish(&toml.text);
	return is_done;
}

static bool edit(const struct setup *setup, const struct setup_file *file, const struct buf *text,
    struct buf *out, char *ret_reason, size_t size)
{
	if (file->source != NULL)
		return edit_copy(setup, file, text, out, ret_reason, size);
	if (setup->action == SETUP_WRITE && compare_file(file, text) == ENTRY_OTHER)
		return cli_refuse(ret_reason, size,
		    "its entry \"muxbus\" is not of muxbus setup: rename or remove it");
	return edit_steps(setup, file, text, out, ret_reason, size);
}

bool setup_place(const struct setup *setup, const char *path, char *out, size_t size)
{
	const struct setup_agent *agent = setup->agent;
	const char *folder = agent->home_variable != NULL ? getenv(agent->home_variable) : NULL;
	const char *home = address_home();
	char cwd[PATH_MAX];
	int n;
	if (setup->scope == SETUP_PROJECT)
		n = getcwd(cwd, sizeof cwd) != NULL ? snprintf(out, size, "%s/%s", cwd, path) : -1;
	else if (folder != NULL && *folder == '/')
		n = snprintf(out, size, "%s/%s", folder, path);
	else if (home != NULL)
		n = snprintf(
		    out, size, "%s/%s%s%s", home, agent->home, *agent->home ? "/" : "", path);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

void setup_print_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	struct buf nothing = BUF(1), out = BUF(TEXT_MAX);
	char reason[256];
	setup_say("%s", path);
	(void)putchar('\n');
	if (file->source != NULL)
		setup_say("a copy of %s/%s", setup_integrations(), file->source);
	else if (edit(setup, file, &nothing, &out, reason, sizeof reason))
		cli_print(&out);
}

static bool find_rival(const struct setup_file *file, const char *path, char ret_rival[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int n;
	if (file->rival == NULL || access(path, F_OK) == 0)
		return false;
	n = snprintf(ret_rival, PATH_MAX, "%.*s/%s", (int)(slash - path), path, file->rival);
	return n > 0 && n < PATH_MAX && access(ret_rival, F_OK) == 0;
}

static bool has_rival(
    const struct setup_file *file, const char *path, char *ret_reason, size_t size)
{
	char rival[PATH_MAX];
	if (!find_rival(file, path, rival))
		return false;
	(void)snprintf(
	    ret_reason, size, "%s exists, and may have comments: edit it by hand", rival);
	return true;
}

static bool leads_to(struct setup setup, enum setup_action action, const struct setup_file *file,
    const struct buf *text, const struct buf *wanted)
{
	static char reason[PATH_MAX + 128];
	struct buf out = BUF(CONFIG_FILE_MAX);
	bool is_same;
	setup.action = action;
	is_same =
	    edit(&setup, file, text, &out, reason, sizeof reason) && buf_is_equal(&out, wanted);
	buf_finish(&out);
	return is_same;
}

/* Returns true if a text is blank or, in JSON, an empty object: its file can be removed. */
static bool is_blank(const struct setup_file *file, const struct buf *text)
{
	const char *at = buf_text(text);
	at += strspn(at, " \t\r\n");
	if (!file->is_toml && at[0] == '{') {
		at += 1 + strspn(at + 1, " \t\r\n");
		at += at[0] == '}';
	}
	return at[strspn(at, " \t\r\n")] == '\0';
}

/* A search in the backups for the file as it was before --write, if nothing else has changed it. */
struct origin {
	const struct setup *setup;
	const struct setup_file *file;
	const struct config_file *config;
	struct buf *text;
	bool is_found;
};

static bool find_origin(void *data, const struct buf *backup)
{
	struct origin *origin = data;
	if (!origin->is_found &&
	    (is_blank(origin->file, backup) ||
		leads_to(*origin->setup, SETUP_REMOVE, origin->file, backup, backup)) &&
	    leads_to(*origin->setup, SETUP_WRITE, origin->file, backup, &origin->config->text)) {
		config_splice(origin->text, 0, origin->text->len, backup->data, backup->len);
		origin->is_found = true;
	}
	return false;
}

static bool is_text(void *data, const struct buf *backup)
{
	return buf_is_equal(backup, data);
}

/*
 * Writes the new text. If only --write has changed the file, --remove restores the backup that
 * --write made. Else it removes a file of ours, or one that has no settings left and is no link. It
 * makes no backup of a text that --write can write again, and removes backups of the new text.
 */
static bool store(const struct setup *setup, const struct setup_file *file,
    struct config_file *config, struct buf *text, char *ret_reason, size_t size)
{
	bool is_removal = setup->action == SETUP_REMOVE, is_done, has_backup;
	struct origin origin = {setup, file, config, text, false};
	char byte;
	if (is_removal && file->source == NULL)
		config_file_each_backup(config, find_origin, &origin);
	has_backup = !is_removal || !leads_to(*setup, SETUP_WRITE, file, text, &config->text);
	if (is_removal && !origin.is_found &&
	    (file->source != NULL ||
		(is_blank(file, text) && readlink(config->path, &byte, 1) < 0)))
		is_done = config_file_remove(config, has_backup, ret_reason, size);
	else
		is_done = config_file_write(config, text, has_backup, ret_reason, size);
	if (is_done && is_removal)
		config_file_each_backup(config, is_text, text);
	return is_done;
}

static void report(const struct setup *setup, const struct setup_file *file, const char *path,
    const struct config_file *config, const struct buf *text, bool is_same)
{
	bool is_removal = setup->action == SETUP_REMOVE;
	const char *done = is_removal && access(path, F_OK) < 0 ? "removed"
	    : config->is_there                                  ? "changed"
								: "made";
	if (is_removal && file->source == NULL && compare_file(file, text) != ENTRY_NONE)
		setup_say(
		    "%s: its entry \"muxbus\" stays: it is not as muxbus setup writes it", path);
	else if (is_same)
		setup_say("%s: %s", path,
		    is_removal ? "contains nothing of muxbus" : "contains everything already");
	else
		setup_say("%s: %s%s%s", path, done, config->backup[0] ? "; backup: " : "",
		    config->backup);
}

bool setup_change_file(const struct setup *setup, const struct setup_file *file, const char *path)
{
	static struct config_file config;
	struct buf out = BUF(CONFIG_FILE_MAX);
	char reason[PATH_MAX * 2 + 512], detail[PATH_MAX + 128];
	bool is_same, is_done, is_absent;
	is_done = config_file_read(&config, path, reason, sizeof reason);
	is_absent = is_done && !config.is_there && setup->action == SETUP_REMOVE;
	if (is_done && !is_absent &&
	    (has_rival(file, path, detail, sizeof detail) ||
		(setup->action == SETUP_WRITE && lacks_integrations(file, detail, sizeof detail)) ||
		!edit(setup, file, &config.text, &out, detail, sizeof detail))) {
		(void)snprintf(reason, sizeof reason, "%s: %s", path, detail);
		is_done = false;
	}
	is_same = is_absent || (is_done && config.is_there && buf_is_equal(&out, &config.text));
	if (is_done && !is_same)
		is_done = store(setup, file, &config, &out, reason, sizeof reason);
	if (is_done)
		report(setup, file, path, &config, &out, is_same);
	else
		cli_error("%s; nothing was changed there", reason);
	buf_finish(&out);
	buf_finish(&config.text);
	return is_done;
}

static bool mentions_muxbus(const char *path)
{
	static struct config_file config;
	static char reason[PATH_MAX + 128];
	bool is_found = config_file_read(&config, path, reason, sizeof reason) &&
	    contains(&config.text, "muxbus");
	buf_finish(&config.text);
	return is_found;
}

/* Returns how far one file is set up. A rival of the file only needs to have the word muxbus. */
static enum setup_state look_at(
    const struct setup *setup, const struct setup_file *file, const char *path)
{
	static struct config_file config;
	static char reason[PATH_MAX + 128], rival[PATH_MAX];
	enum setup_state state = SETUP_ABSENT;
	if (find_rival(file, path, rival))
		return mentions_muxbus(rival) ? SETUP_COMPLETE : SETUP_ABSENT;
	if (config_file_read(&config, path, reason, sizeof reason) && config.is_there) {
		if (leads_to(*setup, SETUP_WRITE, file, &config.text, &config.text))
			state = SETUP_COMPLETE;
		else if (contains(&config.text, "muxbus") &&
		    !leads_to(*setup, SETUP_REMOVE, file, &config.text, &config.text))
			state = SETUP_PARTIAL;
	}
	buf_finish(&config.text);
	return state;
}

/* Returns true if the agent's own commands have installed muxbus as an extension. */
static bool is_elsewhere(const struct setup *setup, char path[PATH_MAX])
{
	return setup->agent->elsewhere != NULL && setup->scope == SETUP_USER &&
	    setup_place(setup, setup->agent->elsewhere, path, PATH_MAX) && mentions_muxbus(path);
}

enum setup_state setup_look(const struct setup *setup, char ret_path[PATH_MAX])
{
	static char path[PATH_MAX];
	size_t some = 0, complete = 0, count = 0;
	ret_path[0] = '\0';
	for (size_t i = 0; i < SETUP_FILES_MAX; i++) {
		const struct setup_file *file = &setup->agent->files[i];
		enum setup_state state;
		if (file->paths[setup->scope] == NULL ||
		    !setup_place(setup, file->paths[setup->scope], path, sizeof path))
			continue;
		state = look_at(setup, file, path);
		if (count == 0 || (count == complete && state != SETUP_COMPLETE))
			(void)snprintf(ret_path, PATH_MAX, "%s", path);
		count++;
		complete += state == SETUP_COMPLETE;
		some += state != SETUP_ABSENT;
	}
	if (count > 0 && complete == count)
		return SETUP_COMPLETE;
	if (is_elsewhere(setup, path)) {
		(void)snprintf(ret_path, PATH_MAX, "%s", path);
		return SETUP_COMPLETE;
	}
	return some > 0 ? SETUP_PARTIAL : SETUP_ABSENT;
}

bool setup_is_installed(const struct setup *setup, char ret_path[PATH_MAX])
{
	struct setup user = *setup;
	char *slash;
	user.scope = SETUP_USER;
	if (program_find_in_path(setup->agent->name, ret_path, PATH_MAX))
		return true;
	*ret_path = '\0';
	if (!setup_place(&user, setup->agent->files[0].paths[SETUP_USER], ret_path, PATH_MAX))
		return false;
	slash = strrchr(ret_path, '/');
	*slash = '\0';
	return access(ret_path, F_OK) == 0;
}
