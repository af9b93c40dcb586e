/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for agents: which are installed, and which are set up for muxbus. */
#include "cli/doctor/doctor.h"

#include "cli/setup/setup_file.h"

static void find_agent(struct doctor_report *report, const struct setup *setup)
{
	static char program[PATH_MAX], file[PATH_MAX];
	char remedy[64];
	const char *name = setup->agent->name;
	enum setup_state state = setup_look(setup, file);
	bool is_installed = setup_is_installed(setup, program);
	(void)snprintf(remedy, sizeof remedy, "muxbus setup %s --write", name);
	if (state == SETUP_COMPLETE)
		doctor_find(report, FINDING_GOOD, name, NULL, "knows muxbus: %s", file);
	else if (state == SETUP_PARTIAL)
		doctor_find(report, FINDING_NOTE, name, remedy,
		    "is set up in part, or by another version: %s", file);
	else if (is_installed)
		doctor_find(report, FINDING_NOTE, name, remedy,
		    "is installed (%s), and does not know muxbus", program);
}

void doctor_agents(struct doctor_report *report)
{
	struct setup setup;
	if (!setup_init(&setup))
		return;
	for (setup.agent = setup_agents; setup.agent->name != NULL; setup.agent++)
		find_agent(report, &setup);
}
