/* SPDX-License-Identifier: ISC */
/* The programs of restored panes. */
#include "cli/verbs/restore_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/program.h"
#include "wire/json.h"

#define AGENT_WORDS_MAX 4

/* The command that goes on with a conversation: its id takes the place of "@". */
static const struct resume {
	const char *agent;
	const char *words[AGENT_WORDS_MAX];
} resumes[] = {
    {"claude", {"claude", "--resume", "@"}},
    {"codex", {"codex", "resume", "@"}},
    {"copilot", {"copilot", "--resume", "@"}},
    {"gemini", {"gemini", "--resume", "@"}},
    {"opencode", {"opencode", "--session", "@"}},
};

static const char agent_script[] = "trap : INT; \"$@\"; trap - INT; exec \"${SHELL:-/bin/sh}\"";
static const char note_script[] = "printf '%s\\n' \"$1\"; exec \"${SHELL:-/bin/sh}\"";

static const struct resume *find_resume(const char *agent)
{
	for (size_t i = 0; i < sizeof resumes / sizeof *resumes; i++)
		if (strcmp(resumes[i].agent, agent) == 0)
			return &resumes[i];
	return NULL;
}

/* How the agent of a pane goes on; NULL: its conversation or its program is not known. */
static const struct resume *resume_of(const struct json *pane)
{
	char path[PATH_MAX];
	const struct resume *resume = find_resume(json_get_str(pane, "agent", ""));
	const char *conversation = json_get_str(pane, "conversation", "");
	if (resume == NULL || *conversation == '\0' || *conversation == '-' ||
	    !program_find_in_path(resume->words[0], path, sizeof path))
		return NULL;
	return resume;
}

bool restore_can_resume(const struct json *pane)
{
	return resume_of(pane) != NULL;
}

static void put_script(struct json_writer *writer, const char *script)
{
	json_array_begin(writer, "command");
	json_put_str(writer, NULL, "/bin/sh");
	json_put_str(writer, NULL, "-c");
	json_put_str(writer, NULL, script);
	json_put_str(writer, NULL, "sh");
}

void restore_put_program(struct json_writer *writer, const struct json *pane)
{
	const struct resume *resume = resume_of(pane);
	const char *agent = json_get_str(pane, "agent", NULL);
	const char *conversation = json_get_str(pane, "conversation", NULL);
	char note[512];
	if (agent == NULL)
		return;
	put_script(writer, resume != NULL ? agent_script : note_script);
	for (size_t i = 0; resume != NULL && resume->words[i] != NULL; i++)
		json_put_str(writer, NULL,
		    strcmp(resume->words[i], "@") == 0 ? conversation : resume->words[i]);
	(void)snprintf(note, sizeof note,
	    "muxbus: %.64s was here; %s%.128s, so it was not started again", agent,
	    conversation == NULL ? "its conversation is not known" : "it cannot go on with ",
	    conversation == NULL ? "" : conversation);
	if (resume == NULL)
		json_put_str(writer, NULL, note);
	json_array_end(writer);
}
