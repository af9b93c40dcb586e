/* SPDX-License-Identifier: ISC */
#include "cli/tmux_client.h"

#include "cli/remote.h"
#include "wire/host_line.h"
#include "wire/json.h"

/* Lists clients as lines such as "0 p%3 1700000000 /dev/pts/1". */
const char tmux_client_list[] =
    "{\"command\":[\"list-clients\",\"-F\","
    "\"#{client_control_mode} p#{pane_id} #{client_activity} #{client_name}\"]}";

bool tmux_client_choose(const char *output, const char *own_pane, char *ret_name, size_t size)
{
	char pane[32], name[PATH_MAX];
	long long activity, newest = -1;
	int is_control, used;
	bool was_own = false;
	for (; sscanf(output, "%d %31s %lld %4095[^\n]%n", &is_control, pane, &activity, name,
		   &used) == 4;
	     output += used) {
		/* Clients that show our pane come first, since the command was typed there. */
		bool is_own = strcmp(pane + 1, own_pane) == 0;
		if (is_control != 0 || (is_own == was_own ? activity <= newest : was_own))
			continue;
		newest = activity;
		was_own = is_own;
		(void)snprintf(ret_name, size, "%s", name);
	}
	return newest >= 0;
}

void tmux_client_put_go(struct buf *out, const char *client, const char *pane)
{
	const char *const words[] = {"switch-client", "-c", client, "-t", pane};
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_array_begin(&writer, "command");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		json_put_str(&writer, NULL, words[i]);
	json_array_end(&writer);
	json_object_end(&writer);
}

void tmux_client_way(char *out, size_t size, const char *pane, const char *host, const char *server)
{
	const char *colon = strrchr(pane, ':'), *id = colon != NULL ? colon + 1 : pane;
	char own[256] = "", *label = xasprintf("%s/%s", host, server), *text = NULL;
	struct host_spec spec = {.tmux_name = strcmp(server, "default") != 0 ? server : NULL};
	bool is_listed = remote_find(label, false, &spec, &text), is_here;
	const char *path = spec.tmux_path, *name = spec.tmux_name;
	(void)gethostname(own, sizeof own - 1);
	own[strcspn(own, ".")] = '\0';
	is_here = !is_listed && strcmp(host, own) == 0;
	(void)snprintf(out, size, "%s is on %s: %s%s%stmux %s%s%sattach -t %s", id,
	    is_here ? "this machine" : host, is_here ? "" : "ssh -t ",
	    is_here                ? ""
		: spec.ssh != NULL ? spec.ssh
				   : host,
	    is_here ? "" : " ",
	    path != NULL       ? "-S "
		: name != NULL ? "-L "
			       : "",
	    path != NULL       ? path
		: name != NULL ? name
			       : "",
	    path != NULL || name != NULL ? " " : "", id);
	if (is_listed)
		mem_free(text);
	mem_free(label);
}
