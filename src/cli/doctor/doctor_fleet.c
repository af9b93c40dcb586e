/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for the hosts of the fleet. */
#include "cli/doctor/doctor.h"

#include "cli/ask.h"
#include "config.h"
#include "wire/address.h"

static void find_host(struct doctor_report *report, const struct json *host)
{
	const char *target = json_get_str(host, "target", "?"),
		   *state = json_get_str(host, "state", "");
	const char *version = json_get_str(host, "version", ""),
		   *reason = json_get_str(host, "reason", "not reached yet");
	char subject[192], remedy[512];
	(void)snprintf(subject, sizeof subject, "host %s", target);
	/* The shell of the other machine prints these texts if it does not find muxbus. */
	if (strstr(reason, "not found") != NULL || strstr(reason, "No such file") != NULL)
		(void)snprintf(remedy, sizeof remedy,
		    "install Muxbus on %s, or add muxbus=PATH to its line in the hosts file",
		    json_get_str(host, "host", "?"));
	else
		(void)snprintf(remedy, sizeof remedy,
		    "check that ssh reaches %s without a question, then: muxbus hosts retry",
		    json_get_str(host, "host", "?"));
	if (json_get_bool(host, "local", false))
		(void)snprintf(remedy, sizeof remedy, "muxbus -L %s start",
		    json_get_str(host, "server", "default"));
	if (strcmp(state, "up") != 0)
		doctor_find(report, FINDING_WRONG, subject, remedy, "%s: %s", state, reason);
	else if (strcmp(version, PACKAGE_VERSION) != 0)
		doctor_find(report, FINDING_NOTE, subject,
		    "install the same version on both, and restart muxbusd there",
		    "up, with version %s; this is %s", *version ? version : "?", PACKAGE_VERSION);
	else
		doctor_find(report, FINDING_GOOD, subject, NULL,
		    "up, version %s, %" PRId64 " panes, %" PRId64 " agents", version,
		    json_get_int(host, "panes", 0), json_get_int(host, "agents", 0));
}

static void find_errors(struct doctor_report *report, const struct json *result)
{
	const struct json *errors = json_member(result, "errors");
	const char *file = json_get_str(result, "file", "?");
	char remedy[PATH_MAX + 64];
	(void)snprintf(remedy, sizeof remedy, "correct %s", file);
	json_each (error, errors)
		doctor_find(report, FINDING_WRONG, "hosts file", remedy, "line %" PRId64 ": %s",
		    json_get_int(error, "line", 0), json_get_str(error, "text", "?"));
}

void doctor_fleet(struct doctor_report *report, const struct cli *cli)
{
	static char path[PATH_MAX], reason[PATH_MAX + 512];
	const struct json *result, *hosts;
	struct link *link;
	if (address_fleet(path, sizeof path) < 0)
		return;
	if (link_open(&link, path, reason, sizeof reason) != LINK_OK) {
		if (cli->is_fleet)
			doctor_find(report, FINDING_WRONG, "fleet", "muxbus --fleet start",
			    "not running: %s", reason);
		return;
	}
	if (ask_result(link, "list_hosts", NULL, DOCTOR_MUTE_MS, &result) != CLI_DONE) {
		doctor_find(report, FINDING_WRONG, "fleet", "muxbus --fleet shutdown",
		    "does not answer at %s", path);
	} else {
		hosts = json_member(result, "hosts");
		json_each (host, hosts)
			find_host(report, host);
		find_errors(report, result);
	}
	link_close(link);
}
