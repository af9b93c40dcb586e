/* SPDX-License-Identifier: ISC */
/* The grant. */
#include "nats/grant.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/xalloc.h"

enum {
	WORDS_MAX = 64,
	METHODS_MAX = 1024,
	METHOD_NAME_MAX = 64,
};

static const char *const effects[] = {
    "reads", "sees", "types", "runs", "closes", "speaks_for", "writes", "administers", NULL};

struct rule {
	char name[METHOD_NAME_MAX + 1];
	unsigned effects; /* a bit for each row of the table */
	bool is_known; /* all of its effects are in the table */
};

struct grant {
	char *allowed;
	char *words[WORDS_MAX]; /* patterns of methods */
	size_t words_count;
	unsigned effects;
	struct rule *rules; /* sorted by name */
	size_t rules_count;
};

/* The bit of an effect; 0: there is none of that name. */
static unsigned effect_bit(const char *name)
{
	for (unsigned at = 0; effects[at] != NULL; at++) {
		if (strcmp(effects[at], name) == 0)
			return 1U << at;
	}
	return 0;
}

struct grant *grant_new(const char *allowed, char *ret_reason, size_t size)
{
	static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_*?";
	struct grant *grant = xcalloc(1, sizeof *grant);
	char *rest, *word;
	grant->allowed = rest = xstrdup(allowed);
	while ((word = strsep(&rest, ",")) != NULL) {
		unsigned bit = effect_bit(word);
		grant->effects |= bit;
		if (bit != 0 || *word == '\0')
			continue;
		if (word[strspn(word, characters)] != '\0' || grant->words_count == WORDS_MAX) {
			(void)str_refuse(ret_reason, size,
			    "\"%.80s\" is no effect and no pattern of methods", word);
			grant_free(grant);
			return NULL;
		}
		grant->words[grant->words_count++] = word;
	}
	return grant;
}

void grant_free(struct grant *grant)
{
	if (grant == NULL)
		return;
	mem_free(grant->rules);
	mem_free(grant->allowed);
	mem_free(grant);
}

static int compare_rules(const void *one, const void *other)
{
	return strcmp(((const struct rule *)one)->name, ((const struct rule *)other)->name);
}

void grant_learn(struct grant *grant, const struct json *methods)
{
	size_t count =
	    methods != NULL && methods->count < METHODS_MAX ? methods->count : METHODS_MAX;
	mem_free(grant->rules);
	grant->rules = xcalloc(count + 1, sizeof *grant->rules);
	grant->rules_count = 0;
	for (const struct json *method = methods != NULL ? methods->child : NULL;
	     method != NULL && grant->rules_count < count; method = method->next) {
		const struct json *list = json_member(method, "effects");
		struct rule *rule = &grant->rules[grant->rules_count];
		if (list == NULL || method->name_len > METHOD_NAME_MAX)
			continue;
		*rule = (struct rule){.is_known = list->count > 0};
		(void)snprintf(rule->name, sizeof rule->name, "%s", method->name);
		json_each (effect, list) {
			unsigned bit = effect->type == JSON_STRING ? effect_bit(effect->text) : 0;
			rule->effects |= bit;
			rule->is_known &= bit != 0;
		}
		grant->rules_count++;
	}
	qsort(grant->rules, grant->rules_count, sizeof *grant->rules, compare_rules);
}

bool grant_is_ready(const struct grant *grant)
{
	return grant->rules_count > 0;
}

/* "runs, types" of those that are not allowed. */
static void list_missing(unsigned missing, char *out, size_t size)
{
	size_t len = 0;
	out[0] = '\0';
	for (unsigned at = 0; effects[at] != NULL && len < size; at++) {
		if (missing & 1U << at)
			len += (size_t)snprintf(
			    out + len, size - len, "%s%s", len > 0 ? ", " : "", effects[at]);
	}
}

/* Events have no way back through a request. */
static bool needs_connection(const char *method)
{
	return strcmp(method, "subscribe") == 0 || strcmp(method, "unsubscribe") == 0;
}

enum grant_answer grant_check(
    const struct grant *grant, const char *method, char *ret_reason, size_t size)
{
	struct rule key = {.effects = 0};
	const struct rule *rule;
	char missing[128];
	(void)snprintf(key.name, sizeof key.name, "%s", method);
	rule = strlen(method) > METHOD_NAME_MAX
	    ? NULL
	    : bsearch(&key, grant->rules, grant->rules_count, sizeof key, compare_rules);
	if (rule == NULL) {
		(void)str_refuse(ret_reason, size, "there is no method \"%.64s\"", method);
		return GRANT_UNKNOWN;
	}
	if (needs_connection(method)) {
		(void)str_refuse(ret_reason, size,
		    "%s needs a connection of its own: the events are in the stream", method);
		return GRANT_REFUSED;
	}
	for (size_t at = 0; at < grant->words_count; at++) {
		if (fnmatch(grant->words[at], method, 0) == 0)
			return GRANT_ALLOWED;
	}
	if (rule->is_known && (rule->effects & ~grant->effects) == 0)
		return GRANT_ALLOWED;
	list_missing(rule->effects & ~grant->effects, missing, sizeof missing);
	(void)str_refuse(ret_reason, size,
	    "%s has effects that are not granted here: %s. The operator of this host grants them "
	    "with muxbus-nats --allow",
	    method, missing);
	return GRANT_REFUSED;
}
