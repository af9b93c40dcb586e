/* SPDX-License-Identifier: ISC */
/*
 * The cursor of the events: the number of the last event that JetStream has, and the id of the
 * journal that message ids begin with, in a small file. Only one muxbus-nats holds the file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CURSOR_ID_SIZE 17 /* 16 hexadecimal digits and the NUL */

struct cursor;

/* NULL with a reason. A file that is damaged or absent begins a new journal id, at number 0. */
struct cursor *cursor_open(const char *path, char *ret_reason, size_t size);
void cursor_close(struct cursor *cursor); /* keeps what is set; NULL is allowed */

const char *cursor_id(const struct cursor *cursor);
uint64_t cursor_seq(const struct cursor *cursor);
void cursor_set(struct cursor *cursor, uint64_t seq);
/* The daemon began a new journal: a new id, at number 0. */
void cursor_renew(struct cursor *cursor);
/* Writes what was set since the last call, in one system call. */
void cursor_keep(struct cursor *cursor);
