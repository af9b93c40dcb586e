/* SPDX-License-Identifier: ISC */
/* muxbus doctor: finds problems and suggests remedies; prints them as text or JSON. */
#include "cli/doctor/doctor.h"

#include "cli/verb.h"

#define FINDINGS_MAX 4096 /* findings that are kept; wrong ones beyond them are still counted */
#define TEXT_MAX 2048
#define INDENT 22 /* columns before the text of a finding */
#define OUT_MAX ((size_t)64 * 1024 * 1024)

struct finding {
	enum finding_state state;
	char *subject, *text;
	char *remedy; /* NULL if none is needed */
};

struct doctor_report {
	struct finding findings[FINDINGS_MAX];
	size_t count, wrong;
};

static const char *const state_names[] = {
    [FINDING_GOOD] = "good", [FINDING_NOTE] = "note", [FINDING_WRONG] = "wrong"};

static const enum screen_style state_styles[] = {
    [FINDING_GOOD] = SCREEN_GOOD, [FINDING_NOTE] = SCREEN_WARN, [FINDING_WRONG] = SCREEN_BAD};

void doctor_find(struct doctor_report *report, enum finding_state state, const char *subject,
    const char *remedy, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;
	struct finding *finding;
	report->wrong += state == FINDING_WRONG;
	if (report->count == FINDINGS_MAX)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	finding = &report->findings[report->count++];
	finding->state = state;
	finding->subject = xstrdup(subject);
	finding->text = xstrdup(text);
	finding->remedy = remedy != NULL ? xstrdup(remedy) : NULL;
}

static void put_people(
    struct buf *out, const struct doctor_report *report, const struct cli *cli, size_t columns)
{
	bool has_color = cli->has_color;
	const char *plain = screen_style(has_color, SCREEN_PLAIN);
	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];
		struct buf remedy = BUF(OUT_MAX);
		(void)buf_printf(out, "%s%-5s%s  ",
		    screen_style(has_color, state_styles[finding->state]),
		    state_names[finding->state], plain);
		(void)screen_text_line(out, finding->subject, strlen(finding->subject));
		(void)buf_printf(out, "%*s", 15 - (int)strnlen(finding->subject, 13), "");
		screen_text_wrap(out, finding->text, columns, INDENT, INDENT);
		if (finding->remedy == NULL)
			continue;
		(void)buf_printf(
		    out, "%*s%s-> %s", INDENT, "", screen_style(has_color, SCREEN_BOLD), plain);
		cli_hint(&remedy, cli, finding->remedy);
		screen_text_wrap(out, buf_text(&remedy), columns, INDENT + 3, INDENT + 3);
		buf_finish(&remedy);
	}
	if (report->wrong > 0)
		(void)buf_printf(out, "\n%zu %s wrong\n", report->wrong,
		    report->wrong == 1 ? "thing is" : "things are");
	else
		(void)buf_append_str(out, "\nnothing is wrong\n");
}

static void put_json(struct buf *out, const struct doctor_report *report, const struct cli *cli)
{
	struct json_writer writer;
	struct buf remedy = BUF(OUT_MAX);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_array_begin(&writer, "findings");
	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];
		json_object_begin(&writer, NULL);
		json_put_str(&writer, "subject", finding->subject);
		json_put_str(&writer, "state", state_names[finding->state]);
		json_put_str(&writer, "text", finding->text);
		buf_clear(&remedy);
		if (finding->remedy != NULL)
			cli_hint(&remedy, cli, finding->remedy);
		json_put_str(&writer, "remedy", finding->remedy != NULL ? buf_text(&remedy) : NULL);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_put_int(&writer, "wrong", (int64_t)report->wrong);
	json_object_end(&writer);
	(void)buf_append_byte(out, '\n');
	buf_finish(&remedy);
}

static void free_report(struct doctor_report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		mem_free(report->findings[i].subject);
		mem_free(report->findings[i].text);
		mem_free(report->findings[i].remedy);
	}
	mem_free(report);
}

static void print_report(const struct doctor_report *report, const struct cli *cli)
{
	struct buf out = BUF(OUT_MAX);
	if (show_is_json(cli))
		put_json(&out, report, cli);
	else
		put_people(&out, report, cli,
		    cli->is_terminal ? (size_t)screen_columns(STDOUT_FILENO) : 0);
	cli_print(&out);
}

enum cli_status doctor_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status end;
	struct doctor_report *report;
	bool is_good;
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &end))
		return end;
	report = xcalloc(1, sizeof *report);
	if (remote_is(cli)) {
		(void)doctor_daemon(report, cli); /* the other parts would check this machine */
	} else if (!cli->is_fleet) {
		bool answers;
		doctor_tmux(report, cli);
		answers = doctor_daemon(report, cli);
		doctor_machine(report, cli);
		doctor_agents(report);
		if (answers)
			doctor_tools(report, cli);
	}
	if (!remote_is(cli))
		doctor_fleet(report, cli);
	print_report(report, cli);
	is_good = report->wrong == 0;
	free_report(report);
	return cli_flush(is_good ? CLI_DONE : CLI_NO);
}
