/* SPDX-License-Identifier: ISC */
/* The fleet: its parts. */
#include "daemon/fleet/fleet_role.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/core/state_dir.h"
#include "daemon/fleet/fleet_hosts.h"
#include "daemon/fleet/fleet_route.h"
#include "daemon/fleet/host.h"
#include "daemon/fleet/hosts_file.h"
#include "daemon/methods/daemon_parts.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/server.h"
#include "wire/json.h"

struct fleet_role {
	struct host_set *hosts;
	struct hosts_file *file;
	struct fleet_routes routes;
};

int fleet_role_make_dir(const char *socket, char *ret_reason, size_t size)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(socket, '/');
	int fd;
	if (access(socket, F_OK) == 0 || slash == NULL || slash == socket)
		return 0; /* server_new() checks it */
	(void)snprintf(dir, sizeof dir, "%.*s", (int)(slash - socket), socket);
	if (access(dir, F_OK) == 0)
		return 0;
	fd = state_dir_open(dir, ret_reason, size);
	if (fd < 0)
		return -1;
	(void)close(fd); /* of a directory */
	return 0;
}

static void on_state(void *data, struct host *host)
{
	(void)data;
	(void)host;
}

static void on_line(void *data, struct host *host, const struct json *message)
{
	(void)data;
	(void)host;
	(void)message;
}

static void on_removed(void *data, struct host *host)
{
	(void)data;
	fleet_hosts_forget(host);
}

struct fleet_role *fleet_role_new(struct daemon *daemon)
{
	static const struct host_handlers handlers = {
	    .state = on_state, .line = on_line, .removed = on_removed};
	struct fleet_role *role = xcalloc(1, sizeof *role);
	role->hosts = host_set_new(
	    &(struct host_set_parts){.base = daemon->base, .handlers = &handlers, .data = role});
	role->file = hosts_file_new(daemon->base, role->hosts);
	role->routes = (struct fleet_routes){
	    .hosts = role->hosts,
	    .file = role->file,
	    .reader = json_reader_new((size_t)daemon->config->limits.line_bytes),
	};
	dispatch_set_router(server_dispatch(daemon->server), fleet_route, &role->routes);
	return role;
}

void fleet_role_free(struct fleet_role *role)
{
	if (role == NULL)
		return;
	hosts_file_free(role->file);
	for (struct host *host = host_set_next(role->hosts, NULL); host != NULL;
	     host = host_set_next(role->hosts, host))
		fleet_hosts_forget(host);
	host_set_free(role->hosts);
	json_reader_free(role->routes.reader);
	mem_free(role);
}
