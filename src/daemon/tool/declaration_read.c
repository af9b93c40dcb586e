/* SPDX-License-Identifier: ISC */
/* Reads and checks the members of a declaration, one after the other. */
#include "daemon/tool/declaration.h"

#include "daemon/server/method.h"
#include "daemon/tool/tool_program.h"

#define DESCRIPTION_MAX 4000
#define WORD_MAX 4096

struct declared_members {
	struct declaration_names names;
	const char *tool, *answer;
	const struct json *parameters, *result, *server, *renames, *programs;
	struct field_strings run;
	int64_t timeout_sec;
	bool is_read_only, is_listed, has_answer;
};

#define MEMBER(row_name, row_type, member) \
	.name = (row_name), .type = (row_type), .offset = offsetof(struct declared_members, member)

static const struct field member_fields[] = {
    {MEMBER("name", FIELD_STRING, names.name), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {MEMBER("also", FIELD_STRINGS, names.also), .min = 0, .max = DECLARATION_ALSO_MAX},
    {MEMBER("answer", FIELD_STRING, answer), .preset = "\"text\"",
	.given_offset = offsetof(struct declared_members, has_answer)},
    {MEMBER("arguments", FIELD_STRING_MAP, renames)},
    {MEMBER("description", FIELD_STRING, names.description), .flags = FIELD_REQUIRED, .min = 1,
	.max = DESCRIPTION_MAX},
    {MEMBER("group", FIELD_STRING, names.group), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {MEMBER("listed", FIELD_BOOL, is_listed), .preset = "true"},
    {MEMBER("parameters", FIELD_VALUE, parameters)},
    {MEMBER("programs", FIELD_VALUE, programs)},
    {MEMBER("read_only", FIELD_BOOL, is_read_only)},
    {MEMBER("result", FIELD_VALUE, result)},
    {MEMBER("run", FIELD_STRINGS, run), .min = 1, .max = DECLARATION_WORDS_MAX},
    {MEMBER("server", FIELD_VALUE, server)},
    {MEMBER("timeout_sec", FIELD_INT, timeout_sec), .unit = "s", .min = 1,
	.max = DECLARATION_TIMEOUT_SEC_MAX, .preset = "30"},
    {MEMBER("title", FIELD_STRING, names.title), .min = 1, .max = 200},
    {MEMBER("tool", FIELD_STRING, tool), .min = 1, .max = 200},
    {.name = NULL},
};

enum server_scope { PER_DAEMON, PER_PANE };

static const char *const scope_choices[] = {"daemon", "pane", NULL};

struct server_members {
	const char *name;
	struct field_strings command, env;
	int scope;
	int64_t idle_sec;
};

static const struct field server_fields[] = {
    {FIELD_ROW(STRING, struct server_members, name, "name"), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {FIELD_ROW(STRINGS, struct server_members, command, "command"), .flags = FIELD_REQUIRED,
	.min = 1, .max = DECLARATION_WORDS_MAX},
    {FIELD_ROW(STRINGS, struct server_members, env, "env"), .min = 1, .max = DECLARATION_ENV_MAX},
    {FIELD_ROW(INT, struct server_members, idle_sec, "idle_sec"), .unit = "s", .min = 1,
	.max = 86400, .preset = "600"},
    {FIELD_ROW(CHOICE, struct server_members, scope, "per"), .choices = scope_choices,
	.preset = "\"pane\""},
    {.name = NULL},
};

/* Checks a command. Its program is absolute, "./NAME" beside the declaration, or a name in PATH. */
static bool check_command(const char *member, const struct field_strings *words, char *ret_reason)
{
	const char *program = words->strings[0];
	bool is_beside = strncmp(program, "./", 2) == 0;
	for (size_t at = 0; at < words->count; at++)
		if (strlen(words->strings[at]) > WORD_MAX)
			return declaration_refuse(
			    ret_reason, "%s: a word is longer than %d bytes", member, WORD_MAX);
	if (program[0] == '/' || (program[0] != '\0' && strchr(program, '/') == NULL))
		return true;
	if (is_beside && program[2] != '\0' && strchr(program + 2, '/') == NULL)
		return true;
	return declaration_refuse(ret_reason,
	    "%s: the program must be an absolute path, \"./NAME\" beside the declaration, or a "
	    "name that is looked for in PATH",
	    member);
}

/* Sets the kind of answer: "text", "json", or a kind of image as "image/png". */
static bool set_answer(
    struct declaration *declaration, const struct declared_members *members, char *ret_reason)
{
	const char *answer = members->answer;
	if (strcmp(answer, "text") == 0)
		declaration->answer = DECLARATION_TEXT;
	else if (strcmp(answer, "json") == 0)
		declaration->answer = DECLARATION_JSON;
	else if (strncmp(answer, "image/", 6) == 0 && answer[6] != '\0' &&
	    strspn(answer + 6, "abcdefghijklmnopqrstuvwxyz0123456789.+-*") == strlen(answer + 6))
		declaration->answer = DECLARATION_IMAGE;
	else
		return declaration_refuse(ret_reason,
		    "answer: must be \"text\", \"json\" or a kind of image such as \"image/png\"");
	if (declaration->answer == DECLARATION_IMAGE)
		declaration->image_type = declaration_copy(declaration, answer);
	if (declaration->answer == DECLARATION_IMAGE && members->result != NULL)
		return declaration_refuse(ret_reason, "result: an image has no schema");
	return true;
}

/* Reads the member arguments: the tool server's names of parameters, and ours. */
static bool set_renames(
    struct declaration *declaration, const struct json *renames, char *ret_reason)
{
	struct declaration_rename *rows;
	size_t at = 0;
	if (renames == NULL)
		return true;
	rows = declaration_own(declaration, xcalloc(renames->count + 1, sizeof *rows));
	json_each_member (row, renames) {
		const struct field *field = declaration->fields;
		while (field->name != NULL && strcmp(field->name, row->text) != 0)
			field++;
		if (field->name == NULL)
			return declaration_refuse(ret_reason,
			    "arguments.%.64s: there is no parameter \"%.64s\"", row->name,
			    row->text);
		rows[at++] = (struct declaration_rename){
		    declaration_copy(declaration, row->name), field->name};
	}
	declaration->server.renames = rows;
	return true;
}

static bool set_server(
    struct declaration *declaration, const struct declared_members *members, char *ret_reason)
{
	struct declaration_server *server = &declaration->server;
	struct server_members read;
	struct field_error error;
	struct buf scratch;
	bool is_good;
	if (members->server->type != JSON_OBJECT)
		return declaration_refuse(ret_reason, "server: must be an object, not %s",
		    json_type_name(members->server->type));
	if (members->has_answer)
		return declaration_refuse(
		    ret_reason, "answer: is for run; a server says what each answer is");
	buf_init(&scratch, DECLARATION_BYTES_MAX);
	is_good =
	    field_read(server_fields, members->server, &read, sizeof read, &scratch, &error) == 0 ||
	    declaration_refuse(ret_reason, "server.%s", error.text);
	for (size_t at = 0; is_good && at < read.env.count; at++)
		is_good = declaration_is_name(read.env.strings[at]) ||
		    declaration_refuse(ret_reason, "server.env: must be names of variables");
	if (is_good && declaration_check_name("server.name", read.name, ret_reason) &&
	    check_command("server.command", &read.command, ret_reason)) {
		*server = (struct declaration_server){
		    .name = declaration_copy(declaration, read.name),
		    .command = declaration_copy_list(
			declaration, read.command.strings, read.command.count),
		    .is_per_daemon = read.scope == PER_DAEMON,
		    .env = read.env.is_given
			? declaration_copy_list(declaration, read.env.strings, read.env.count)
			: NULL,
		    .idle_ms = read.idle_sec * 1000,
		    .tool = declaration_copy(
			declaration, members->tool != NULL ? members->tool : members->names.name),
		};
	} else {
		is_good = false;
	}
	buf_finish(&scratch);
	return is_good && set_renames(declaration, members->renames, ret_reason);
}

static bool set_program(
    struct declaration *declaration, const struct declared_members *members, char *ret_reason)
{
	if (members->run.is_given && members->server != NULL)
		return declaration_refuse(
		    ret_reason, "run: must be left out beside server: a tool has one of both");
	if (members->server != NULL)
		return set_server(declaration, members, ret_reason);
	if (!members->run.is_given)
		return declaration_refuse(ret_reason, "run: is required, or server");
	if (members->tool != NULL || members->renames != NULL)
		return declaration_refuse(ret_reason, "%s: is for tools of a server",
		    members->tool != NULL ? "tool" : "arguments");
	if (!check_command("run", &members->run, ret_reason))
		return false;
	declaration->run =
	    declaration_copy_list(declaration, members->run.strings, members->run.count);
	return true;
}

/* Reads a needed program: a name, or an array of alternatives. Returns NULL if it is neither. */
static const char *const *read_need(struct declaration *declaration, const struct json *value)
{
	const struct json *name = value->type == JSON_ARRAY ? value->child : value;
	const char **names;
	size_t at = 0;
	if (name == NULL || (value->type == JSON_ARRAY && value->count > DECLARATION_PROGRAMS_MAX))
		return NULL;
	names = declaration_own(declaration, xcalloc(DECLARATION_PROGRAMS_MAX + 1, sizeof *names));
	for (; name != NULL; name = value->type == JSON_ARRAY ? name->next : NULL) {
		if (name->type != JSON_STRING || name->len == 0 ||
		    (name->text[0] != '/' && tool_program_shown(name->text) == name->text &&
			strchr(name->text, '/') != NULL))
			return NULL;
		names[at++] = declaration_copy(declaration, name->text);
	}
	return names;
}

static bool set_needs(
    struct declaration *declaration, const struct json *programs, char *ret_reason)
{
	const char *const **needs;
	size_t at = 0;
	if (programs == NULL)
		return true;
	if (programs->type != JSON_ARRAY || programs->count > DECLARATION_PROGRAMS_MAX)
		return declaration_refuse(ret_reason, "programs: must be an array of at most %d",
		    DECLARATION_PROGRAMS_MAX);
	needs = declaration_own(declaration, xcalloc(programs->count + 1, sizeof *needs));
	json_each (value, programs) {
		needs[at] = read_need(declaration, value);
		if (needs[at++] == NULL)
			return declaration_refuse(ret_reason,
			    "programs: each must be the name of a program, or an array of 1 to %d "
			    "names of which one is enough",
			    DECLARATION_PROGRAMS_MAX);
	}
	declaration->programs = needs;
	return true;
}

static bool fill(
    struct declaration *declaration, const struct declared_members *members, char *ret_reason)
{
	if (method_is_built_in(members->names.name))
		return declaration_refuse(ret_reason,
		    "name: \"%s\" is a method of muxbusd, which no declaration replaces",
		    members->names.name);
	declaration->timeout_ms = members->timeout_sec * 1000;
	declaration->is_read_only = members->is_read_only;
	declaration->is_listed = members->is_listed;
	return declaration_set_names(declaration, &members->names, ret_reason) &&
	    set_answer(declaration, members, ret_reason) &&
	    declaration_read_parameters(declaration, members->parameters, ret_reason) &&
	    declaration_read_result(declaration, members->result, ret_reason) &&
	    set_program(declaration, members, ret_reason) &&
	    set_needs(declaration, members->programs, ret_reason);
}

struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE])
{
	struct declaration *declaration;
	struct json_error json_error;
	struct field_error error;
	struct declared_members members;
	const struct json *value;
	struct buf scratch;
	bool is_good;
	if (len > DECLARATION_BYTES_MAX) {
		(void)declaration_refuse(
		    ret_reason, "the file has more than %zu bytes", DECLARATION_BYTES_MAX);
		return NULL;
	}
	value = json_read(reader, text, len, &json_error);
	if (value == NULL || value->type != JSON_OBJECT) {
		(void)declaration_refuse(ret_reason, "not a JSON object: %s",
		    value == NULL ? json_error.text : json_type_name(value->type));
		return NULL;
	}
	declaration = xcalloc(1, sizeof *declaration);
	buf_init(&scratch, 2 * DECLARATION_BYTES_MAX);
	is_good =
	    field_read(member_fields, value, &members, sizeof members, &scratch, &error) == 0 ||
	    declaration_refuse(ret_reason, "%s", error.text);
	is_good = is_good && fill(declaration, &members, ret_reason);
	buf_finish(&scratch);
	if (is_good)
		return declaration;
	declaration_free(declaration);
	return NULL;
}
