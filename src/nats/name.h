/* SPDX-License-Identifier: ISC */
/* Names in subjects: the fleet, the host and the server, each one token. */
#pragma once

#include "base/base.h"

#define NAME_MAX_BYTES 63 /* of a token */
#define NAME_SIZE (NAME_MAX_BYTES + 1)
#define NAME_SUBJECT_SIZE (5 * NAME_SIZE + 64) /* of any subject made here */

struct names {
	char fleet[NAME_SIZE];
	char host[NAME_SIZE];
	char server[NAME_SIZE];
};

/* Whether a text can be one token of a subject: 1 to 63 characters of A-Z a-z 0-9 _ -. */
bool name_is_token(const char *text);
/* Makes a token of any text: other characters become "-", a longer text is cut. */
void name_make_token(char out[NAME_SIZE], const char *text);
/* The token of this machine: its host name up to the first dot. */
void name_of_host(char out[NAME_SIZE]);
/* The token of a tmux server: the last part of its socket's path, without ".muxbus". */
void name_of_server(char out[NAME_SIZE], const char *socket);

/* "muxbus.FLEET.HOST.SERVER.rest"; kind, another token, follows with a dot unless it is NULL. */
void name_subject(
    char out[NAME_SUBJECT_SIZE], const struct names *names, const char *rest, const char *kind);
