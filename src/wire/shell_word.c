/* SPDX-License-Identifier: ISC */
#include "wire/shell_word.h"

/* Returns true if all characters need no quotes. A first word with "=" would be an assignment. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:@%+,";
	return *word && word[strspn(word, plain)] == '\0';
}

/* Words that are not the name of a command if they stand first. */
static const char *const reserved[] = {"case", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", NULL};

int shell_word(struct buf *out, const char *word)
{
	int r;
	if (is_plain(word) && !str_is_in(word, reserved))
		return buf_append_str(out, word);
	r = buf_append_byte(out, '\'');
	while (r == 0 && *word) {
		size_t len = strcspn(word, "'");
		r = buf_append(out, word, len);
		word += len;
		if (r == 0 && *word) {
			r = buf_append_str(out, "'\\''");
			word++;
		}
	}
	return r < 0 ? r : buf_append_byte(out, '\'');
}
