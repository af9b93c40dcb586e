/* SPDX-License-Identifier: ISC */
#include "base/conversation.h"

#include "base/str.h"

enum { WORDS_MAX = 2, OPTIONS_MAX = 6 };

static const struct conversation {
	const char *agent, *words[WORDS_MAX + 1];
	const char *options[OPTIONS_MAX]; /* command lines with one of these get no `words` */
} rows[] = {
    {"claude", {"--resume", "@"}, {"--resume", "-r", "--continue", "-c", "--session-id"}},
    {"codex", {"resume", "@"}, {"resume", "fork", "exec"}},
    {"copilot", {"--resume", "@"}, {"--resume", "--continue"}},
    {"gemini", {"--resume", "@"}, {"--resume", "-r"}},
    {"opencode", {"--session", "@"}, {"--session", "-s", "--continue", "-c"}},
};

const char *const *conversation_words(const char *agent)
{
	const struct conversation *row = str_row(rows, agent);
	return row != NULL ? row->words : NULL;
}

bool conversation_is_named(const char *agent, const char *word)
{
	const struct conversation *row = str_row(rows, agent);
	size_t len = strcspn(word, "=");
	for (size_t i = 0; row != NULL && i < OPTIONS_MAX && row->options[i] != NULL; i++)
		if (strlen(row->options[i]) == len && memcmp(row->options[i], word, len) == 0)
			return true;
	return false;
}
