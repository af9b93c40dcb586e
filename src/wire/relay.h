/* SPDX-License-Identifier: ISC */
/* muxbus relay over ssh: the words of both commands, the hello line, and causes of failure. */
#pragma once

#include "base/base.h"

#define RELAY_HELLO "muxbus relay " /* begins the hello; protocol and version follow */
#define RELAY_PROTOCOL 1
#define RELAY_LINE_MAX 1024 /* bytes of the hello, or of a line before it */
#define RELAY_NOISE_MAX 1000 /* maximum number of lines before the hello */
#define RELAY_NOISE_REASON "it writes, but muxbus relay says no hello"
#define RELAY_SSH_MAX \
	40 /* maximum number of words: those of the variable $MUXBUS_SSH, and our own options */
#define RELAY_SSH_SIZE 4096 /* bytes of all words of $MUXBUS_SSH */

/*
 * Appends the command for the shell of the other machine: program (NULL: $MUXBUS_REMOTE, else
 * "muxbus"), -L tmux_name and -S tmux_path unless NULL. Returns false if out is full.
 */
bool relay_append_command(
    struct buf *out, const char *program, const char *tmux_name, const char *tmux_path);

/*
 * Writes to argv the words of $MUXBUS_SSH (or "ssh") and options that forward no keys, display or
 * ports. words, of RELAY_SSH_SIZE bytes, gets their text; argv has RELAY_SSH_MAX entries, and gets
 * no NULL. Returns the number of words.
 */
size_t relay_ssh_words(char *words, const char **argv);

/* How ssh has ended before the relay's hello. */
struct relay_end {
	const char *host; /* the destination of ssh */
	const char *how; /* such as "exit status 1" */
	const char *said; /* standard error of ssh, not NUL-terminated */
	size_t said_len;
	const char *noise; /* the last line of output of ssh, by relay_keep_noise(); "" if none */
};

/* Writes in one line why ssh has ended, and what to do if the cause is known. */
void relay_explain(const struct relay_end *end, char *ret_reason, size_t size);

/* Copies a line before the hello, shortened, unless empty: a login shell may say why it fails. */
void relay_keep_noise(const char *line, char noise[STR_SHOWN_SIZE]);

/* Reads a hello. Returns false if the line contains none. */
bool relay_read_hello(
    const char *line, unsigned *ret_protocol, char *ret_version, size_t version_size);

/* Writes that the relay's protocol is not ours, and what to do. */
void relay_refuse(const char *host, const char *far_version, unsigned far_protocol,
    char *ret_reason, size_t size);
