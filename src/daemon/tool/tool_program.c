/* SPDX-License-Identifier: ISC */
#include "daemon/tool/tool_program.h"

#include <glob.h>

#include "base/file.h"
#include "wire/address.h"

static bool join(char *out, size_t size, const char *dir, const char *name)
{
	int len = snprintf(out, size, "%s/%s", dir, name);
	return len > 0 && (size_t)len < size && file_is_program(out);
}

static bool find_data(const char *name, char *out, size_t size)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = address_home();
	char dir[PATH_MAX];
	if (data != NULL && data[0] == '/')
		(void)snprintf(dir, sizeof dir, "%s/muxbus", data);
	else
		(void)snprintf(dir, sizeof dir, "%s/.local/share/muxbus", home != NULL ? home : "");
	return join(out, size, dir, name);
}

static bool is_prefixed(const char *word, const char *prefix)
{
	return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool find_file(const char *pattern, char *out, size_t size)
{
	glob_t found;
	bool is_there = glob(pattern, 0, NULL, &found) == 0 &&
	    (size_t)snprintf(out, size, "%s", found.gl_pathv[0]) < size;
	globfree(&found);
	return is_there;
}

bool tool_program_find(const char *word, const char *dir, const char *path, char *out, size_t size)
{
	if (word[0] == '/')
		return (size_t)snprintf(out, size, "%s", word) < size && file_is_program(out);
	if (is_prefixed(word, TOOL_PROGRAM_FILE))
		return find_file(word + strlen(TOOL_PROGRAM_FILE), out, size);
	if (tool_program_is_data(word))
		return find_data(word + strlen(TOOL_PROGRAM_DATA), out, size);
	if (strncmp(word, "./", 2) == 0)
		return join(out, size, dir, word + 2);
	return file_find_program(word, path, out, size);
}

bool tool_program_is_data(const char *word)
{
	return is_prefixed(word, TOOL_PROGRAM_DATA);
}

const char *tool_program_shown(const char *word)
{
	if (is_prefixed(word, TOOL_PROGRAM_FILE))
		return word + strlen(TOOL_PROGRAM_FILE);
	return word + (tool_program_is_data(word) ? strlen(TOOL_PROGRAM_DATA) : 0);
}

const char *tool_program_variable(const char *const *env, const char *name)
{
	size_t len = strlen(name);
	for (; *env != NULL; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
{
	va_list args;
	ret_failure->error = error;
	va_start(args, format);
	(void)vsnprintf(ret_failure->text, sizeof ret_failure->text, format, args);
	va_end(args);
	return false;
}
