/* SPDX-License-Identifier: ISC */
#include "daemon/core/config.h"

#include <config.h> /* made by configure; not daemon/core/config.h */
#include <getopt.h>
#include <grp.h>
#include <muxbus.h>

#include "wire/address.h"
#include "wire/field.h"

#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)

struct limit {
	const char *name;
	size_t offset; /* in struct config_limits */
	int64_t preset;
	int64_t min;
	int64_t max;
	const char *unit; /* NULL: a count */
	const char *help;
};

#define LIMIT(name) #name, offsetof(struct config_limits, name)

/* Keep alphabetized. */
static const struct limit limits_table[] = {
    {LIMIT(ack_wait_ms), 60000, 100, 86400000, "ms",
	"how long a consumer may take to acknowledge, and an agent to accept typed input, before "
	"the notification is sent again"},
    {LIMIT(audit_bytes), 8 * MIB, 64 * KIB, 64 * MIB, "bytes",
	"the audit of requests, of which the older half is dropped"},
    {LIMIT(audit_days), 90, 1, 3650, NULL, "days that a line of the audit is kept at most"},
    {LIMIT(command_timeout_ms), 5000, 100, 600000, "ms", "how long tmux may take to answer"},
    {LIMIT(deliver_quiet_ms), 1000, 0, 600000, "ms",
	"how long a pane must be quiet before a notification is typed into it"},
    {LIMIT(event_bytes), 2 * MIB, 64 * KIB, 1024 * MIB, "bytes",
	"memory of the events that are remembered for late subscribers"},
    {LIMIT(events), 10000, 16, 10000000, NULL, "events remembered for late subscribers"},
    {LIMIT(fresh_ms), 50, 0, 60000, "ms",
	"the maximum age of titles, commands and paths in responses"},
    {LIMIT(line_bytes), 4 * MIB, 1 * KIB, 64 * MIB, "bytes", "the longest request line"},
    {LIMIT(loan_ms), 10000, 100, 600000, "ms",
	"how long a follower or hook may take to acknowledge a notification that it passes to an "
	"agent, and a follower to ask for more; then the notification is typed"},
    {LIMIT(mcp_wait_sec), 0, 0, 86400, "s",
	"how long a waiting call of an agent lasts before it is answered with pending; 0: as long "
	"as that agent is known to allow"},
    {LIMIT(nudges), 3, 0, 10, NULL,
	"how often a notice is typed again if it was not seen to be accepted"},
    {LIMIT(on_notify_rate), 10, 1, 1000, NULL,
	"how often in a minute the program of on_notify may run; further notifications are joined "
	"in the next run"},
    {LIMIT(peers), 2000, 1, 65536, NULL, "programs connected at once"},
    {LIMIT(queue_bytes), 64 * MIB, 1 * MIB, 128 * MIB, "bytes",
	"the texts and data of remembered notifications, of which there are at most 10,000; the "
	"oldest settled ones are forgotten first, else the oldest"},
    {LIMIT(quiet_ms), 1000, 50, 3600000, "ms", "time without output until pane_quiet"},
    {LIMIT(quote_match), 0, 0, 1, NULL,
	"1: a notice quotes the line that a watch found; strangers can write into logs"},
    {LIMIT(quote_output), 1, 0, 1, NULL,
	"1: a notice quotes the output of the job, or the posted text"},
    {LIMIT(result_bytes), 6 * MIB, 64 * KIB, 64 * MIB, "bytes", "the largest result"},
    {LIMIT(ring_bytes), 64 * KIB, 4 * KIB, 64 * MIB, "bytes",
	"output remembered of each pane that is followed"},
    {LIMIT(show_ms), 3000, 100, 60000, "ms",
	"how long a notification for a person is shown in the status lines of tmux's clients, "
	"unless a key ends it"},
    {LIMIT(stuck_ms), 10000, 100, 3600000, "ms",
	"how long a program with 128 KiB unread may send requests without reading, and a sixth of "
	"the time that more than 256 KiB of responses wait for one that does not; then it is "
	"disconnected"},
    {LIMIT(unread_bytes), 8 * MIB, 128 * KIB, 1024 * MIB, "bytes",
	"unread output of a program that reads; beyond half of it events are dropped, beyond all "
	"of it the program is disconnected"},
    {LIMIT(waits), 1000, 1, 100000, NULL, "open requests of one program that wait"},
};

#define LIMITS_COUNT (sizeof limits_table / sizeof *limits_table)

static int64_t *limit_of(struct config_limits *limits, const struct limit *row)
{
	return (int64_t *)((char *)limits + row->offset);
}

static int64_t limit_value(const struct config_limits *limits, const struct limit *row)
{
	return *(const int64_t *)((const char *)limits + row->offset);
}

void config_limits_init(struct config_limits *limits)
{
	for (size_t i = 0; i < LIMITS_COUNT; i++)
		*limit_of(limits, &limits_table[i]) = limits_table[i].preset;
}

/* Returns NULL with a reason if the name is unknown. */
static const struct limit *find_limit(const char *text, size_t len, char *ret_reason, size_t size)
{
	const char *names[LIMITS_COUNT + 1] = {NULL};
	char name[64];
	const char *nearest;
	for (size_t i = 0; i < LIMITS_COUNT; i++) {
		names[i] = limits_table[i].name;
		if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0)
			return &limits_table[i];
	}
	(void)snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), text);
	nearest = str_nearest(name, names);
	(void)str_refuse(
	    ret_reason, size, "there is no limit \"%s\"%s%s%s", name, STR_NEAREST(nearest, ""));
	return NULL;
}

int config_limits_set(
    struct config_limits *limits, const char *setting, char *ret_reason, size_t size)
{
	const char *equals = strchr(setting, '=');
	int64_t value;
	const struct limit *row;
	if (equals == NULL)
		return str_refuse(
		    ret_reason, size, "\"%s\" is not of the form name=value", setting);
	row = find_limit(setting, (size_t)(equals - setting), ret_reason, size);
	if (row == NULL)
		return -1;
	if (!str_parse_i64(equals + 1, strlen(equals + 1), &value) || value < row->min ||
	    value > row->max)
		return str_refuse(ret_reason, size,
		    "%s: must be a whole number from %" PRId64 " to %" PRId64 "%s%s, not \"%s\"",
		    row->name, row->min, row->max, row->unit != NULL ? " " : "",
		    row->unit != NULL ? row->unit : "", equals + 1);
	*limit_of(limits, row) = value;
	return 0;
}

void config_write(const struct config *config, struct json_writer *writer)
{
	json_object_begin(writer, "limits");
	for (size_t i = 0; i < LIMITS_COUNT; i++)
		json_put_int(
		    writer, limits_table[i].name, limit_value(&config->limits, &limits_table[i]));
	json_object_end(writer);
}

void config_write_table(struct json_writer *writer, const char *name)
{
	json_object_begin(writer, name);
	for (size_t i = 0; i < LIMITS_COUNT; i++) {
		const struct limit *row = &limits_table[i];
		json_object_begin(writer, row->name);
		json_put_int(writer, "default", row->preset);
		json_put_int(writer, "minimum", row->min);
		json_put_int(writer, "maximum", row->max);
		json_put_given(writer, "unit", row->unit);
		json_put_str(writer, "help", row->help);
		json_object_end(writer);
	}
	json_object_end(writer);
}

void config_write_mdoc(struct buf *out)
{
	for (size_t i = 0; i < LIMITS_COUNT; i++) {
		const struct limit *row = &limits_table[i];
		char text[512];
		(void)buf_printf(out, ".It Va %s\n", row->name);
		(void)snprintf(text, sizeof text,
		    "default %" PRId64 ", %" PRId64 " to %" PRId64 "%s%s: %s.", row->preset,
		    row->min, row->max, row->unit != NULL ? " " : "",
		    row->unit != NULL ? row->unit : "", row->help);
		field_write_mdoc_text(out, text);
	}
}

static const char usage_text[] =
    "usage: muxbusd [-fqv] [-L name | -S path] [-s socket] [-o limit=value] [--log file]\n"
    "               [--exit-with-server] [--output=always|wanted] [--ready-fd n]\n"
    "               [--readonly-socket path[,mode=octal][,group=name]] [--tmux path]\n"
    "       muxbusd --fleet [-fqv] [-s socket] [-o limit=value] [--log file] [--ready-fd n]\n"
    "       muxbusd describe [--mdoc]\n";

static const char help_text[] =
    "\n"
    "Follows one tmux server and answers requests, one JSON object a line, on a UNIX socket:\n"
    "that of tmux with \".muxbus\" appended. Returns when the daemon is ready.\n"
    "\n"
    "  -L name             the tmux server of that name, as in tmux -L\n"
    "  -S path             the tmux server at that socket, as in tmux -S\n"
    "  -s socket           listen there instead\n"
    "  -f, --foreground    stay in the foreground\n"
    "      --exit-with-server\n"
    "                      end when the tmux server does, instead of waiting for the next\n"
    "      --fleet         follow no tmux server, but the daemons of many hosts; see muxbus hosts\n"
    "      --output=always|wanted\n"
    "                      follow the output of all panes from the start, or only of panes\n"
    "                      that a client asks for (default)\n"
    "  -o attach=used|always|never\n"
    "                      be a client of tmux only while a program needs events that no one\n"
    "                      else gets (default), or always, which keeps all events, or never\n"
    "  -o audit=sizes|full|off\n"
    "                      record requests that do more than read, with the sizes of texts\n"
    "                      (default) or the texts, or not\n"
    "  -o audit_full_disk=mark|refuse\n"
    "                      do what cannot be recorded, or whose key cannot be kept, and say\n"
    "                      so (default), or refuse it\n"
    "  -o follow=pipe|control\n"
    "                      follow the output of a pane by pipe-pane where the pane has no pipe\n"
    "                      (default), or as a client of tmux in control mode\n"
    "  -o on_notify_for=person|all\n"
    "                      run the program of on_notify for notifications that no agent gets\n"
    "                      (default), or for all\n"
    "  -o show=message|none\n"
    "                      show notifications for people in the status line of tmux (default),\n"
    "                      or not\n"
    "      --ready-fd n    write a line to this descriptor when ready, and close it\n"
    "      --readonly-socket path[,mode=octal][,group=name]\n"
    "                      listen there too, for programs that may only read; mode (0600) and\n"
    "                      group (yours) say who else can connect\n"
    "      --tmux path     the tmux program to run (default: the server's own)\n"
    "      --log file      append the log to a file (default: standard error with -f, else a\n"
    "                      file in the state directory)\n"
    "  -v, --verbose       log more; twice: all\n"
    "  -q, --quiet         log errors only\n"
    "  -o name=value       set a limit; \"muxbusd describe\" lists them\n"
    "  -h, --help          print this\n"
    "  -V, --version       print the version\n"
    "\n"
    "Exit status: 0 ready, or already running; 1 failure; 2 usage.\n";

enum option_code {
	OPTION_EXIT_WITH_SERVER = 256,
	OPTION_FLEET,
	OPTION_LOG,
	OPTION_MDOC,
	OPTION_OUTPUT,
	OPTION_READONLY_SOCKET,
	OPTION_READY_FD,
	OPTION_TMUX,
};

static const struct option long_options[] = {
    {"exit-with-server", no_argument, NULL, OPTION_EXIT_WITH_SERVER},
    {"fleet", no_argument, NULL, OPTION_FLEET},
    {"foreground", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"log", required_argument, NULL, OPTION_LOG},
    {"mdoc", no_argument, NULL, OPTION_MDOC},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"quiet", no_argument, NULL, 'q'},
    {"readonly-socket", required_argument, NULL, OPTION_READONLY_SOCKET},
    {"ready-fd", required_argument, NULL, OPTION_READY_FD},
    {"tmux", required_argument, NULL, OPTION_TMUX},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

struct config_options {
	const char *name; /* -L */
	const char *path; /* -S */
	const char *socket; /* -s */
	const char *log;
	bool wants_mdoc;
};

static enum config_result __attribute__((format(printf, 1, 2))) usage(const char *format, ...)
{
	va_list args;
	(void)fputs("muxbusd: ", stderr);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fprintf(stderr, "\n%s", usage_text);
	return CONFIG_ERROR;
}

static enum config_result __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;
	(void)fputs("muxbusd: ", stderr);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	return CONFIG_FAILED;
}

static enum config_result set_ready_fd(struct config *config, const char *text)
{
	uint32_t fd;
	if (!str_parse_u32(text, strlen(text), &fd) || fd > INT_MAX || fd == 0)
		return usage("--ready-fd: \"%s\" is not a descriptor to write to", text);
	config->ready_fd = (int)fd;
	return CONFIG_RUN;
}

static enum config_result set_output(struct config *config, const char *text)
{
	if (strcmp(text, "always") != 0 && strcmp(text, "wanted") != 0)
		return usage("--output: must be \"always\" or \"wanted\", not \"%s\"", text);
	config->all_output = strcmp(text, "always") == 0;
	return CONFIG_RUN;
}

static enum config_result set_readonly_socket(struct config *config, char *text)
{
	char *path = strsep(&text, ","), *word, *end;
	config->readonly_mode = 0600;
	config->readonly_group = (gid_t)-1;
	if (*path == '\0' ||
	    address_absolute(config->readonly_socket, sizeof config->readonly_socket, path) < 0)
		return usage("--readonly-socket: \"%s\" is no path of a socket", path);
	while ((word = strsep(&text, ",")) != NULL) {
		const struct group *group;
		if (strncmp(word, "mode=", 5) == 0) {
			unsigned long mode = strtoul(word + 5, &end, 8);
			if (*end != '\0' || word[5] == '\0' || (mode & ~0666ul) != 0 ||
			    (mode & 0600) != 0600)
				return usage("--readonly-socket: mode must be 0600 to 0666, such "
					     "as 0660, not \"%s\"",
				    word + 5);
			config->readonly_mode = (mode_t)mode;
		} else if (strncmp(word, "group=", 6) == 0) {
			group = getgrnam(word + 6);
			if (group == NULL)
				return usage(
				    "--readonly-socket: there is no group \"%s\"", word + 6);
			config->readonly_group = group->gr_gid;
		} else {
			return usage("--readonly-socket: \"%s\" is neither mode=OCTAL nor "
				     "group=NAME",
			    word);
		}
	}
	return CONFIG_RUN;
}

enum { WORDS_MAX = 4 };

/* Settings whose values are words; the first word is the default. */
static const struct choice {
	const char *name;
	size_t offset; /* in struct config, of the int that gets the index of the word */
	const char *words[WORDS_MAX];
	const char *old; /* an old spelling of the first word; or NULL */
} choices[] = {
    {"attach", offsetof(struct config, attach), {"used", "always", "never"}, "wanted"},
    {"audit", offsetof(struct config, audit), {"sizes", "full", "off"}, NULL},
    {"audit_full_disk", offsetof(struct config, audit_refuses), {"mark", "refuse"}, NULL},
    {"follow", offsetof(struct config, follows_by_control), {"pipe", "control"}, NULL},
    {"on_notify_for", offsetof(struct config, notifies_of_all), {"person", "all"}, NULL},
    {"show", offsetof(struct config, shows_nothing), {"message", "none"}, NULL},
};

#define CHOICES_COUNT (sizeof choices / sizeof *choices)

static enum config_result set_choice(
    struct config *config, const struct choice *choice, const char *value)
{
	const char *const *words = choice->words;
	int *ret_word = (int *)((char *)config + choice->offset);
	for (int word = 0; word < WORDS_MAX && words[word] != NULL; word++) {
		if (strcmp(value, words[word]) == 0) {
			*ret_word = word;
			return CONFIG_RUN;
		}
	}
	if (choice->old != NULL && strcmp(value, choice->old) == 0) {
		*ret_word = 0;
		return CONFIG_RUN;
	}
	return usage("-o: %s: must be \"%s\"%s%s%s or \"%s\", not \"%s\"", choice->name, words[0],
	    words[2] != NULL ? ", \"" : "", words[2] != NULL ? words[1] : "",
	    words[2] != NULL ? "\"" : "", words[2] != NULL ? words[2] : words[1], value);
}

static enum config_result set_limit(struct config *config, const char *text)
{
	char reason[256];
	for (size_t at = 0; at < CHOICES_COUNT; at++) {
		size_t len = strlen(choices[at].name);
		if (strncmp(text, choices[at].name, len) == 0 && text[len] == '=')
			return set_choice(config, &choices[at], text + len + 1);
	}
	if (config_limits_set(&config->limits, text, reason, sizeof reason) < 0)
		return usage("-o: %s", reason);
	return CONFIG_RUN;
}

static enum config_result read_option(
    struct config *config, struct config_options *options, int code, char *argument)
{
	switch (code) {
	case 'f':
		config->is_foreground = true;
		return CONFIG_RUN;
	case 'h':
		(void)printf("%s%s", usage_text, help_text);
		return CONFIG_DONE;
	case 'L':
		options->name = argument;
		return CONFIG_RUN;
	case 'o':
		return set_limit(config, argument);
	case 'q':
		config->log_level = LOG_LEVEL_ERROR;
		return CONFIG_RUN;
	case 's':
		options->socket = argument;
		return CONFIG_RUN;
	case 'S':
		options->path = argument;
		return CONFIG_RUN;
	case 'v':
		if (config->log_level < LOG_LEVEL_DEBUG)
			config->log_level++;
		return CONFIG_RUN;
	case 'V':
		(void)printf("muxbusd " PACKAGE_VERSION "\n");
		return CONFIG_DONE;
	case OPTION_EXIT_WITH_SERVER:
		config->exit_with_server = true;
		return CONFIG_RUN;
	case OPTION_FLEET:
		config->is_fleet = true;
		return CONFIG_RUN;
	case OPTION_LOG:
		options->log = argument;
		return CONFIG_RUN;
	case OPTION_MDOC:
		options->wants_mdoc = true;
		return CONFIG_RUN;
	case OPTION_OUTPUT:
		return set_output(config, argument);
	case OPTION_READONLY_SOCKET:
		return set_readonly_socket(config, argument);
	case OPTION_READY_FD:
		return set_ready_fd(config, argument);
	case OPTION_TMUX:
		config->tmux_path = argument;
		return CONFIG_RUN;
	default: /* getopt_long() has printed the error */
		(void)fputs(usage_text, stderr);
		return CONFIG_ERROR;
	}
}

static enum config_result locate_log(struct config *config, const struct config_options *options)
{
	int r = 0;
	if (options->log != NULL)
		r = address_absolute(config->log_file, sizeof config->log_file, options->log);
	else if (!config->is_foreground)
		r = snprintf(config->log_file, sizeof config->log_file, "%s/log",
			config->state_dir) < (int)sizeof config->log_file
		    ? 0
		    : -1;
	return r < 0 ? fail("the path of the log is too long") : CONFIG_RUN;
}

static enum config_result locate_fleet(struct config *config, const struct config_options *options)
{
	int r = options->socket != NULL
	    ? address_absolute(config->socket, sizeof config->socket, options->socket)
	    : address_fleet(config->socket, sizeof config->socket);
	if (r < 0)
		return fail("the path of the socket is too long");
	if (address_fleet_state(config->state_dir, sizeof config->state_dir) < 0)
		return fail("there is no place for the state: set HOME or XDG_STATE_HOME");
	return locate_log(config, options);
}

static enum config_result locate(struct config *config, const struct config_options *options)
{
	char path[PATH_MAX];
	if (muxbus_socket_path(path, sizeof path, options->name, options->path) < 0 ||
	    address_server(config->tmux_socket, sizeof config->tmux_socket, path) < 0)
		return fail("the path of the tmux socket is too long");
	if (options->socket != NULL) {
		if (address_absolute(config->socket, sizeof config->socket, options->socket) < 0)
			return fail("%s: the path is too long", options->socket);
	} else if (address_socket(config->socket, sizeof config->socket, config->tmux_socket) < 0) {
		return fail("%s: the path is too long", config->tmux_socket);
	}
	if (address_state(config->state_dir, sizeof config->state_dir, config->tmux_socket) < 0)
		return fail("there is no place for the state: set HOME or XDG_STATE_HOME");
	return locate_log(config, options);
}

enum config_result config_read(struct config *config, int argc, char **argv)
{
	struct config_options options = {0};
	bool describes;
	int code;
	*config = (struct config){.ready_fd = -1, .log_level = LOG_LEVEL_WARNING};
	config_limits_init(&config->limits);
	optind = 0; /* restarts getopt_long(): tests call this function again */
	while ((code = getopt_long(argc, argv, "fhL:o:qs:S:vV", long_options, NULL)) != -1) {
		enum config_result result = read_option(config, &options, code, optarg);
		if (result != CONFIG_RUN)
			return result;
	}
	describes = optind < argc && strcmp(argv[optind], "describe") == 0;
	if (describes && optind + 1 == argc)
		return options.wants_mdoc ? CONFIG_DESCRIBE_MDOC : CONFIG_DESCRIBE;
	if (optind < argc)
		return usage("unexpected argument \"%s\"", argv[optind + describes]);
	if (options.wants_mdoc)
		return usage("--mdoc belongs to \"muxbusd describe\"");
	if (options.name != NULL && options.path != NULL)
		return usage("-L and -S exclude each other");
	if ((options.name != NULL && options.name[0] == '\0') ||
	    (options.path != NULL && options.path[0] == '\0'))
		return usage("-L and -S need a name that is not empty");
	if (config->is_fleet && (options.name != NULL || options.path != NULL))
		return usage("--fleet follows no tmux server: -L and -S have no meaning");
	if (config->is_fleet && config->readonly_socket[0] != '\0')
		return usage("--readonly-socket: each daemon of a fleet has its own");
	return config->is_fleet ? locate_fleet(config, &options) : locate(config, &options);
}
