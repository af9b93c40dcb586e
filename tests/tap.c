/* SPDX-License-Identifier: ISC */
/* The Test Anything Protocol on standard output. */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN_BYTES = 200 };

static int n_checks;
static int n_failed;

/* Prints a name; characters that TAP would read as a directive or a new line are replaced. */
static void TAP_PRINTF(1, 0) print_name(const char *fmt, va_list ap)
{
	char name[512];
	(void)vsnprintf(name, sizeof name, fmt, ap);
	for (char *p = name; *p != '\0'; p++) {
		if ((unsigned char)*p < 0x20 || *p == '#')
			*p = '?';
	}
	(void)puts(name);
}

static bool report(bool passed, const char *fmt, va_list ap)
{
	n_checks++;
	if (!passed)
		n_failed++;
	(void)printf("%sok %d - ", passed ? "" : "not ", n_checks);
	print_name(fmt, ap);
	(void)fflush(stdout);
	return passed;
}

/* Shows bytes as a C string would be written, cut after MAX_SHOWN_BYTES. */
static void show_bytes(const char *label, const void *data, size_t len)
{
	const unsigned char *bytes = data;
	if (bytes == NULL) {
		(void)printf("#   %s: NULL\n", label);
		return;
	}
	(void)printf("#   %s: \"", label);
	for (size_t i = 0; i < len && i < MAX_SHOWN_BYTES; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			(void)printf("\\%c", bytes[i]);
		else if (bytes[i] >= 0x20 && bytes[i] < 0x7f)
			(void)putchar(bytes[i]);
		else
			(void)printf("\\%03o", bytes[i]);
	}
	(void)printf("\"%s (%zu bytes)\n", len > MAX_SHOWN_BYTES ? "..." : "", len);
}

bool ok(bool cond, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	(void)report(cond, fmt, ap);
	va_end(ap);
	return cond;
}

bool is_int(long long got, long long want, const char *fmt, ...)
{
	va_list ap;
	bool passed;
	va_start(ap, fmt);
	passed = report(got == want, fmt, ap);
	va_end(ap);
	if (!passed)
		diag("   got: %lld\n  want: %lld", got, want);
	return passed;
}

bool is_str(const char *got, const char *want, const char *fmt, ...)
{
	bool same = got == NULL || want == NULL ? got == want : strcmp(got, want) == 0;
	va_list ap;
	bool passed;
	va_start(ap, fmt);
	passed = report(same, fmt, ap);
	va_end(ap);
	if (!passed) {
		show_bytes(" got", got, got == NULL ? 0 : strlen(got));
		show_bytes("want", want, want == NULL ? 0 : strlen(want));
	}
	return passed;
}

bool is_mem(
    const void *got, size_t got_len, const void *want, size_t want_len, const char *fmt, ...)
{
	bool same = got_len == want_len && (got_len == 0 || memcmp(got, want, got_len) == 0);
	va_list ap;
	bool passed;
	va_start(ap, fmt);
	passed = report(same, fmt, ap);
	va_end(ap);
	if (!passed) {
		show_bytes(" got", got, got_len);
		show_bytes("want", want, want_len);
	}
	return passed;
}

void diag(const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (char *line = text; line != NULL;) {
		char *newline = strchr(line, '\n');
		if (newline != NULL)
			*newline = '\0';
		(void)printf("# %s\n", line);
		line = newline == NULL ? NULL : newline + 1;
	}
	(void)fflush(stdout);
}

void skip(const char *reason)
{
	n_checks++;
	(void)printf("ok %d # SKIP %s\n", n_checks, reason);
	(void)fflush(stdout);
}

void skip_all(const char *reason)
{
	(void)printf("1..0 # SKIP %s\n", reason);
	(void)fflush(stdout);
	/* the plan reports the skip; automake's driver would take 77 for an error */
	exit(EXIT_SUCCESS);
}

int done_testing(void)
{
	(void)printf("1..%d\n", n_checks);
	if (n_checks == 0)
		diag("no check was made");
	return n_failed > 0 || n_checks == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
