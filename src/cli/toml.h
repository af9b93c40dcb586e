/* SPDX-License-Identifier: ISC */
/*
 * TOML 1.0: the ends of keys and values in a text, and the names that it defines. The text is
 * UTF-8 and ends with a NUL.
 */
#ifndef CLI_TOML_H
#define CLI_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOML_KEY_BYTES 8192 /* of all names of a key */
#define TOML_KEY_NAMES 32
#define TOML_DEPTH_MAX 64 /* of arrays and inline tables in each other */
#define TOML_NAMES_MAX 20000 /* in a text */

/* A dotted key; the names are decoded. */
struct toml_key {
	uint16_t begins[TOML_KEY_NAMES];
	size_t count;
	char text[TOML_KEY_BYTES]; /* the names, each with a NUL */
};

const char *toml_key_name(const struct toml_key *key, size_t index);

/* Reads a dotted key. Returns its end, or 0 if it is wrong, contains a NUL, or is too long. */
size_t toml_key_end(const char *text, size_t at, struct toml_key *ret_key);

/* The end of a value, which may take several lines; 0 if it is wrong. */
size_t toml_value_end(const char *text, size_t at);

/* Whether only white space and a comment follow up to the end of the line. */
bool toml_line_ends(const char *text, size_t at);

/* The names that a text has defined, to find what is defined twice. */
struct toml_names;

struct toml_names *toml_names_new(void);
void toml_names_free(struct toml_names *names);

/* [key], or [[key]]: following pairs belong to it. False if that is no valid definition. */
bool toml_names_header(struct toml_names *names, const struct toml_key *key, bool is_array);

/* key = ... False if that is no valid definition. */
bool toml_names_pair(struct toml_names *names, const struct toml_key *key);

#endif
