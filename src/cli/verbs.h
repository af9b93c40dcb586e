/* SPDX-License-Identifier: ISC */
/* The functions of the verbs. */
#pragma once

#include "cli/cli.h"

/* Keep alphabetized. */
enum cli_status audit_run(struct cli *cli, int argc, char **argv);
enum cli_status complete_run(struct cli *cli, int argc, char **argv);
enum cli_status completion_run(struct cli *cli, int argc, char **argv);
enum cli_status doctor_run(struct cli *cli, int argc, char **argv);
enum cli_status follow_run(struct cli *cli, int argc, char **argv);
enum cli_status go_run(struct cli *cli, int argc, char **argv);
enum cli_status help_run(struct cli *cli, int argc, char **argv);
enum cli_status home_run(struct cli *cli, int argc, char **argv);
enum cli_status hook_run(struct cli *cli, int argc, char **argv);
enum cli_status hosts_run(struct cli *cli, int argc, char **argv);
enum cli_status logs_run(struct cli *cli, int argc, char **argv);
enum cli_status mark_run(struct cli *cli, int argc, char **argv);
enum cli_status mcp_run(struct cli *cli, int argc, char **argv);
enum cli_status metrics_run(struct cli *cli, int argc, char **argv);
enum cli_status on_notify_run(struct cli *cli, int argc, char **argv);
enum cli_status record_run(struct cli *cli, int argc, char **argv);
enum cli_status relay_run(struct cli *cli, int argc, char **argv);
enum cli_status remind_run(struct cli *cli, int argc, char **argv);
enum cli_status rerun_run(struct cli *cli, int argc, char **argv);
enum cli_status restore_run(struct cli *cli, int argc, char **argv);
enum cli_status run_run(struct cli *cli, int argc, char **argv);
enum cli_status screenshot_run(struct cli *cli, int argc, char **argv);
enum cli_status setup_run(struct cli *cli, int argc, char **argv);
enum cli_status shell_init_run(struct cli *cli, int argc, char **argv);
enum cli_status start_run(struct cli *cli, int argc, char **argv);
enum cli_status tail_run(struct cli *cli, int argc, char **argv);
enum cli_status top_run(struct cli *cli, int argc, char **argv);
enum cli_status version_run(struct cli *cli, int argc, char **argv);
enum cli_status wait_run(struct cli *cli, int argc, char **argv);
enum cli_status watch_run(struct cli *cli, int argc, char **argv);
