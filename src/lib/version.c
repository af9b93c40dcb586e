/* SPDX-License-Identifier: ISC */
/*
 * Parses `#{version}`. A bug that was fixed in a release is assumed in the development versions
 * before the release ("next-3.8" for 3.8), since it is unknown which of them have the fix.
 */
#include <muxbus.h>

#include "base/base.h"

/* Makes a number of a release, for comparisons: 3.3a is 3003001. */
#define RELEASE(major, minor, letter) ((major)*1000000u + (minor)*1000u + (letter))
#define FOREVER UINT32_MAX
/*
 * The oldest supported release. Up to 3.2a the server crashes if a pane with remain-on-exit ends
 * while its output waits for a control client. The daemon's own panes have remain-on-exit, so that
 * their status can be read.
 */
#define OLDEST RELEASE(3u, 3u, 0u)
#define MASTER_MAJOR 3u
#define MASTER_MINOR 8u

struct cap_row {
	uint32_t bit;
	const char *name;
	uint32_t since; /* the first release with the capability */
	uint32_t until; /* the first later release without the capability; FOREVER: none */
};

static const struct cap_row cap_rows[] = {
    {MUXBUS_CAP_PRINT_ENCODED, "print_encoded", RELEASE(3, 4, 0), RELEASE(3, 6, 0)},
    {MUXBUS_CAP_HOOK_MESSAGE, "hook_message", RELEASE(3, 4, 0), FOREVER},
    {MUXBUS_CAP_DEAD_SIGNAL, "dead_signal", RELEASE(3, 3, 0), FOREVER},
    {MUXBUS_CAP_SWAP_NOTIFIES, "swap_notifies", RELEASE(3, 3, 0), FOREVER},
    {MUXBUS_CAP_PASTE_VIS, "paste_vis", RELEASE(3, 7, 0), FOREVER},
    {MUXBUS_CAP_FLOATING, "floating", RELEASE(3, 7, 0), FOREVER},
    {MUXBUS_CAP_FAST_OUTPUT, "fast_output", RELEASE(3, 7, 0), FOREVER},
    {MUXBUS_CAP_NO_DETACH_ON_DESTROY, "no_detach_on_destroy", RELEASE(3, 6, 0), FOREVER},
    {MUXBUS_CAP_EXTENDED_KEYS, "extended_keys", RELEASE(3, 5, 0), FOREVER},
    {MUXBUS_CAP_PASTE_DEAD_CRASH, "paste_dead_crash", 0, RELEASE(3, 4, 0)},
    {MUXBUS_CAP_OFF_CRASH, "off_crash", 0, RELEASE(3, 7, 0)},
    {MUXBUS_CAP_WINDOW_CRASH, "window_crash", 0, RELEASE(3, 8, 0)},
    {MUXBUS_CAP_SUBSCRIPTION_CRASH, "subscription_crash", 0, RELEASE(3, 7, 0)},
    {MUXBUS_CAP_NAMES_ENCODED, "names_encoded", 0, RELEASE(3, 7, 0)},
    {MUXBUS_CAP_EVENTS_SYNC, "events_sync", RELEASE(3, 8, 0), FOREVER},
    {MUXBUS_CAP_START_CRASH, "start_crash", 0, RELEASE(3, 7, 0)},
    {MUXBUS_CAP_NEW_LAYOUTS, "new_layouts", RELEASE(3, 8, 0), FOREVER},
    {MUXBUS_CAP_EMOJI_JOIN, "emoji_join", RELEASE(3, 4, 0), FOREVER},
};

#define CAP_ROWS (sizeof cap_rows / sizeof cap_rows[0])

/* OpenBSD's tmux shows the version of the system. A row: the tmux release that it is at least. */
static const struct {
	uint32_t system;
	unsigned major;
	unsigned minor;
} openbsd_rows[] = {
    {RELEASE(7, 9, 0), 3, 6},
    {RELEASE(7, 8, 0), 3, 6},
    {RELEASE(7, 6, 0), 3, 5},
    {RELEASE(7, 5, 0), 3, 4},
    {RELEASE(7, 1, 0), 3, 3},
};

static uint32_t caps_of(uint32_t release, bool is_next)
{
	uint32_t caps = 0;
	for (size_t i = 0; i < CAP_ROWS; i++) {
		const struct cap_row *row = &cap_rows[i];
		bool is_over = is_next ? release > row->until : release >= row->until;
		if (release >= row->since && !is_over)
			caps |= row->bit;
	}
	return caps;
}

/* Reads 1 to 3 digits, and moves *text behind them. Returns false for another number of digits. */
static bool read_number(const char **text, unsigned *ret_number)
{
	size_t len = strspn(*text, "0123456789");
	uint32_t number;
	if (len > 3 || !str_parse_u32(*text, len, &number))
		return false;
	*text += len;
	*ret_number = number;
	return true;
}

/* Reads "3.4", "3.3a", or "3.4-rc2", which counts as 3.4. Returns false for other texts. */
static bool read_release(const char *text, struct muxbus_version *version)
{
	if (!read_number(&text, &version->major) || *text++ != '.' ||
	    !read_number(&text, &version->minor))
		return false;
	if (*text >= 'a' && *text <= 'z')
		version->letter = *text++;
	if (*text == '-')
		return text[1] != '\0';
	return *text == '\0';
}

static uint32_t release_of(const struct muxbus_version *version)
{
	unsigned letter = version->letter == 0 ? 0 : (unsigned)(version->letter - 'a') + 1;
	return RELEASE(version->major, version->minor, letter);
}

static int map_openbsd(struct muxbus_version *version)
{
	uint32_t system = release_of(version);
	for (size_t i = 0; i < sizeof openbsd_rows / sizeof openbsd_rows[0]; i++) {
		if (system >= openbsd_rows[i].system) {
			version->major = openbsd_rows[i].major;
			version->minor = openbsd_rows[i].minor;
			version->letter = 0;
			/* OpenBSD's tmux may encode fields. Decoding keeps plain fields. */
			version->caps =
			    caps_of(release_of(version), true) | MUXBUS_CAP_PRINT_ENCODED;
			return 0;
		}
	}
	return MUXBUS_ERR_VERSION;
}

int muxbus_version_parse(const char *text, struct muxbus_version *ret_version)
{
	struct muxbus_version version = {0};
	int error = 0;
	if (strcmp(text, "master") == 0) {
		version.major = MASTER_MAJOR;
		version.minor = MASTER_MINOR;
		version.is_next = true;
		version.caps = caps_of(release_of(&version), true);
	} else if (strncmp(text, "openbsd-", 8) == 0) {
		if (!read_release(text + 8, &version))
			return MUXBUS_ERR_SYNTAX;
		error = map_openbsd(&version);
	} else {
		version.is_next = strncmp(text, "next-", 5) == 0;
		if (!read_release(version.is_next ? text + 5 : text, &version))
			return MUXBUS_ERR_SYNTAX;
		version.caps = caps_of(release_of(&version), version.is_next);
		if (release_of(&version) < OLDEST ||
		    (version.is_next && release_of(&version) == OLDEST))
			error = MUXBUS_ERR_VERSION;
	}
	if (error == 0)
		*ret_version = version;
	return error;
}

const char *muxbus_cap_name(uint32_t bit)
{
	for (size_t i = 0; i < CAP_ROWS; i++)
		if (cap_rows[i].bit == bit)
			return cap_rows[i].name;
	return NULL;
}
