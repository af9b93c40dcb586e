/* SPDX-License-Identifier: ISC */
/* muxbus doctor: finds problems and suggests remedies. */
#include "cli/doctor_parts.h"
#include "cli/doctor_report.h"
#include "cli/verbs.h"

enum cli_status doctor_run(struct cli *cli, int argc, char **argv)
{
	struct doctor_report *report;
	bool is_good;
	for (int i = 1; i < argc; i++) {
		if (cli_help("doctor", argv[i]))
			return CLI_DONE;
		if (!cli_option(cli, argv[i]))
			return cli_usage("doctor", "unexpected argument \"%s\"", argv[i]);
	}
	report = doctor_report_new();
	if (!cli->is_fleet) {
		doctor_tmux(report, cli);
		doctor_daemon(report, cli);
		doctor_machine(report, cli);
		doctor_agents(report);
		doctor_tools(report, cli);
	}
	doctor_fleet(report, cli);
	doctor_report_print(report, cli);
	is_good = doctor_report_is_good(report);
	doctor_report_free(report);
	return cli_flush(is_good ? CLI_DONE : CLI_NO);
}
