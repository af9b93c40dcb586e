/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/person.h"

#include "daemon/pane/expected.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"

bool person_has_pane(const struct daemon *parts, const struct pane_ref *ref)
{
	const struct muxbus_pane *pane;
	char name[AGENT_ARGV_NAME_SIZE];
	struct expected expected;
	if (ref->thread[0] != '\0' || ref->pane == MUXBUS_NO_ID ||
	    pane_fate(parts->tmux, ref) != PANE_THERE)
		return false;
	pane = muxbus_model_pane(tmux_model(parts->tmux), ref->pane);
	return pane != NULL && !pane->is_dead && presence_of_pane(parts->presences, ref) == NULL &&
	    !(expected_find(queue_store(parts->queue), ref, &expected) &&
		expected_is_awaited(&expected, pane->pid)) &&
	    !parts->is_kept(parts, ref->pane) && !foreground_agent(pane->pid, parts->signs, name);
}

static bool has_window(const struct muxbus_model *model, uint32_t session, uint32_t window)
{
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model)
		if (link->session == session && link->window == window)
			return true;
	return false;
}

size_t person_clients(const struct daemon *parts, const struct pane_ref *ref,
    const char *ret_names[PERSON_CLIENTS_MAX])
{
	const struct muxbus_model *model = tmux_model(parts->tmux);
	const struct muxbus_pane *pane = muxbus_model_pane(model, ref->pane);
	size_t count = 0;
	for (int any = 0; any < 2 && count == 0 && pane != NULL; any++) {
		next_each (const struct muxbus_client, client, muxbus_model_next_client, model)
			if (!client->is_ours && !client->is_control &&
			    client->session != MUXBUS_NO_ID && count < PERSON_CLIENTS_MAX &&
			    (any == 1 || has_window(model, client->session, pane->window)))
				ret_names[count++] = client->name;
	}
	return count;
}
