/* SPDX-License-Identifier: ISC */
/* muxbus doctor: finds problems and suggests remedies. */
#include "cli/doctor/doctor_parts.h"
#include "cli/doctor/doctor_report.h"
#include "cli/option.h"
#include "cli/verbs.h"

enum cli_status doctor_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status end;
	struct doctor_report *report;
	bool is_good;
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &end))
		return end;
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
