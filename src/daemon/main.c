/* SPDX-License-Identifier: ISC */
/* Makes the parts, runs the event loop with signals and states of tmux, and frees the parts. */
#include "base/file.h"
#include "base/process.h"
#include "daemon/agent/agent.h"
#include "daemon/agent/agent_task.h"
#include "daemon/attach_demand.h"
#include "daemon/core/counters.h"
#include "daemon/core/log_file.h"
#include "daemon/core/meter.h"
#include "daemon/core/start.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/on_notify.h"
#include "daemon/deliver/puller.h"
#include "daemon/deliver/self_command.h"
#include "daemon/deliver/wake_meter.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/deliver/way_promise.h"
#include "daemon/fleet/fleet.h"
#include "daemon/mcp/mcp.h"
#include "daemon/methods/pending.h"
#include "daemon/methods/tables.h"
#include "daemon/pane/reporter.h"
#include "daemon/provide/provide.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/provide/tool_servers.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/once.h"
#include "daemon/queue/store_loop.h"
#include "daemon/saved/saved.h"
#include "daemon/server/action_history.h"
#include "daemon/server/audit.h"
#include "daemon/server/peer.h"
#include "daemon/server/rest.h"
#include "daemon/server/server.h"
#include "daemon/timer/timer.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tool/tool_folder.h"
#include "daemon/tool/tool_kept.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"
#include "io/loop_pidfd.h"
#include "io/loop_timer.h"
#include "wire/address.h"

/* maximum wait for a running tmux server, before the daemon is ready without it */
#define FIRST_WAIT_MS 6000
#define STOP_MS 2000 /* maximum time of a normal stop */
#define SIGNALS_COUNT 4

static const char server_ended[] = "the tmux server has ended";

struct main {
	struct daemon daemon; /* must be first: stop() casts a pointer to it */
	struct mcp *mcp;
	struct fleet *fleet; /* NULL: the daemon follows a tmux server */
	struct event_log_listener closed_panes;
	struct attach_demand *demand; /* NULL: attach=always, or a fleet */
	struct config config;
	struct counters counters;
	struct meter meter;
	struct meter_wakes *meter_wakes;
	struct start start;
	struct event *signals[SIGNALS_COUNT];
	struct loop_timer *first_wait; /* runs until the daemon is ready */
	struct loop_timer *stop_timer;
	/* the process of the tmux server; NULL: not watched, or it has ended */
	struct loop_pidfd *server;
	struct boot_alarm *alarm, *watch_alarm; /* watch_alarm is for watches, alarm for all else */
	bool is_ready, is_stopping, was_live, has_failed;
	bool is_ended; /* the event loop has ended */
};

static void end_loop(void *data)
{
	struct main *main = data;
	(void)event_base_loopbreak(main->daemon.base);
}

static void on_stop_late(void *data)
{
	log_warning("tmux did not detach in time");
	end_loop(data);
}

static void detach(void *data)
{
	struct main *main = data;
	if (!main->is_ended)
		tmux_stop(main->daemon.tmux, end_loop, main);
}

static void stop(struct daemon *daemon, const char *reason)
{
	struct main *main = (struct main *)daemon;
	if (main->is_stopping)
		return;
	main->is_stopping = true;
	log_info("ending: %s", reason);
	sd_notify_tell("STOPPING=1");
	lock_describe(main->start.lock_fd, LOCK_ENDING);
	server_close_listener(daemon->server);
	if (main->stop_timer != NULL)
		loop_timer_arm(main->stop_timer, STOP_MS);
	if (main->fleet != NULL)
		end_loop(main);
	else
		saved_set_end(daemon->saved, detach, main);
}

static void on_signal(evutil_socket_t number, short events UNUSED, void *data)
{
	struct main *main = data;
	char reason[512];
	if (number == SIGUSR1) {
		/* the call below reports a failure */
		(void)start_make_dir(&main->config, reason, sizeof reason);
		server_listen_anew(main->daemon.server);
	} else if (number == SIGHUP && !main->config.is_foreground)
		log_file_reopen();
	else
		stop(&main->daemon, strsignal((int)number));
}

static void tell_status(const struct main *main)
{
	sd_notify_tell(main->fleet != NULL ? "STATUS=Following hosts."
		: main->was_live           ? "STATUS=Following the tmux server."
					   : "STATUS=Waiting for the tmux server.");
}

/* Opens the socket, and reports to the starter and the service manager that it is ready. */
static void become_ready(void *data)
{
	struct main *main = data;
	char reason[512];
	if (main->is_ready || main->is_stopping)
		return;
	if (server_listen(main->daemon.server, reason, sizeof reason) < 0) {
		main->has_failed = true;
		log_error("%s", reason);
		(void)start_fail("%s", reason);
		stop(&main->daemon, "the socket cannot be opened");
		return;
	}
	main->is_ready = true;
	loop_timer_disarm(main->first_wait);
	lock_describe(main->start.lock_fd, main->config.socket);
	log_info("ready at %s", main->config.socket);
	if (main->fleet == NULL && !main->was_live) {
		(void)fprintf(stderr,
		    "muxbusd: note: the tmux server at %s is not followed yet%s%s; waiting for "
		    "it\n",
		    main->config.tmux_socket, *tmux_reason(main->daemon.tmux) ? ": " : "",
		    tmux_reason(main->daemon.tmux));
	}
	start_write_ready(main->config.ready_fd);
	sd_notify_tell("READY=1");
	tell_status(main);
	daemonize_ready();
}

/*
 * Called when the process of the tmux server has ended. If it was connected, on_tmux_state() ends
 * the daemon later, after all that the server has sent.
 */
static void on_server_ended(void *data)
{
	struct main *main = data;
	loop_pidfd_free(main->server);
	main->server = NULL;
	if (!main->was_live)
		stop(&main->daemon, server_ended);
}

static void watch_server(struct main *main, pid_t pid)
{
	int fd;
	if (pid == 0 || !main->config.exit_with_server)
		return;
	loop_pidfd_free(main->server);
	errno = 0;
	fd = process_open(pid, process_start_ticks(pid));
	main->server = loop_pidfd_new(main->daemon.base, fd, on_server_ended, main);
	if (pid < 0 || (fd < 0 && errno == ESRCH))
		on_server_ended(main);
}

static void on_tmux_state(void *data, bool is_live, int error)
{
	struct main *main = data;
	bool is_lost = main->was_live && !is_live;
	struct lock_holder holder;
	if (is_live && !lock_server(&main->start.server_lock, main->config.tmux_socket, &holder)) {
		main->has_failed = true;
		log_error("process %ld follows this tmux server", (long)holder.pid);
		stop(&main->daemon, "another muxbusd follows the tmux server");
		return;
	}
	main->was_live = is_live;
	saved_set_server(main->daemon.saved, is_live);
	if (is_live) {
		watch_server(main, tmux_server_pid(main->daemon.tmux));
		reporter_set_wake(main->daemon.reporters);
		delivery_set_wake(main->daemon.deliveries);
		self_command_set_wake(main->daemon.self_commands);
		agent_set_wake(main->daemon.agents);
		wait_set_wake(main->daemon.waits);
		pending_restore(&main->daemon);
		maker_set_wake(main->daemon.makers);
		tool_servers_check_panes(main->daemon.provides, main->daemon.tmux);
	}
	next_each (struct peer, peer, server_next_peer, main->daemon.server) {
		peer_forget_pane(peer);
		if (is_lost)
			/* the pane was in the old tmux server */
			peer_speak_for(peer, MUXBUS_NO_ID);
	}
	if (is_live && main->demand != NULL)
		attach_demand_settle(main->demand);
	/* After a timeout the server may go on, unless its process has ended. */
	if (is_lost && main->config.exit_with_server &&
	    (error != MUXBUS_ERR_TIMEOUT || main->server == NULL))
		stop(&main->daemon, server_ended);
	else if (main->is_ready)
		tell_status(main);
	else
		become_ready(main);
}

static void on_followed(void *data)
{
	struct main *main = data;
	attach_demand_look(main->demand);
}

static int follow(struct main *main)
{
	pid_t pid;
	int r;
	if (main->fleet != NULL) {
		become_ready(main);
		return 0;
	}
	watch_server(main, main->start.server);
	if (main->is_stopping)
		return 0;
	if (main->demand != NULL)
		attach_demand_settle(main->demand);
	r = muxbus_sync_start(tmux_sync(main->daemon.tmux));
	if (r < 0)
		return start_fail("%s", muxbus_strerror(r));
	if (muxbus_server_pid(main->config.tmux_socket, &pid) < 0)
		become_ready(main);
	else if (!main->is_ready)
		loop_timer_arm(main->first_wait, FIRST_WAIT_MS);
	return 0;
}

static int watch_signals(struct main *main)
{
	static const int numbers[SIGNALS_COUNT] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1};
	for (size_t i = 0; i < SIGNALS_COUNT; i++) {
		main->signals[i] = evsignal_new(main->daemon.base, numbers[i], on_signal, main);
		if (main->signals[i] == NULL || event_add(main->signals[i], NULL) < 0)
			return start_fail("cannot watch signals");
	}
	main->first_wait = loop_timer_new(main->daemon.base, become_ready, main);
	main->stop_timer = loop_timer_new(main->daemon.base, on_stop_late, main);
	return 0;
}

static void on_alarm(void *data)
{
	struct main *main = data;
	timer_ring(main->daemon.timers);
	wait_set_follow_clock(main->daemon.waits);
	agent_tasks_follow_clock(main->daemon.agents);
}

static void on_watch_alarm(void *data)
{
	struct main *main = data;
	watch_ring(main->daemon.watches);
}

static int set_up_queue(struct main *main)
{
	struct daemon *daemon = &main->daemon;
	const char *state_dir = main->config.state_dir;
	char reason[512] = "out of memory";
	daemon->store_loop = store_loop_new(daemon->base, state_dir, reason, sizeof reason);
	if (daemon->store_loop == NULL)
		return start_fail("%s", reason);
	daemon->queue = queue_new(store_loop_store(daemon->store_loop), daemon->events);
	main->meter_wakes = meter_wakes_new(daemon->base, &main->meter, daemon->queue);
	queue_set_bytes(daemon->queue, (size_t)main->config.limits.queue_bytes);
	queue_note_loss(daemon->queue);
	daemon->onces = once_set_new(daemon->queue);
	daemon->consumers = consumer_set_new(daemon->queue);
	consumer_set_ack_wait(daemon->consumers, main->config.limits.ack_wait_ms);
	main->alarm = boot_alarm_new(daemon->base, on_alarm, main);
	main->watch_alarm = boot_alarm_new(daemon->base, on_watch_alarm, main);
	if (main->alarm == NULL || main->watch_alarm == NULL)
		return start_fail("no clock that continues during suspend: %s", strerror(errno));
	daemon->clock = boot_alarm_clock(main->alarm);
	daemon->timers = timer_set_new(daemon->queue, daemon->clock);
	daemon->watches =
	    watch_set_new(daemon->base, daemon->queue, boot_alarm_clock(main->watch_alarm), NULL);
	daemon->jobs = job_set_new(daemon->base, daemon->queue, state_dir, reason, sizeof reason);
	return daemon->jobs != NULL ? 0 : start_fail("%s", reason);
}

static int set_up_server(struct main *main)
{
	struct daemon *daemon = &main->daemon;
	char reason[512] = "out of memory";
	daemon->makers = maker_set_new(daemon->queue, daemon->tmux);
	if (start_make_dir(daemon->config, reason, sizeof reason) == 0)
		daemon->server = server_new(daemon, reason, sizeof reason);
	if (daemon->server == NULL)
		return start_fail("%s", reason);
	main->mcp = mcp_new(daemon, server_dispatch(daemon->server));
	return 0;
}

static void on_provided(void *data, bool is_listed)
{
	struct main *main = data;
	if (main->mcp != NULL)
		mcp_tools_changed(main->mcp, is_listed);
}

static void on_tools_changed(void *data)
{
	on_provided(data, true);
}

/* When a pane closes, its tool servers end. */
static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct main *main = list_entry(listener, struct main, closed_panes);
	if (event->kind == EVENT_PANE_CLOSED)
		tool_servers_check_panes(main->daemon.provides, main->daemon.tmux);
}

/* Makes the parts that bring notifications to agents, and to people in panes without an agent. */
static void set_up_ways(struct daemon *daemon)
{
	daemon->pullers = puller_set_new(daemon);
	daemon->wake_policies = wake_policy_set_new(daemon);
	daemon->on_notify = on_notify_new(daemon);
	daemon->deliveries = delivery_set_new(daemon);
	daemon->promises = way_promises_new(daemon);
}

static int set_up_base(struct main *main)
{
	struct daemon *daemon = &main->daemon;
	struct config *config = &main->config;
	char reason[512] = "out of memory";
	daemon->config = config;
	daemon->counters = &main->counters;
	daemon->meter = &main->meter;
	daemon->is_kept = agent_is_kept;
	daemon->is_pending = pending_is_any;
	daemon->is_at_prompt = agent_is_at_prompt;
	daemon->stop = stop;
	daemon->started_ms = clock_mono_ms();
	daemon->history = history_new();
	daemon->rests = rest_set_new(2 * (size_t)daemon->config->limits.result_bytes);
	if (config->audit != AUDIT_OFF) {
		daemon->audit = audit_new(config->state_dir,
		    &(struct audit_options){.bytes = (size_t)config->limits.audit_bytes,
			.days = config->limits.audit_days,
			.is_full = config->audit == AUDIT_FULL},
		    reason, sizeof reason);
		if (daemon->audit == NULL)
			return start_fail("%s", reason);
	}
	daemon->base = loop_timer_new_base();
	if (daemon->base == NULL)
		return start_fail("cannot create the event loop: %s", strerror(errno));
	if (watch_signals(main) < 0)
		return -1;
	daemon->events = event_log_new(config->state_dir, (size_t)config->limits.events,
	    (size_t)config->limits.event_bytes, reason, sizeof reason);
	return daemon->events != NULL ? set_up_queue(main) : start_fail("%s", reason);
}

static int set_up_fleet(struct main *main)
{
	const char *home = address_home();
	if (set_up_server(main) < 0)
		return -1;
	/* A job without a directory begins in HOME, as over ssh. */
	if (home != NULL && chdir(home) < 0)
		log_warning("HOME: %s: %s", home, strerror(errno));
	main->fleet = fleet_new(&main->daemon);
	return 0;
}

static int set_up(struct main *main)
{
	static const struct tmux_handlers handlers = {
	    .state = on_tmux_state, .followed = on_followed};
	struct daemon *daemon = &main->daemon;
	struct config *config = &main->config;
	char path[PATH_MAX], reason[512] = "out of memory";
	if (set_up_base(main) < 0)
		return -1;
	if (config->is_fleet)
		return set_up_fleet(main);
	if (config->tmux_path != NULL && !file_is_program(config->tmux_path) &&
	    (strchr(config->tmux_path, '/') != NULL ||
		!file_find_program(config->tmux_path, getenv("PATH"), path, sizeof path)))
		log_warning("--tmux %s: there is no such program", config->tmux_path);
	daemon->tmux =
	    tmux_new(daemon->base, config, daemon->events, &handlers, main, reason, sizeof reason);
	if (daemon->tmux == NULL)
		return start_fail("%s", reason);
	daemon->streams = stream_set_new(daemon->base, config, daemon->events, daemon->tmux);
	if (set_up_server(main) < 0)
		return -1;
	daemon->kept_calls = tool_kept_set_new(
	    daemon->base, daemon->queue, daemon->jobs, config->state_dir, reason, sizeof reason);
	if (daemon->kept_calls == NULL)
		return start_fail("%s", reason);
	main->closed_panes.event = on_event;
	event_log_listen(daemon->events, &main->closed_panes);
	daemon->tools = tool_folder_new(&(struct tool_folder_parts){.base = daemon->base,
	    .handle = tool_call_handle,
	    .changed = on_tools_changed,
	    .data = main});
	daemon->provides = provide_set_new(daemon, on_provided, main);
	daemon->presences = presence_set_new(daemon->tmux, daemon->events, daemon->queue);
	daemon->reporters = reporter_set_new(daemon);
	daemon->signs =
	    screen_sign_set_new(address_config(path, sizeof path, "agents") == 0 ? path : NULL);
	daemon->submits = submit_set_new(daemon);
	set_up_ways(daemon);
	daemon->self_commands = self_command_set_new(daemon);
	daemon->waits = wait_set_new(daemon);
	daemon->agents = agent_set_new(daemon);
	daemon->saved = saved_set_new(daemon);
	if (config->attach != ATTACH_ALWAYS)
		main->demand = attach_demand_new(daemon);
	return 0;
}

static void tear_down(struct main *main)
{
	struct daemon *daemon = &main->daemon;
	main->is_ended = true;
	/* posts that are on the disk by now get their responses */
	store_loop_settle(daemon->store_loop);
	provide_set_stop(daemon->provides);
	server_free(daemon->server); /* ends the open requests, while the other parts still exist */
	tmux_cut(daemon->tmux);
	saved_set_free(daemon->saved);
	daemon->saved = NULL;
	fleet_free(main->fleet);
	attach_demand_free(main->demand);
	main->demand = NULL;
	mcp_free(main->mcp);
	tool_kept_set_free(daemon->kept_calls);
	wait_set_free(daemon->waits); /* before the agents, to which conditions listen */
	agent_set_free(daemon->agents);
	maker_set_free(daemon->makers);
	self_command_set_free(daemon->self_commands);
	way_promises_free(daemon->promises);
	delivery_set_free(daemon->deliveries);
	on_notify_free(daemon->on_notify);
	wake_policy_set_free(daemon->wake_policies);
	puller_set_free(daemon->pullers);
	reporter_set_free(daemon->reporters);
	stream_set_free(daemon->streams);
	tmux_free(daemon->tmux); /* before the submits, which it may call back */
	provide_set_free(daemon->provides); /* before the submits, for the same reason */
	tool_folder_free(daemon->tools); /* after open requests, which use its methods */
	submit_set_free(daemon->submits);
	screen_sign_set_free(daemon->signs);
	presence_set_free(daemon->presences);
	job_set_free(daemon->jobs);
	watch_set_free(daemon->watches);
	timer_set_free(daemon->timers);
	boot_alarm_free(main->alarm);
	boot_alarm_free(main->watch_alarm);
	consumer_set_free(daemon->consumers);
	once_set_free(daemon->onces);
	meter_wakes_free(main->meter_wakes);
	queue_free(daemon->queue);
	store_loop_free(daemon->store_loop);
	event_log_free(daemon->events);
	audit_free(daemon->audit);
	history_free(daemon->history);
	rest_set_free(daemon->rests);
	for (size_t i = 0; i < SIGNALS_COUNT && main->signals[i] != NULL; i++)
		event_free(main->signals[i]);
	loop_pidfd_free(main->server);
	loop_timer_free(main->first_wait);
	loop_timer_free(main->stop_timer);
	if (daemon->base != NULL)
		event_base_free(daemon->base);
}

static int run(struct main *main)
{
	int r = set_up(main);
	if (r == 0)
		r = follow(main);
	if (r == 0 && event_base_dispatch(main->daemon.base) < 0)
		r = start_fail("the event loop failed: %s", strerror(errno));
	tear_down(main);
	return main->has_failed ? -1 : r;
}

int main(int argc, char **argv)
{
	static struct main main;
	process_begin(O_RDWR);
	tables_register();
	switch (config_read(&main.config, argc, argv)) {
	case CONFIG_RUN:
		break;
	case CONFIG_DONE:
		return start_printed(true);
	case CONFIG_DESCRIBE:
		return start_printed(methods_print(false));
	case CONFIG_DESCRIBE_MDOC:
		return start_printed(methods_print(true));
	case CONFIG_ERROR:
		return 2;
	case CONFIG_FAILED:
		return EXIT_FAILURE;
	}
	if (start_take_service(&main.config) < 0)
		return EXIT_FAILURE;
	if (!main.config.is_foreground && daemonize_enter(main.config.ready_fd) < 0) {
		(void)start_fail("cannot run in the background: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	switch (start_take(&main.start, &main.config)) {
	case START_OK:
		return run(&main) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	case START_RUNNING:
		return EXIT_SUCCESS;
	case START_FAILED:
		break;
	}
	return EXIT_FAILURE;
}
