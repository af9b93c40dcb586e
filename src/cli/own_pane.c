/* SPDX-License-Identifier: ISC */
/* The pane that this program was started in. */
#include "cli/own_pane.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

/* Whether two paths name the same socket. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;
	return strcmp(one, other) == 0 ||
	    (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino);
}

bool own_pane(const struct cli *cli, char *out, size_t size)
{
	const char *tmux = getenv("TMUX"), *pane = getenv("TMUX_PANE");
	char path[PATH_MAX];
	uint32_t id;
	size_t len;
	if (tmux == NULL || pane == NULL || !str_parse_id(pane, strlen(pane), '%', &id))
		return false;
	len = strcspn(tmux, ",");
	if (len >= sizeof path)
		return false;
	memcpy(path, tmux, len);
	path[len] = '\0';
	return is_same(path, cli->tmux_socket) &&
	    (size_t)snprintf(out, size, "%%%u", (unsigned)id) < size;
}
