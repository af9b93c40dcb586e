/* SPDX-License-Identifier: ISC */
/* Parsing versions of tmux, and their capabilities. */
#include <muxbus.h>

#include <string.h>

#include "tap.h"

static void test_forms(void)
{
	static const struct {
		const char *text;
		int error;
		unsigned major;
		unsigned minor;
		char letter;
		bool is_next;
	} rows[] = {
	    {"3.3", 0, 3, 3, 0, false},
	    {"3.3a", 0, 3, 3, 'a', false},
	    {"3.7c", 0, 3, 7, 'c', false},
	    {"3.10", 0, 3, 10, 0, false},
	    {"4.0", 0, 4, 0, 0, false},
	    {"next-3.8", 0, 3, 8, 0, true},
	    {"3.4-rc2", 0, 3, 4, 0, false},
	    {"3.5a-rc", 0, 3, 5, 'a', false},
	    {"master", 0, 3, 8, 0, true},
	    {"openbsd-7.5", 0, 3, 4, 0, false},
	    {"openbsd-7.1", 0, 3, 3, 0, false},
	    {"openbsd-9.0", 0, 3, 6, 0, false},
	    {"openbsd-7.0", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"next-3.3", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"3.2a", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"3.1c", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"2.9a", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"1.8", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"1.412", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"next-3.1", MUXBUS_ERR_VERSION, 0, 0, 0, false},
	    {"", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {".3", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.3A", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.3ab", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.3a ", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.4-", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.4.1", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"-3.4", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"3.99999999999999999999", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"next-", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"next-master", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"openbsd-", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"tmux 3.3a", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	    {"#{version}", MUXBUS_ERR_SYNTAX, 0, 0, 0, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct muxbus_version version = {77, 77, 7, false, 7};
		int error = muxbus_version_parse(rows[i].text, &version);
		is_int(error, rows[i].error, "\"%s\"", rows[i].text);
		if (error != 0)
			ok(version.major == 77 && version.caps == 7, "writes nothing");
		else
			ok(version.major == rows[i].major && version.minor == rows[i].minor &&
				version.letter == rows[i].letter &&
				version.is_next == rows[i].is_next,
			    "is %u.%u, letter %d", version.major, version.minor, version.letter);
	}
}

#define HAZARDS_OLD \
	"paste_dead_crash off_crash window_crash subscription_crash names_encoded start_crash "

/* The names of all capabilities, each with a space behind it. */
static const char *caps_text(uint32_t caps)
{
	static char text[1024];
	text[0] = '\0';
	for (unsigned bit = 0; bit < 32; bit++) {
		const char *name = muxbus_cap_name(1u << bit);
		if ((caps & 1u << bit) == 0)
			continue;
		strcat(text, name == NULL ? "?" : name);
		strcat(text, " ");
	}
	return text;
}

static void test_caps(void)
{
	static const struct {
		const char *version;
		const char *caps;
	} rows[] = {
	    {"3.3a", "dead_signal swap_notifies " HAZARDS_OLD},
	    {"3.4",
		"print_encoded hook_message dead_signal swap_notifies "
		"off_crash window_crash subscription_crash names_encoded start_crash emoji_join "},
	    {"3.5a",
		"print_encoded hook_message dead_signal swap_notifies extended_keys "
		"off_crash window_crash subscription_crash names_encoded start_crash emoji_join "},
	    {"3.6b",
		"hook_message dead_signal swap_notifies no_detach_on_destroy extended_keys "
		"off_crash window_crash subscription_crash names_encoded start_crash emoji_join "},
	    {"3.7c",
		"hook_message dead_signal swap_notifies paste_vis floating fast_output "
		"no_detach_on_destroy extended_keys window_crash emoji_join "},
	    {"3.8",
		"hook_message dead_signal swap_notifies paste_vis floating fast_output "
		"no_detach_on_destroy extended_keys events_sync new_layouts emoji_join "},
	    /* A bug fixed in 3.8 may still be in the versions before 3.8. */
	    {"next-3.8",
		"hook_message dead_signal swap_notifies paste_vis floating fast_output "
		"no_detach_on_destroy extended_keys window_crash events_sync new_layouts "
		"emoji_join "},
	    {"next-3.6",
		"print_encoded hook_message dead_signal swap_notifies no_detach_on_destroy "
		"extended_keys off_crash window_crash subscription_crash names_encoded "
		"start_crash emoji_join "},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct muxbus_version version = {0};
		muxbus_version_parse(rows[i].version, &version);
		is_str(caps_text(version.caps), rows[i].caps, "the capabilities of %s",
		    rows[i].version);
	}
}

static void test_library(void)
{
	is_int(muxbus_version(), MUXBUS_VERSION, "the library is of the version of its header");
	ok(MUXBUS_VERSION_NUMBER(0, 9, 9) < MUXBUS_VERSION_NUMBER(0, 10, 0) &&
		MUXBUS_VERSION_NUMBER(0, 255, 255) < MUXBUS_VERSION_NUMBER(1, 0, 0),
	    "versions are ordered as numbers");
}

static void test_names(void)
{
	unsigned bit = 0;
	while (muxbus_cap_name(1u << bit) != NULL)
		bit++;
	is_int(1 << bit, MUXBUS_CAP_EMOJI_JOIN << 1, "each capability has a name, without a gap");
	ok(muxbus_cap_name(0) == NULL && muxbus_cap_name(3) == NULL, "an unknown bit has no name");
}

int main(void)
{
	test_forms();
	test_caps();
	test_names();
	test_library();
	return done_testing();
}
