/* SPDX-License-Identifier: ISC */
#include "cli/locate.h"

#include <sys/socket.h>

#include "base/file.h"
#include "base/process.h"
#include "client/link.h"
#include "wire/address.h"

#define CONNECT_TIMEOUT_MS 2000 /* for a server that does not answer */

static bool is_socket(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/*
 * Returns $MUXBUS; NULL if it is no absolute path, if -L or -S is given, or if it is inherited. A
 * tmux server that was started in a pane of another server inherits MUXBUS from that pane, and
 * passes it on. $MUXBUS counts as inherited if it is the usual socket beside a tmux socket, and
 * $TMUX names another server. That server must have a daemon; or it must run, and the tmux socket
 * of $MUXBUS must exist.
 */
static const char *environment_socket(const struct cli *cli, const char *own)
{
	const char *socket = getenv("MUXBUS");
	const char *tmux = getenv("TMUX");
	char other[PATH_MAX];
	bool is_inherited;
	if (socket == NULL || *socket != '/' || cli->tmux_name != NULL || cli->tmux_path != NULL)
		return NULL;
	is_inherited = tmux != NULL && *tmux == '/' &&
	    address_without_suffix(other, sizeof other, socket) && strcmp(socket, own) != 0 &&
	    (is_socket(own) || (is_socket(other) && locate_tmux_runs(cli)));
	return is_inherited ? NULL : socket;
}

int locate_daemon(struct cli *cli, const char *socket)
{
	char path[PATH_MAX], *own = cli->socket;
	size_t size = sizeof cli->socket;
	if (file_tmux_socket(own, size, cli->tmux_name, cli->tmux_path) < 0 ||
	    address_server(cli->tmux_socket, sizeof cli->tmux_socket, own) < 0 ||
	    address_socket(own, size, cli->tmux_socket) < 0)
		return -1;
	if (socket != NULL)
		return address_absolute(own, size, socket);
	socket = environment_socket(cli, own);
	if (socket == NULL)
		return 0;
	/* The tmux socket is $MUXBUS without its suffix. */
	if (address_without_suffix(path, sizeof path, socket))
		(void)snprintf(cli->tmux_socket, sizeof cli->tmux_socket, "%s", path);
	return address_absolute(own, size, socket);
}

int locate_fleet(struct cli *cli)
{
	cli->is_fleet = true;
	cli->tmux_socket[0] = '\0';
	return address_fleet(cli->socket, sizeof cli->socket);
}

bool locate_tmux_runs(const struct cli *cli)
{
	int fd = link_connect(cli->tmux_socket, CONNECT_TIMEOUT_MS);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

const char *locate_remedy(const struct cli *cli)
{
	bool is_named = cli->tmux_name != NULL || cli->tmux_path != NULL;
	return cli->has_socket || cli->is_fleet || !is_named || locate_tmux_runs(cli)
	    ? "muxbus start"
	    : "start that tmux server first";
}

static bool is_same(const char *one, const char *other)
{
	struct stat a, b;
	return strcmp(one, other) == 0 ||
	    (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino);
}

/*
 * Returns true if the server in $TMUX has ended: a new server at the same socket may have a pane
 * with our id. Returns false if the pid is unknown, as in another PID namespace.
 */
static bool is_of_ended_server(const char *tmux, const char *socket)
{
	const char *comma = strchr(tmux, ',');
	long pid = comma != NULL ? atol(comma + 1) : 0;
	struct ucred server = {0};
	int fd;
	if (pid <= 0 || !process_has_ended((pid_t)pid))
		return false;
	fd = link_connect(socket, CONNECT_TIMEOUT_MS);
	if (fd < 0)
		return true;
	(void)process_is_peer(fd, &server); /* only the pid of the server is used */
	(void)close(fd);
	return server.pid > 0 && server.pid != pid;
}

bool locate_own_pane(const struct cli *cli, char *out, size_t size)
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
	return is_same(path, cli->tmux_socket) && !is_of_ended_server(tmux, path) &&
	    (size_t)snprintf(out, size, "%%%u", (unsigned)id) < size;
}
