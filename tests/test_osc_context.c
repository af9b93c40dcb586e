/* SPDX-License-Identifier: ISC */
/* Contexts (OSC 3008), well-formed, forged and hostile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/tmux/osc_report.h"
#include "tap.h"

static const char *describe(const char *string, size_t len)
{
	static char out[4096];
	struct osc_context context;
	if (!osc_context_read(string, len, &context))
		return "none";
	(void)snprintf(out, sizeof out, "%s %s t=%s a=%s s=%s st=%s to=%s q=%s w=%s",
	    context.is_end ? "end" : "start", context.id, context.token, context.agent,
	    context.session, context.state, context.to, context.question, context.wake);
	return out;
}

#define LITERAL(text) text, sizeof text - 1

static const struct {
	const char *string;
	size_t len;
	const char *want;
} rows[] = {
    {LITERAL("3008;start=m1;type=app;muxbus=0a;agent=claude;session=s:1;state=busy"),
	"start m1 t=0a a=claude s=s:1 st=busy to= q= w="},
    {LITERAL("3008;end=m1;exit=success;muxbus=0a"), "end m1 t=0a a= s= st= to= q= w="},
    {LITERAL("3008;start=m1;state=asking;question=Run \\x60rm\\x3b ls\\x60?;wake=a=b;to=parent"),
	"start m1 t= a= s= st=asking to=parent q=Run `rm; ls`? w=a=b"},
    {LITERAL("3008;start=m1;question=\\x1b[31m\\x07\\xc2\\x9b\\n\\x0a\\xff.\\x4"),
	"start m1 t= a= s= st= to= q=[31m \\n \357\277\275.\\x4 w="},
    {LITERAL("3008;start=a b;agent=a b;state=;session=\\x20;muxbus=\\x00a"),
	"start  t= a= s= st= to= q= w="},
    {LITERAL("3008;start=m;state=12345678901234567;agent=123456789012345678901234567890123"),
	"start m t= a= s= st= to= q= w="},
    {LITERAL("3008;start=m;state=busy;state=idle;;=;x;state"),
	"start m t= a= s= st=idle to= q= w="},
    {LITERAL("3008;state=busy;start=m"), "none"},
    {LITERAL("3008;start"), "none"},
    {LITERAL("3008;"), "none"},
    {LITERAL("3008"), "none"},
    {LITERAL("30080;start=m"), "none"},
    {LITERAL(""), "none"},
};

int main(void)
{
	char *copy, *text;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		is_str(describe(rows[i].string, rows[i].len), rows[i].want, "row %zu", i);
		/* Each beginning of it, with nothing behind it that may be read. */
		for (size_t len = 0; len <= rows[i].len; len++) {
			copy = malloc(len > 0 ? len : 1);
			memcpy(copy, rows[i].string, len);
			(void)describe(copy, len);
			free(copy);
		}
	}
	text = malloc(4001);
	memset(text, 'x', 4000);
	text[4000] = '\0';
	memcpy(text, "3008;start=m;question=", 22);
	is_int((long long)strlen(describe(text, 4000)),
	    (long long)strlen("start m t= a= s= st= to= q= w=") + OSC_QUESTION_MAX,
	    "a long question is cut");
	free(text);
	return done_testing();
}
