/* SPDX-License-Identifier: ISC */
/* Options and limits. */
#include "daemon/core/config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "tap.h"

static struct config config;

/* Parses a command line of words; its output is dropped. */
static enum config_result read_words(const char *words)
{
	static char text[1024];
	static char program[] = "muxbusd";
	char *argv[32] = {program};
	int argc = 1;
	enum config_result result;
	int out, err, null;
	(void)snprintf(text, sizeof text, "%s", words);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	(void)fflush(stdout);
	(void)fflush(stderr);
	out = dup(STDOUT_FILENO);
	err = dup(STDERR_FILENO);
	null = open("/dev/null", O_WRONLY);
	(void)dup2(null, STDOUT_FILENO);
	(void)dup2(null, STDERR_FILENO);
	result = config_read(&config, argc, argv);
	(void)fflush(stdout);
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(err, STDERR_FILENO);
	(void)close(out);
	(void)close(err);
	(void)close(null);
	return result;
}

static void test_places(void)
{
	char want[256];
	(void)setenv("HOME", "/home/someone", 1);
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("TMUX");
	(void)setenv("TMUX_TMPDIR", "/tmp", 1);
	is_int(read_words(""), CONFIG_RUN, "no words are enough");
	(void)snprintf(want, sizeof want, "/tmp/tmux-%ld/default", (long)getuid());
	is_str(config.tmux_socket, want, "tmux's default server");
	(void)strcat(want, ".muxbus");
	is_str(config.socket, want, "and a socket beside it");
	ok(strncmp(config.state_dir, "/home/someone/.local/state/muxbus/default-", 42) == 0,
	    "the state: %s", config.state_dir);
	ok(strncmp(config.log_file, config.state_dir, strlen(config.state_dir)) == 0,
	    "the log lies with it: %s", config.log_file);
	ok(!config.is_foreground && config.ready_fd == -1 && !config.all_output,
	    "in the background, output when it is wanted");
	(void)setenv("TMUX", "/tmp/x/y,123,0", 1);
	is_int(read_words("-f"), CONFIG_RUN, "within tmux");
	is_str(config.tmux_socket, "/tmp/x/y", "its own server");
	is_str(config.log_file, "", "in the foreground the log is standard error");
	is_int(read_words("-L other"), CONFIG_RUN, "-L");
	ok(strstr(config.tmux_socket, "/other") != NULL, "names a server: %s", config.tmux_socket);
	is_int(read_words("-S /run/t -s /run/m --log /run/l"), CONFIG_RUN, "-S and -s");
	is_str(config.tmux_socket, "/run/t", "are paths");
	is_str(config.socket, "/run/m", "for both");
	is_str(config.log_file, "/run/l", "and the log");
	is_int(read_words("-s m"), CONFIG_RUN, "a relative path");
	ok(config.socket[0] == '/', "becomes an absolute one");
	(void)setenv("XDG_STATE_HOME", "/state", 1);
	(void)read_words("-S /run/t");
	ok(strncmp(config.state_dir, "/state/muxbus/t-", 16) == 0, "the state: %s",
	    config.state_dir);
	(void)unsetenv("HOME");
	(void)unsetenv("XDG_STATE_HOME");
	is_int(read_words(""), CONFIG_RUN, "without HOME the state is in the home of the account");
	(void)setenv("HOME", "/home/someone", 1);
}

static void test_words(void)
{
	static const struct {
		const char *words;
		enum config_result result;
	} cases[] = {
	    {"--help", CONFIG_DONE},
	    {"--version", CONFIG_DONE},
	    {"-V", CONFIG_DONE},
	    {"describe", CONFIG_DESCRIBE},
	    {"describe --mdoc", CONFIG_DESCRIBE_MDOC},
	    {"--mdoc describe", CONFIG_DESCRIBE_MDOC},
	    {"--mdoc", CONFIG_ERROR},
	    {"describe it", CONFIG_ERROR},
	    {"word", CONFIG_ERROR},
	    {"--nothing", CONFIG_ERROR},
	    {"-x", CONFIG_ERROR},
	    {"-L", CONFIG_ERROR},
	    {"-L a -S b", CONFIG_ERROR},
	    {"--output sometimes", CONFIG_ERROR},
	    {"--output=always", CONFIG_RUN},
	    {"--output wanted", CONFIG_RUN},
	    {"--ready-fd x", CONFIG_ERROR},
	    {"--ready-fd -1", CONFIG_ERROR},
	    {"--ready-fd 5", CONFIG_RUN},
	    {"-o peers=3", CONFIG_RUN},
	    {"-o peers", CONFIG_ERROR},
	    {"-o peers=", CONFIG_ERROR},
	    {"-o peers=0", CONFIG_ERROR},
	    {"-o peers=3x", CONFIG_ERROR},
	    {"-o peers=99999999999999999999", CONFIG_ERROR},
	    {"-o nothing=3", CONFIG_ERROR},
	    {"-o attach=wanted -o show=none -o on_notify_for=all", CONFIG_RUN},
	    {"-o show=message -o on_notify_for=person", CONFIG_RUN},
	    {"-o show=both", CONFIG_ERROR},
	    {"-o show=", CONFIG_ERROR},
	    {"-o attach=sometimes", CONFIG_ERROR},
	    {"-o attach=never -o follow=control", CONFIG_RUN},
	    {"-o on_notify_for=me", CONFIG_ERROR},
	    {"-o showing=none", CONFIG_ERROR},
	    {"-qfv --exit-with-server --tmux /bin/tmux", CONFIG_RUN},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_int(read_words(cases[i].words), cases[i].result, "%s", cases[i].words);
	ok(config.exit_with_server && config.is_foreground &&
		strcmp(config.tmux_path, "/bin/tmux") == 0 && config.log_level == LOG_LEVEL_WARNING,
	    "the last values count");
	(void)read_words("-o peers=3 -o line_bytes=2048 --output=always --ready-fd 7");
	ok(config.limits.peers == 3 && config.limits.line_bytes == 2048 && config.all_output &&
		config.ready_fd == 7,
	    "values are set");
	ok(config.limits.waits == 1000, "and other limits are unchanged");
	(void)read_words("-o show=none -o on_notify_for=all -o attach=wanted -o show=message");
	ok(!config.shows_nothing && config.notifies_of_all && config.attach == ATTACH_USED,
	    "of two words the last one counts");
	ok(config_pipes(&config), "panes are followed by pipes");
	(void)read_words("-o follow=control");
	ok(!config_pipes(&config), "but not in control mode");
	(void)read_words("-o attach=always -o follow=pipe");
	ok(!config_pipes(&config), "nor by a daemon that is always a client");
	(void)read_words("-o attach=never -o follow=control");
	ok(config.attach == ATTACH_NEVER && config_pipes(&config), "and by one that never is");
}

static void test_reasons(void)
{
	char reason[256] = "";
	config_limits_init(&config.limits);
	is_int(config_limits_set(&config.limits, "peer=1", reason, sizeof reason), -1,
	    "an unknown name");
	ok(strstr(reason, "did you mean \"peers\"") != NULL, "%s", reason);
	is_int(config_limits_set(&config.limits, "waits=-1", reason, sizeof reason), -1,
	    "a value out of bounds");
	ok(strstr(reason, "from 1 to 100000, not \"-1\"") != NULL, "%s", reason);
}

int main(void)
{
	test_places();
	test_words();
	test_reasons();
	return done_testing();
}
