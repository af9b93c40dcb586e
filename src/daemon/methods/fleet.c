/* SPDX-License-Identifier: ISC */
/* Methods of the fleet: list_hosts, retry_hosts. */
#include "daemon/methods/tables.h"
#include "daemon/server/request.h"

static const struct field_result hosts_results[] = {
    {"hosts", "array", "the hosts, by name and server"},
    {"hosts[].host", "string", "its name"},
    {"hosts[].server", "string", "the name of its tmux server"},
    {"hosts[].target", "string", "its name in targets: NAME of NAME:%3"},
    {"hosts[].local", "boolean", "whether it is on this machine"},
    {"hosts[].may_notify", "boolean",
	"whether what is asked for there may notify panes of other hosts: may=notify in its line"},
    {"hosts[].state", "string", "up, connecting or down"},
    {"hosts[].reason", "string|null", "why it is not up"},
    {"hosts[].since_sec", "number", "how long it has been in this state"},
    {"hosts[].version", "string|null", "of its muxbus; null: not known"},
    {"hosts[].panes", "integer|null", "its panes, as known last"},
    {"hosts[].agents", "integer|null", "its agents, as known last"},
    {"hosts[].jobs", "integer|null", "its running jobs, as known last"},
    {"file", "string", "the hosts file"},
    {"errors", "array",
	"the lines of the file that cannot be used, and notifications for hosts that it lacks"},
    {"errors[].line", "integer", "its number; 0: the whole file"},
    {"errors[].text", "string", "why"},
    {NULL, NULL, NULL},
};

struct retry_args {
	const char *host;
};

static const struct field retry_fields[] = {
    {FIELD_ROW(STRING, struct retry_args, host, "host"), .help = "Only this one."},
    {.name = NULL},
};

/* Fails: only a fleet has hosts, and it answers these methods itself. */
static void handle_list_hosts(struct request *request, const void *args UNUSED)
{
	request_fail(request, MESSAGE_REFUSED,
	    "this daemon follows one tmux server, not hosts; ask the fleet: muxbus hosts");
}

const struct method methods_fleet[] = {
    {.name = METHOD("list_hosts", METHOD_READS),
	.title = "List hosts",
	.summary = "Lists the hosts of the fleet with their states; on its socket only.",
	.help = "Asks those that are up, for 5 s at most.",
	.results = hosts_results,
	.flags = METHOD_WITHOUT_TMUX | METHOD_UNNOTED,
	.handle = handle_list_hosts,
	.example = "{}"},
    {.name = METHOD("retry_hosts", METHOD_ADMINISTERS),
	.title = "Try hosts again",
	.summary = "Connects to the hosts of the fleet that are down, now; on its socket only.",
	.help = "Then answers as list_hosts does.",
	METHOD_CALL(handle_list_hosts, retry_args, retry_fields, hosts_results),
	.flags = METHOD_IDEMPOTENT | METHOD_WITHOUT_TMUX | METHOD_UNNOTED,
	.example = "{}"},
    {.name = NULL},
};
