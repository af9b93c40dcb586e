/* SPDX-License-Identifier: ISC */
/* The names in subjects: fleet, host and server; each is one token. */
#pragma once

#include "base/base.h"

#define NAME_MAX_BYTES 63 /* bytes of a token */
#define NAME_SIZE (NAME_MAX_BYTES + 1)
#define NAME_SUBJECT_SIZE (5 * NAME_SIZE + 64) /* bytes of the longest subject made here */

struct names {
	char fleet[NAME_SIZE], host[NAME_SIZE], server[NAME_SIZE];
};

/* Returns true if the text can be a token of a subject: 1 to NAME_MAX_BYTES of A-Z a-z 0-9 _ -. */
bool name_is_token(const char *text);
/* Makes a token from any text: replaces other characters by "-" and cuts a longer text. */
void name_make_token(char out[NAME_SIZE], const char *text);
/* Makes the token of this host: its name up to the first dot, or "localhost". */
void name_of_host(char out[NAME_SIZE]);
/* Makes the token of a tmux server: the file name of its socket, without ".muxbus". */
void name_of_server(char out[NAME_SIZE], const char *socket);

/* Writes "muxbus.FLEET.HOST.SERVER.rest", and ".kind" unless kind is NULL. */
void name_subject(
    char out[NAME_SUBJECT_SIZE], const struct names *names, const char *rest, const char *kind);
