/* SPDX-License-Identifier: ISC */
/*
 * Quoting against a reader of tmux's grammar, protection against one of its formats, and fields:
 * fields made up as tmux would print them come back unchanged; any other text is refused or
 * decoded within its own memory. Versions and event names as well, with any text.
 */
#include <muxbus.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_quote(const uint8_t *data, size_t size)
{
	char *out = malloc(MUXBUS_QUOTED_MAX(size));
	ssize_t len = muxbus_quote(out, data, size);
	size_t place = 0;
	if ((len < 0) != (size > 0 && memchr(data, 0, size) != NULL))
		abort();
	for (ssize_t i = 1; i < len - 1; place++) {
		unsigned byte = (uint8_t)out[i++];
		if (byte == '\\') {
			byte = (unsigned)(out[i] - '0') << 6 | (unsigned)(out[i + 1] - '0') << 3 |
			    (unsigned)(out[i + 2] - '0');
			i += 3;
		} else if (byte < ' ' || byte > '~' || strchr("\"$~", (int)byte) != NULL) {
			abort();
		}
		if (place >= size || byte != data[place])
			abort();
	}
	if (len >= 0 && (place != size || out[0] != '"' || out[len - 1] != '"'))
		abort();
	free(out);
}

/* As tmux expands formats: runs of '#' are halved unless '[' is behind them. */
static void check_literal(const uint8_t *data, size_t size)
{
	char *out = malloc(MUXBUS_LITERAL_MAX(size) + 1);
	size_t len = muxbus_literal(out, data, size);
	size_t place = 0;
	for (size_t i = 0; i < len;) {
		size_t run = 0;
		size_t want;
		while (i + run < len && out[i + run] == '#')
			run++;
		want = i + run < len && out[i + run] == '[' ? run : run / 2;
		if (want != run && run % 2 != 0)
			abort();
		for (size_t k = 0; k < want; k++) {
			if (place >= size || data[place++] != '#')
				abort();
		}
		i += run;
		if (run == 0 && (place >= size || data[place++] != (uint8_t)out[i++]))
			abort();
	}
	if (place != size)
		abort();
	free(out);
}

static void check_field(const uint8_t *data, size_t size)
{
	char *field = malloc(3 * size + 1);
	size_t len = 0;
	ssize_t got;
	for (size_t i = 0; i < size; i++) {
		const char *found = data[i] == 0 ? NULL : strchr("%\\\n\t", data[i]);
		if (found == NULL) {
			field[len++] = (char)data[i];
		} else {
			memcpy(field + len,
			    data[i] == '%'        ? "%25"
				: data[i] == '\\' ? "%5C"
				: data[i] == '\n' ? "%0A"
						  : "%09",
			    3);
			len += 3;
		}
	}
	got = muxbus_field_decode(field, len, MUXBUS_CAP_PRINT_ENCODED);
	if (got != (ssize_t)size || memcmp(field, data, size) != 0)
		abort();
	free(field);
	for (uint32_t caps = 0; caps <= MUXBUS_CAP_PRINT_ENCODED; caps++) {
		field = malloc(size == 0 ? 1 : size);
		memcpy(field, data, size);
		got = muxbus_field_decode(field, size, caps);
		if (got > (ssize_t)size || (got < 0 && got != MUXBUS_ERR_SYNTAX))
			abort();
		free(field);
	}
}

static void check_version(const uint8_t *data, size_t size)
{
	struct muxbus_version version;
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (muxbus_version_parse(text, &version) == 0 && version.major < 3)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_quote(data, size);
	check_literal(data, size);
	check_field(data, size);
	check_version(data, size);
	return 0;
}
