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
#include "daemon/fleet/fleet_next.h"
#include "daemon/fleet/fleet_notify.h"
#include "daemon/fleet/fleet_route.h"
#include "daemon/fleet/fleet_stream.h"
#include "daemon/fleet/fleet_wait.h"
#include "daemon/fleet/host.h"
#include "daemon/fleet/hosts_file.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon_parts.h"
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
	const struct fleet_role *role = data;
	fleet_streams_state(role->routes.streams, host);
	fleet_notices_state(role->routes.notices);
}

static void on_line(void *data, struct host *host, const struct json *message)
{
	const struct fleet_role *role = data;
	fleet_streams_line(role->routes.streams, host, message);
}

static void on_removed(void *data, struct host *host)
{
	const struct fleet_role *role = data;
	fleet_streams_removed(role->routes.streams, host);
	fleet_notices_removed(role->routes.notices, host);
	fleet_nexts_removed(role->routes.nexts, host);
	fleet_hosts_forget(host);
}

static void on_renamed(void *data, struct host *host, const char *before)
{
	const struct fleet_role *role = data;
	fleet_notices_renamed(role->routes.notices, host, before);
}

struct fleet_role *fleet_role_new(struct daemon *daemon)
{
	static const struct host_handlers handlers = {
	    .state = on_state, .line = on_line, .removed = on_removed, .renamed = on_renamed};
	struct fleet_role *role = xcalloc(1, sizeof *role);
	role->hosts = host_set_new(
	    &(struct host_set_parts){.base = daemon->base, .handlers = &handlers, .data = role});
	role->routes = (struct fleet_routes){
	    .hosts = role->hosts,
	    .nexts = fleet_nexts_new(role->hosts, daemon->base),
	    .notices = fleet_notices_new(&(struct fleet_notices_parts){
		.hosts = role->hosts, .base = daemon->base, .store = queue_store(daemon->queue)}),
	    .streams = fleet_streams_new(role->hosts),
	    .waits = fleet_waits_new(role->hosts, daemon->base),
	    .reader = json_reader_new((size_t)daemon->config->limits.line_bytes),
	};
	role->routes.file = role->file = hosts_file_new(daemon->base, role->hosts);
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
	fleet_waits_free(role->routes.waits);
	fleet_nexts_free(role->routes.nexts);
	fleet_streams_free(role->routes.streams);
	fleet_notices_free(role->routes.notices);
	host_set_free(role->hosts);
	json_reader_free(role->routes.reader);
	mem_free(role);
}
