/* SPDX-License-Identifier: ISC */
#include "daemon/server/requester.h"

#include "base/process.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/maker.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/request.h"
#include "daemon/server/target.h"
#include "daemon/tmux/tmux.h"
#include "wire/address.h"

/*
 * Returns true if a command that the program runs has made the request. Such a request does not
 * show that the program is an agent.
 */
static bool is_by_command(struct request *request, const struct pane_ref *ref,
    const struct muxbus_pane *pane, pid_t program)
{
	const struct daemon *parts = request_daemon(request);
	const struct peer *peer = request_peer(request);
	char name[AGENT_ARGV_NAME_SIZE];
	return peer != NULL && peer_pid(peer) != program && !request_is_formatted(request) &&
	    (request_method(request)->effects & METHOD_SPEAKS_FOR) == 0 &&
	    presence_of_pane(parts->presences, ref) == NULL && !parts->is_kept(parts, pane->id) &&
	    !foreground_agent(pane->pid, parts->signs, name);
}

/*
 * Returns true if a person made the request: a command in the foreground of the pane has sent it.
 */
static bool is_person(const struct request *request, const struct muxbus_pane *pane)
{
	const struct peer *peer = request_peer(request);
	pid_t front = pane_tty_front_pid(pane->pid);
	return peer != NULL && front > 0 && getpgid(peer_pid(peer)) == front;
}

void requester_expect_front(
    struct request *request, const struct pane_ref *ref, const struct muxbus_pane *pane)
{
	const struct daemon *parts = request_daemon(request);
	struct peer *peer = request_peer(request);
	struct expected expected = {0};
	char command[256];
	switch (foreground_find_asker(
	    pane->pid, peer != NULL ? peer_pid(peer) : 0, parts->signs, &expected.program)) {
	case ASKER_BEHIND:
		/*
		 * The program in front expects no answer. If a person makes the request, earlier
		 * programs of the pane do not expect one either.
		 */
		if (is_person(request, pane) && !parts->is_pending(parts, ref))
			expected_forget(queue_store(parts->queue), ref, pane->pid);
		return;
	case ASKER_IN_FRONT:
		if (!foreground_identity_of(expected.program.pid, expected.identity))
			return;
		break;
	case ASKER_ELSEWHERE:
		foreground_leader(pane->pid, &expected.program);
		if (!pane_tty_program(expected.program.pid, command, sizeof command))
			snprintf(command, sizeof command, "%s", pane->command);
		if (!foreground_asks_for_itself(command))
			return;
		if (!foreground_identity_of(expected.program.pid, expected.identity))
			snprintf(expected.identity, sizeof expected.identity, "%.200s", command);
		break;
	}
	expected.is_by_command = is_by_command(request, ref, pane, expected.program.pid);
	expected_set(queue_store(parts->queue), ref, &expected,
	    expected.is_by_command && parts->is_pending(parts, ref));
}

/*
 * Returns true if the kernel shows that the requesting process is in its pane. An environment is no
 * proof: the process of an agent may serve many panes, and its environment names the first.
 */
static bool is_seen_in_pane(const struct request *request)
{
	enum pane_evidence evidence = peer_pane_of(request_peer(request))->evidence;
	return evidence != PANE_SAID && evidence != PANE_ENVIRONMENT;
}

static bool is_early(const struct request *request)
{
	const struct tmux *tmux = request_daemon(request)->tmux;
	struct peer *peer = request_peer(request);
	return peer != NULL && tmux != NULL && tmux_is_live(tmux) && peer_pane_of(peer)->is_early;
}

bool requester_pane(struct request *request, const char *text, struct pane_ref *ret_pane)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	const char *thread = request_origin(request)->thread;
	const struct muxbus_pane *pane;
	bool is_weak;
	pane_ref_clear(ret_pane);
	if (text != NULL) {
		if (!target_pane(request, text, &pane))
			return false;
		pane_ref_of(tmux, pane->id, ret_pane);
		return true;
	}
	if (is_early(request) && dispatch_put_off(request))
		return false;
	pane_ref_of(tmux, request_peer_pane(request, &is_weak), ret_pane);
	if (thread[0] == '\0' && request_peer(request) != NULL &&
	    (is_weak || ret_pane->pane == MUXBUS_NO_ID))
		thread = peer_pane_of(request_peer(request))->thread;
	if (thread[0] != '\0' && ret_pane->pane != MUXBUS_NO_ID &&
	    (is_weak || !is_seen_in_pane(request)))
		pane_ref_clear(ret_pane);
	pane = muxbus_model_pane(tmux_model(tmux), ret_pane->pane);
	if (pane != NULL && !is_weak && request_role(request) != ROLE_READ_ONLY)
		requester_expect_front(request, ret_pane, pane);
	snprintf(ret_pane->thread, sizeof ret_pane->thread, "%s", thread);
	return true;
}

/* Returns true if the pane exists for certain, since its process still has its terminal. */
static bool requester_pane_lives(struct request *request, const char *text)
{
	const struct muxbus_pane *pane;
	bool is_weak = false;
	uint32_t id;
	if (text == NULL)
		id = request_peer_pane(request, &is_weak);
	else if (!str_parse_id(text, strlen(text), '%', &id))
		return false; /* a name, which another pane may have by now */
	pane = muxbus_model_pane(tmux_model(request_daemon(request)->tmux), id);
	return pane != NULL && !is_weak && process_has_terminal(pane->pid);
}

bool requester_is_outside(struct request *request)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	struct peer *peer = request_peer(request);
	if (peer == NULL || tmux == NULL || !peer_pane_of(peer)->is_outside)
		return false;
	/* A descendant of tmux may be in a pane whose terminal it has left. */
	for (size_t at = 0; at < peer_origin(peer)->count; at++)
		if (peer_origin(peer)->processes[at].pid == tmux_server_pid(tmux))
			return false;
	return tmux_server_pid(tmux) > 0;
}

bool requester_look_first(struct request *request, const char *text)
{
	return !requester_pane_lives(request, text) &&
	    !(text == NULL && requester_is_outside(request)) && dispatch_look_first(request);
}

bool requester_look_for(struct request *request, const struct pane_ref *ref)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	const struct muxbus_pane *pane;
	if (ref->pane == MUXBUS_NO_ID || !tmux_is_detached(tmux))
		return false;
	pane = muxbus_model_pane(tmux_model(tmux), ref->pane);
	/* A pane with another process counts as gone. On tmux 3.8 a dead pane has no process. */
	return pane != NULL && (pane->pid == ref->pane_pid || pane->pid <= 0) &&
	    !process_has_terminal(pane->pid) && dispatch_put_off(request);
}

void requester_caller(struct request *request, struct pane_caller *ret_caller)
{
	struct peer *peer = request_peer(request);
	bool is_weak;
	*ret_caller = (struct pane_caller){0};
	pane_ref_of(
	    request_daemon(request)->tmux, request_peer_pane(request, &is_weak), &ret_caller->pane);
	if (ret_caller->pane.pane == MUXBUS_NO_ID && peer != NULL && peer_origin(peer)->count > 0) {
		pid_t session = peer_origin(peer)->processes[0].session;
		/* A session in another PID namespace is 0 here, and cannot identify a caller. */
		ret_caller->session = session > 0 ? session : -1;
		ret_caller->session_start = process_start_ticks(ret_caller->session);
	}
}

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/*
 * Finds the current directory of a process. *ret_is_removed: the directory was removed, and out is
 * its path with the suffix of the kernel (" (deleted)").
 */
static bool find_cwd(pid_t pid, char *out, size_t size, bool *ret_is_removed)
{
	char link[64];
	struct stat status;
	*ret_is_removed = false;
	if (!process_cwd(pid, out, size))
		return false;
	snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
	*ret_is_removed = stat(link, &status) == 0 && status.st_nlink == 0;
	return !*ret_is_removed && is_directory(out);
}

static bool is_there(const struct peer *peer)
{
	const struct peer_origin *origin = peer_origin(peer);
	return origin->count > 0 && peer_process_is_there(&origin->processes[0]);
}

bool requester_cwd(
    struct request *request, const char *given, const struct pane_ref *pane, char *out, size_t size)
{
	struct peer *peer = request_peer(request);
	const struct muxbus_pane *found =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), pane->pane);
	const char *home = address_home();
	bool is_removed = false;
	if (given != NULL) {
		if (given[0] != '/' || strlen(given) >= size || !is_directory(given))
			return request_fail_field(request, "cwd",
			    "must be the absolute path of a directory; \"%.200s\" is not", given);
		snprintf(out, size, "%s", given);
		return true;
	}
	if (peer != NULL && is_there(peer) && find_cwd(peer_pid(peer), out, size, &is_removed))
		return true;
	/* Do not take another directory instead, as the command may remove files there. */
	if (is_removed)
		return request_fail_field(request, "cwd",
		    "the directory of the program that asks was removed: \"%.200s\"; name another",
		    out);
	if (found != NULL &&
	    (dispatch_look_first(request) || dispatch_look_at(request, found->window)))
		return false;
	if (found != NULL && found->path != NULL && strlen(found->path) < size &&
	    is_directory(found->path))
		snprintf(out, size, "%s", found->path);
	else
		snprintf(out, size, "%s", home != NULL && is_directory(home) ? home : "/");
	return true;
}
