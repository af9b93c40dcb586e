/* SPDX-License-Identifier: ISC */
/*
 * Quotes bytes for tmux, and decodes fields that tmux printed. tmux reads a command line twice:
 * with its parser (see muxbus_quote()) and, in many arguments, with its format expansion (see
 * muxbus_literal()). Only double quotes can hold every byte but NUL. Single quotes can contain
 * neither a newline nor an escape. A raw byte 0xFF ends the line if char is signed.
 */
#include <muxbus.h>

#include "base/base.h"

/* Returns true for a byte to write as it is, so that tmux's log of commands stays readable. */
static bool is_plain(uint8_t byte)
{
	return byte >= ' ' && byte < '~' && byte != '"' && byte != '\\' && byte != '$';
}

static char *put_octal(char *out, uint8_t byte)
{
	*out++ = '\\';
	*out++ = (char)('0' + (byte >> 6));
	*out++ = (char)('0' + (byte >> 3 & 7));
	*out++ = (char)('0' + (byte & 7));
	return out;
}

ssize_t muxbus_quote(char *out, const void *bytes, size_t len)
{
	const uint8_t *in = bytes;
	char *start = out;
	if (len > 0 && memchr(in, '\0', len) != NULL)
		return MUXBUS_ERR_INVALID;
	*out++ = '"';
	for (size_t i = 0; i < len; i++)
		if (is_plain(in[i]))
			*out++ = (char)in[i];
		else
			out = put_octal(out, in[i]);
	*out++ = '"';
	return out - start;
}

/* tmux reads "##" as '#', but keeps a run of '#' right before '[', for styles. */
size_t muxbus_literal(char *out, const void *bytes, size_t len)
{
	const char *in = bytes;
	char *start = out;
	for (size_t i = 0; i < len;) {
		size_t run = 0;
		if (in[i] != '#') {
			*out++ = in[i++];
			continue;
		}
		while (i + run < len && in[i + run] == '#')
			run++;
		i += run;
		if (i == len || in[i] != '[')
			run *= 2;
		memset(out, '#', run);
		out += run;
	}
	return (size_t)(out - start);
}

ssize_t muxbus_field_format(char *out, size_t size, const char *variable)
{
	int len;
	len = snprintf(out, size, "#{s/%%/%%25/;s/\\\\/%%5C/;s/\n/%%0A/;s/\t/%%09/:%s}", variable);
	if (len < 0 || (size_t)len >= size)
		return MUXBUS_ERR_LIMIT;
	return len;
}

static int octal_digit(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Returns the byte that a C-style escape of vis(3) with this letter encodes, or -1. */
static int vis_letter(char c)
{
	static const char letters[] = "abfnrstv0$\"";
	static const char values[] = "\a\b\f\n\r \t\v\0$\"";
	const char *found = c == '\0' ? NULL : strchr(letters, c);
	return found == NULL ? -1 : (unsigned char)values[found - letters];
}

/* Returns the length, or -1. Each backslash is of vis(3): those of the value are percent codes. */
static ssize_t vis_decode(char *text, size_t len)
{
	char *out = text;
	for (size_t i = 0; i < len;) {
		if (text[i] != '\\') {
			*out++ = text[i++];
		} else if (len - i > 3 && octal_digit(text[i + 1]) >= 0 &&
		    octal_digit(text[i + 1]) <= 3 && octal_digit(text[i + 2]) >= 0 &&
		    octal_digit(text[i + 3]) >= 0) {
			*out++ = (char)(octal_digit(text[i + 1]) << 6 |
			    octal_digit(text[i + 2]) << 3 | octal_digit(text[i + 3]));
			i += 4;
		} else if (len - i > 1 && vis_letter(text[i + 1]) >= 0) {
			*out++ = (char)vis_letter(text[i + 1]);
			i += 2;
		} else {
			return -1;
		}
	}
	return out - text;
}

static ssize_t percent_decode(char *text, size_t len)
{
	char *out = text;
	for (size_t i = 0; i < len;) {
		if (text[i] != '%') {
			*out++ = text[i++];
			continue;
		}
		if (len - i < 3 || str_hex_digit(text[i + 1]) < 0 || str_hex_digit(text[i + 2]) < 0)
			return -1;
		*out++ = (char)(str_hex_digit(text[i + 1]) << 4 | str_hex_digit(text[i + 2]));
		i += 3;
	}
	return out - text;
}

ssize_t muxbus_field_decode(char *field, size_t len, uint32_t caps)
{
	ssize_t decoded = (ssize_t)len;
	if ((caps & MUXBUS_CAP_PRINT_ENCODED) != 0)
		decoded = vis_decode(field, len);
	if (decoded >= 0)
		decoded = percent_decode(field, (size_t)decoded);
	return decoded < 0 ? MUXBUS_ERR_SYNTAX : decoded;
}
