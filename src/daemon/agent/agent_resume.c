/* SPDX-License-Identifier: ISC */
/* Stores the conversations that agents report, and makes the commands that resume them. */
#include "daemon/agent/agent_private.h"

#include "base/conversation.h"
#include "base/process.h"
#include "daemon/tmux/tmux.h"

#define WORDS_MAX 64 /* a command with fewer words can be changed */

/*
 * Reads the words of the agent's command. text is a copy of its first string, which is split in
 * place if it is a shell command. Returns 0 for too many words, or other shell syntax than words.
 */
static size_t read_words(const struct agent *agent, char *text, const char *words[WORDS_MAX])
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,@%+-= ";
	char *const *command = agent->spec.command;
	size_t count = 0;
	char *rest = NULL;
	if (command[1] == NULL && text[strspn(text, plain)] != '\0')
		return 0;
	if (command[1] == NULL)
		for (char *word = strtok_r(text, " ", &rest); word != NULL && count < WORDS_MAX;
		     word = strtok_r(NULL, " ", &rest))
			words[count++] = word;
	else
		for (; *command != NULL && count < WORDS_MAX; command++)
			words[count++] = *command;
	return count < WORDS_MAX ? count : 0;
}

static const char *kind_of(const char *program)
{
	const char *name = str_last_part(program);
	return conversation_words(name) != NULL ? name : NULL;
}

/* Returns true if all arguments are options or their values: any other may be a task. */
static bool are_options(const char *const *words, size_t count)
{
	for (size_t at = 1; at < count; at++) {
		bool is_value = at > 1 && words[at - 1][0] == '-';
		if (strcmp(words[at], "--") == 0 || strpbrk(words[at], " \t\n") != NULL ||
		    (words[at][0] != '-' && !is_value))
			return false;
	}
	return true;
}

static bool names_one(const char *kind, const char *const *words, size_t count)
{
	for (size_t at = 1; at < count; at++)
		if (conversation_is_named(kind, words[at]))
			return true;
	return false;
}

/*
 * Returns the command that resumes the conversation, or NULL. With NULL, *ret_problem says why, or
 * is NULL if the agent's own command is the right one.
 */
static char **make_command(const struct agent *agent, const char **ret_problem)
{
	char *text = xstrdup(agent->spec.command[0]);
	const char *words[WORDS_MAX], *made[WORDS_MAX + 2];
	size_t count = read_words(agent, text, words), used = 0;
	const char *kind = count > 0 ? kind_of(words[0]) : NULL;
	const char *const *added = kind != NULL ? conversation_words(kind) : NULL;
	bool is_own = kind != NULL && names_one(kind, words, count);
	char **command = NULL;
	*ret_problem = NULL;
	if (kind != NULL && !is_own && agent->conversation == NULL)
		*ret_problem = "its conversation is not known";
	else if (agent->conversation != NULL && !is_own &&
	    (kind == NULL || !are_options(words, count)))
		*ret_problem = "it is not known which command goes on with its conversation";
	if (kind != NULL && !is_own && *ret_problem == NULL) {
		made[used++] = words[0];
		for (; *added != NULL; added++)
			made[used++] = strcmp(*added, "@") == 0 ? agent->conversation : *added;
		for (size_t at = 1; at < count; at++)
			made[used++] = words[at];
		command = agent_strings_copy(made, used);
	}
	mem_free(text);
	return command;
}

char **agent_resume_command(const struct agent *agent)
{
	const char *problem;
	return make_command(agent, &problem);
}

const char *agent_resume_problem(const struct agent *agent)
{
	const char *problem;
	mem_free_strings(make_command(agent, &problem));
	return problem;
}

bool agent_resume_is_needed(const struct agent *agent)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux_sync(agent->set->parts->tmux), &info);
	return agent->pane.pane != MUXBUS_NO_ID &&
	    (agent->pane.server_pid != info.pid ||
		agent->pane.server_start != process_start_ticks(info.pid));
}

void agent_resume_describe(const struct agent *agent, char *out, size_t size)
{
	const char *problem = agent_resume_problem(agent);
	(void)snprintf(out, size, "its tmux server has ended%s%s", problem != NULL ? ": " : "",
	    problem != NULL ? problem : "");
}

static void on_reported(struct presence_listener *listener, const struct pane_ref *pane)
{
	struct agent_set *set = list_entry(listener, struct agent_set, reports);
	const struct presence *presence = presence_of_pane(set->parts->presences, pane);
	const struct agent *found = agent_of_pane(set, pane->pane);
	struct agent *agent = found != NULL ? agent_get(set, found->spec.name) : NULL;
	if (agent == NULL || agent->is_adopted || presence == NULL ||
	    presence->session[0] == '\0' ||
	    (agent->conversation != NULL && strcmp(agent->conversation, presence->session) == 0))
		return;
	mem_free(agent->conversation);
	agent->conversation = xstrdup(presence->session);
	agent_store(agent);
}

void agent_resume_listen(struct agent_set *set)
{
	set->reports.reported = on_reported;
	presence_listen(set->parts->presences, &set->reports);
}
