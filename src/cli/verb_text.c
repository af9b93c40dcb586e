/* SPDX-License-Identifier: ISC */
/* The text of muxbus(1) about a verb or a topic. */
#include "cli/verb_text.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	const char *text;
} texts[] = {
#include "verb_text.inc"
};

const char *verb_text(const char *name)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (strcmp(texts[i].name, name) == 0)
			return texts[i].text;
	return NULL;
}
