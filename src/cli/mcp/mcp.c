/* SPDX-License-Identifier: ISC */
/* muxbus mcp: the MCP server that agents configure, on standard input and output. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "cli/catalog.h"
#include "cli/mcp/bridge.h"
#include "cli/option.h"
#include "cli/own_pane.h"
#include "cli/verbs.h"
#include "wire/json.h"

#define HELLO_MAX ((size_t)64 * 1024)
#define ANCESTORS_MAX 32
#define NAMES_MAX 1000 /* groups and methods */

struct options {
	const char *tools; /* words with commas; NULL: not given */
	bool is_legacy;
	bool starts_nothing; /* no daemon */
};

/* Agents and the variables that contain their session. */
static const struct {
	const char *agent;
	const char *mark; /* only this agent sets it */
	const char *session; /* NULL: the session is unknown */
} agents[] = {
    {"claude", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"},
    {"copilot", "COPILOT_AGENT_SESSION_ID", "COPILOT_AGENT_SESSION_ID"},
    {"gemini", "GEMINI_CLI", NULL},
    {"opencode", "OPENCODE", NULL},
};

static const char *variable(const char *name)
{
	const char *value = name != NULL ? getenv(name) : NULL;
	return value != NULL && *value ? value : NULL;
}

/* Begins a notification; the writer is then in its params. */
static void begin_notice(struct json_writer *writer, const char *method)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_str(writer, "method", method);
	json_object_begin(writer, "params");
}

static void end_notice(struct json_writer *writer)
{
	json_object_end(writer);
	json_object_end(writer);
	json_end_line(writer);
}

/* The name and parent of a process; false if it cannot be read. */
static bool read_process(pid_t pid, char name[64], pid_t *ret_parent)
{
	char path[64], stat[512];
	char *begin, *end;
	int parent, fd;
	ssize_t n;
	(void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, stat, sizeof stat - 1);
	if (fd >= 0)
		(void)close(fd); /* only read */
	if (n <= 0)
		return false;
	stat[n] = '\0';
	/* "pid (name) state parent ..."; the name may contain parentheses. */
	begin = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (begin == NULL || end == NULL || end < begin || sscanf(end + 1, " %*c %d", &parent) != 1)
		return false;
	(void)snprintf(name, 64, "%.*s", (int)(end - begin - 1), begin + 1);
	*ret_parent = parent;
	return true;
}

/*
 * Codex runs the children of all its windows under one process. Its environment names the pane
 * where that process was started, which is not always ours.
 */
static bool is_under_codex(void)
{
	pid_t pid = getppid();
	char name[64];
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (!read_process(pid, name, &pid))
			return false;
		if (strncmp(name, "codex", strlen("codex")) == 0)
			return true;
	}
	return false;
}

/*
 * Passes on the few variables that the daemon cannot find out; nothing else of the environment
 * leaves this process.
 */
static void write_greeting(const struct cli *cli, const struct options *options, struct buf *out)
{
	struct json_writer writer;
	char pane[16];
	bool has_pane = own_pane(cli, pane, sizeof pane) && !is_under_codex();
	json_writer_init(&writer, out);
	if (has_pane || options->tools != NULL) {
		begin_notice(&writer, "notifications/muxbus/hello");
		if (options->tools != NULL)
			json_put_str(&writer, "tools", options->tools);
		if (has_pane)
			json_put_str(&writer, "pane", pane);
		end_notice(&writer);
	}
	for (size_t i = 0; has_pane && i < sizeof agents / sizeof *agents; i++) {
		if (variable(agents[i].mark) == NULL)
			continue;
		begin_notice(&writer, "report_agent");
		json_put_str(&writer, "agent", agents[i].agent);
		json_put_str(&writer, "pane", pane);
		if (variable(agents[i].session) != NULL)
			json_put_str(&writer, "session", variable(agents[i].session));
		end_notice(&writer);
		break; /* an agent inside another has both marks: unknown */
	}
}

static const struct option_row option_rows[] = {
    {"legacy", 0, OPTION_FLAG, offsetof(struct options, is_legacy), NULL},
    {"no-start", 0, OPTION_FLAG, offsetof(struct options, starts_nothing), NULL},
    {"tools", 0, OPTION_TEXT, offsetof(struct options, tools), NULL},
    {0},
};

static void collect_names(const struct json *object, const char **names, size_t *count)
{
	for (const struct json *m = object != NULL ? object->child : NULL;
	     m != NULL && *count < NAMES_MAX; m = m->next)
		names[(*count)++] = m->name;
}

static bool is_known(const char *const *names, const char *word)
{
	for (; *names != NULL; names++)
		if (strcmp(*names, word) == 0)
			return true;
	return false;
}

/*
 * Checks the words of --tools against the groups and methods of muxbusd. Without its tables
 * nothing is refused here: the list of tools is then answered with the reason.
 */
static bool check_tools(const struct cli *cli, const char *tools)
{
	char reason[512], *words = xstrdup(tools), *rest = words;
	const char *names[NAMES_MAX + 1] = {"all", "default"};
	struct catalog *catalog = catalog_open(cli, reason, sizeof reason);
	size_t count = 2;
	bool is_good = true;
	if (catalog != NULL) {
		const struct json *tables = catalog_tables(catalog);
		collect_names(json_member(tables, "groups"), names, &count);
		collect_names(json_member(tables, "methods"), names, &count);
	}
	for (char *word; catalog != NULL && is_good && (word = strsep(&rest, ",")) != NULL;) {
		const char *nearest = str_nearest(word, names);
		is_good = *word == '\0' || is_known(names, word);
		if (!is_good)
			(void)cli_usage("mcp", "--tools: there is no group or tool \"%s\"%s%s%s",
			    word, nearest != NULL ? "; did you mean \"" : "",
			    nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
	}
	catalog_close(catalog);
	mem_free(words);
	return is_good;
}

enum cli_status mcp_run(struct cli *cli, int argc, char **argv)
{
	struct options options = {0};
	struct buf greeting;
	struct mcp_replay_config config;
	enum cli_status status;
	if (!option_read(cli, argc, argv, option_rows, &options, NULL, &status))
		return status;
	if (cli->is_terminal && isatty(STDIN_FILENO))
		return cli_usage("mcp",
		    "agents run this: it speaks MCP on standard input and output. "
		    "`muxbus "
		    "setup` tells an agent of it");
	if (options.tools != NULL && !check_tools(cli, options.tools))
		return CLI_USAGE;
	log_open(STDERR_FILENO, "muxbus", LOG_LEVEL_WARNING);
	buf_init(&greeting, HELLO_MAX);
	write_greeting(cli, &options, &greeting);
	config = (struct mcp_replay_config){
	    .greeting = (const char *)greeting.data, .is_legacy = options.is_legacy};
	status = bridge_run(cli, &config, !options.starts_nothing);
	buf_finish(&greeting);
	return status;
}
