/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as the output of a program, as its reports by OSC: the texts are UTF-8 without control
 * characters and of bounded length, also as JSON, and do not depend on how the output is split.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/tokenizer.h"
#include "base/utf8.h"
#include "daemon/tmux/osc_report.h"
#include "wire/json.h"

#define OUT_MAX ((size_t)16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct osc_reader reader;
	struct buf out;
};

static void check_text(const char *text, size_t max)
{
	size_t len = strlen(text);
	if (len > max || !utf8_is_valid(text, len))
		abort();
	for (size_t at = 0; at < len; at++) {
		uint8_t byte = (uint8_t)text[at];
		if (byte < ' ' || byte == 0x7f || (byte == 0xc2 && (uint8_t)text[at + 1] < 0xa0))
			abort();
	}
}

static void on_token(void *data, const struct token *token)
{
	struct reading *reading = data;
	struct json_writer writer;
	struct osc_report report;
	struct osc_context context;
	if (token->kind == TOKEN_OSC && osc_context_read(token->text, token->len, &context)) {
		check_text(context.id, OSC_ID_MAX);
		check_text(context.state, sizeof context.state - 1);
		check_text(context.question, OSC_QUESTION_MAX);
		check_text(context.wake, OSC_TEXT_MAX);
		(void)buf_printf(
		    &reading->out, "%s%s%s", context.state, context.question, context.wake);
	}
	if (token->kind != TOKEN_OSC ||
	    osc_report_read(&reading->reader, token->text, token->len, &report) == OSC_NOTHING)
		return;
	check_text(report.title, OSC_TITLE_MAX);
	check_text(report.text, OSC_TEXT_MAX);
	json_writer_init(&writer, &reading->out);
	json_object_begin(&writer, NULL);
	json_put_int(&writer, "kind", report.kind);
	json_put_int(&writer, "number", report.number);
	json_put_str(&writer, "title", report.title);
	json_put_str(&writer, "text", report.text);
	json_put_str(&writer, "state", osc_progress_names[report.progress]);
	json_put_int(&writer, "percent", report.percent);
	json_object_end(&writer);
}

static void run(struct reading *reading, const uint8_t *data, size_t size, size_t step)
{
	struct tokenizer tokenizer;
	tokenizer_init(&tokenizer, false);
	osc_reader_init(&reading->reader);
	buf_init(&reading->out, OUT_MAX);
	for (size_t at = 0; at < size; at += step)
		tokenizer_feed(&tokenizer, at, data + at, size - at < step ? size - at : step,
		    on_token, reading);
	tokenizer_finish(&tokenizer);
	osc_reader_finish(&reading->reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading whole, split;
	run(&whole, data, size, size);
	run(&split, data, size, 1);
	if (whole.out.len != split.out.len ||
	    (whole.out.len > 0 && memcmp(whole.out.data, split.out.data, whole.out.len) != 0))
		abort();
	for (size_t at = 0; at < whole.out.len; at++)
		if (whole.out.data[at] < ' ' || whole.out.data[at] == 0x7f)
			abort();
	buf_finish(&whole.out);
	buf_finish(&split.out);
	return 0;
}
