/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for agents: those installed, and whether they know muxbus. */
#include "cli/doctor_agents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/program.h"

#define FILE_MAX ((size_t)4 * 1024 * 1024) /* of a configuration that is searched */
#define FILES_MAX 4

struct agent {
	const char *program;
	/*
	 * Below the home directory. One file that mentions muxbus is enough; the name of a
	 * directory counts too.
	 */
	const char *files[FILES_MAX];
};

/* Keep alphabetized. */
static const struct agent agents[] = {
    {"claude", {".claude.json", ".claude/settings.json", ".claude/plugins/installed_plugins.json"}},
    {"codex", {".codex/config.toml"}},
    {"copilot", {".copilot/mcp-config.json"}},
    {"gemini", {".gemini/extensions/muxbus/gemini-extension.json", ".gemini/settings.json"}},
    {"opencode", {".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}},
};

/* Whether a file contains the word. */
static bool mentions_muxbus(const char *path)
{
	struct buf text;
	bool is_found = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	buf_init(&text, FILE_MAX);
	for (;;) {
		ssize_t n;
		if (buf_reserve(&text, 65536) < 0)
			break; /* the beginning is enough */
		n = read(fd, text.data + text.len, 65536);
		if (n <= 0)
			break;
		text.len += (size_t)n;
	}
	(void)close(fd); /* only read */
	if (text.len > 0)
		is_found = memmem(text.data, text.len, "muxbus", 6) != NULL;
	buf_finish(&text);
	return is_found;
}

static void find_agent(struct doctor_report *report, const struct agent *agent, const char *home)
{
	char program[PATH_MAX], path[PATH_MAX], remedy[64];
	bool is_installed = program_find_in_path(agent->program, program, sizeof program);
	for (size_t i = 0; i < FILES_MAX && agent->files[i] != NULL; i++) {
		int len = snprintf(path, sizeof path, "%s/%s", home, agent->files[i]);
		if (len < 0 || (size_t)len >= sizeof path || !mentions_muxbus(path))
			continue;
		doctor_find(report, FINDING_GOOD, agent->program, NULL, "knows muxbus: %s", path);
		return;
	}
	if (!is_installed)
		return;
	(void)snprintf(remedy, sizeof remedy, "muxbus setup %s", agent->program);
	doctor_find(report, FINDING_NOTE, agent->program, remedy,
	    "is installed (%s), and does not know muxbus", program);
}

void doctor_agents(struct doctor_report *report)
{
	const char *home = getenv("HOME");
	if (home == NULL || *home != '/')
		return;
	for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
		find_agent(report, &agents[i], home);
}
