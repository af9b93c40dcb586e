/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as a file of the user, which the first byte chooses: a declaration, or the parameters
 * of one, a hosts file, limits, the files of a job, signs of agents, another program's TOML or JSON
 * that setup edits. A reader takes it or says why not in text; an edit keeps the file readable and
 * is done once.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/job_file.h"
#include "base/log.h"
#include "cli/setup/config_json.h"
#include "cli/setup/config_toml.h"
#include "daemon/core/config.h"
#include "daemon/methods/tables.h"
#include "daemon/pane/screen_sign.h"
#include "daemon/tool/declaration.h"
#include "wire/host_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 65536, OUT_MAX = 1024 * 1024 };

static char folder[64];

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A reason may hold any text: what shows it makes the characters visible. */
static void must_be_reason(const char *reason)
{
	must(*reason != '\0');
}

static void try_declaration(const char *text, size_t len)
{
	static struct json_reader *reader;
	char reason[DECLARATION_REASON_SIZE] = "";
	struct declaration *got;
	size_t rows[2] = {0};
	if (reader == NULL)
		reader = json_reader_new(DECLARATION_BYTES_MAX);
	got = declaration_read(reader, text, len, reason);
	if (got == NULL) {
		must_be_reason(reason);
		return;
	}
	must(declaration_is_name(got->name) && got->args_size >= sizeof(struct declaration_args));
	must((got->run == NULL) == (got->server.name != NULL));
	for (const struct field *field = got->fields; field->name != NULL; field++) {
		bool is_alias = field->flags & FIELD_ALIAS;
		must(field->offset < got->args_size && (is_alias || field->help != NULL));
		rows[is_alias]++;
	}
	must(rows[0] <= DECLARATION_PARAMETERS_MAX + 2 && rows[1] <= DECLARATION_SPELLINGS_MAX);
	declaration_free(got);
}

/* Each byte is a parameter: its type, and how many second spellings it has. */
static void try_parameters(const uint8_t *bytes, size_t len)
{
	static const char *const types[] = {
	    "array", "boolean", "integer", "number", "object", "string", "text"};
	struct buf text;
	buf_init(&text, INPUT_MAX);
	(void)buf_append_str(&text,
	    "{\"name\":\"t\",\"group\":\"g\",\"description\":\"d\",\"run\":[\"true\"],"
	    "\"parameters\":{\"type\":\"object\",\"properties\":{");
	for (size_t at = 0; at < len; at++) {
		(void)buf_printf(&text, "%s\"p%zu\":{\"type\":\"%s\",\"also\":[", at > 0 ? "," : "",
		    at, types[bytes[at] / 8 % 7]);
		for (unsigned of = 0; of < bytes[at] % 8u; of++)
			(void)buf_printf(&text, "%s\"p%zu_%u\"", of > 0 ? "," : "", at, of);
		(void)buf_append_str(&text, "]}");
	}
	(void)buf_append_str(&text, "}}}");
	try_declaration(buf_text(&text), text.len);
	buf_finish(&text);
}

static void try_hosts(const char *text)
{
	char *copy = strdup(text), *rest = copy, *line, reason[256] = "";
	struct host_spec spec;
	while ((line = strsep(&rest, "\n")) != NULL) {
		int result = host_line_read(line, &spec, reason, sizeof reason);
		if (result < 0)
			must_be_reason(reason);
		if (result > 0)
			must(host_line_is_name(spec.name) && host_line_is_name(spec.server));
	}
	free(copy);
}

static void try_limits(const char *text)
{
	struct config_limits limits;
	char *copy = strdup(text), *rest = copy, *line, reason[256] = "";
	config_limits_init(&limits);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (config_limits_set(&limits, line, reason, sizeof reason) < 0)
			must_be_reason(reason);
	free(copy);
}

static void remove_folder(void)
{
	(void)rmdir(folder);
}

static void write_file(const char *name, const char *text, size_t len)
{
	char path[128];
	int file;
	if (folder[0] == '\0') {
		(void)snprintf(folder, sizeof folder, "/tmp/mbt-fuzz-XXXXXX");
		must(mkdtemp(folder) != NULL);
		(void)atexit(remove_folder);
	}
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(file >= 0 && write(file, text, len) == (ssize_t)len && close(file) == 0);
}

/* A spec that is read is written and read again: the same. */
static void try_job(const char *text, size_t len)
{
	struct job_spec spec = {0}, again = {0};
	struct job_start start;
	struct job_status status;
	struct job_news news = {0};
	char name[JOB_NAME_SIZE];
	int dir;
	for (enum job_file file = 0; file < JOB_FILE_COUNT_; file++) {
		job_file_name(name, "A", file);
		write_file(name, text, len);
	}
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job_spec_read(dir, "A", &spec) == 0) {
		must(spec.argv != NULL && job_spec_write(dir, "A", &spec) == 0);
		must(job_spec_read(dir, "A", &again) == 0 && strcmp(spec.cwd, again.cwd) == 0 &&
		    spec.out_max == again.out_max && spec.timeout_ms == again.timeout_ms);
		job_spec_finish(&again);
	}
	job_spec_finish(&spec);
	(void)job_start_read(dir, "A", &start);
	(void)job_status_read(dir, "A", &status);
	job_news_read(text, &news);
	for (enum job_file file = 0; file < JOB_FILE_COUNT_; file++) {
		job_file_name(name, "A", file);
		(void)unlinkat(dir, name, 0);
	}
	(void)close(dir);
}

static void try_signs(const char *text, size_t len)
{
	char path[128];
	write_file("agents", text, len);
	(void)snprintf(path, sizeof path, "%s/agents", folder);
	screen_sign_set_free(screen_sign_set_new(path));
	(void)unlink(path);
}

static void try_toml(const char *text, size_t len)
{
	static const char value[] = "[\"mcp\", \"--agent=x\"]";
	struct config_toml first, second;
	if (!config_toml_init(&first, "mcp_servers.muxbus", text, len)) {
		must_be_reason(first.reason);
		buf_finish(&first.text);
		return;
	}
	if (config_toml_set(&first, "args", value, false)) {
		must(config_toml_init(
		    &second, "mcp_servers.muxbus", (char *)first.text.data, first.text.len));
		must(config_toml_set(&second, "args", value, false));
		must(first.text.len == second.text.len &&
		    memcmp(first.text.data, second.text.data, first.text.len) == 0);
		must(config_toml_remove(&second));
		buf_finish(&second.text);
	}
	buf_finish(&first.text);
}

static void try_json(const char *text, size_t len)
{
	static const char *const path[] = {"mcpServers", "muxbus", NULL};
	static const char *const hooks[] = {"hooks", "Stop", NULL};
	static const char value[] = "{\"command\":\"muxbus\"}";
	struct config_json first, second;
	if (!config_json_init(&first, text, len)) {
		must_be_reason(first.reason);
		buf_finish(&first.text);
		return;
	}
	if (config_json_set(&first, path, value, false) &&
	    config_json_set_element(&first, hooks, "muxbus", value)) {
		must(config_json_init(&second, (char *)first.text.data, first.text.len));
		must(config_json_set(&second, path, value, false) &&
		    config_json_set_element(&second, hooks, "muxbus", value));
		must(first.text.len == second.text.len &&
		    memcmp(first.text.data, second.text.data, first.text.len) == 0);
		must(config_json_remove(&second, path) &&
		    config_json_remove_elements(&second, hooks, "muxbus"));
		buf_finish(&second.text);
	}
	buf_finish(&first.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	size_t len = size - 1;
	if (size < 1 || size > INPUT_MAX)
		return 0;
	tables_register(); /* a declaration must not take the name of a method */
	log_open(2, "fuzz", LOG_LEVEL_ERROR); /* warnings are expected */
	text = malloc(size);
	memcpy(text, data + 1, len);
	text[len] = '\0';
	switch (data[0] % 8) {
	case 0:
		try_declaration(text, len);
		break;
	case 1:
		try_parameters(data + 1, len);
		break;
	case 2:
		try_hosts(text);
		break;
	case 3:
		try_limits(text);
		break;
	case 4:
		try_job(text, len);
		break;
	case 5:
		try_signs(text, len);
		break;
	case 6:
		try_toml(text, len);
		break;
	default:
		try_json(text, len);
		break;
	}
	free(text);
	return 0;
}
