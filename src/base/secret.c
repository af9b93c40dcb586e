/* SPDX-License-Identifier: ISC */
#include "base/secret.h"

#include <ctype.h>
#include <strings.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char word_characters[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char token_characters[] =
    "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/* Variables with a secret's name that hold only directories or a socket. */
static const char *const harmless[] = {"OLDPWD", "PWD", "SSH_AUTH_SOCK", NULL};

/* Words of a name, such as API_KEY, that mean that the variable holds a secret. */
static const char *const words[] = {"ACCESSKEY", "AUTH", "AUTHORIZATION", "BEARER", "CERT",
    "COOKIE", "CRED", "CREDS", "DBPASS", "DSN", "JWT", "KEY", "OAUTH", "PASS", "PASSCODE", "PASSW",
    "PAT", "PRIVATE", "PRIVATEKEY", "PWD", "SECRETKEY", "SSHKEY", "SSHPASS", "WEBHOOK", NULL};

/* Words that also mean a secret at the end of a longer word, such as PGPASSWORD. */
static const char *const ends[] = {
    "APIKEY", "CREDENTIAL", "PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "TOKEN", NULL};

/* CERT means no secret if the name ends with one of `files`, or the value begins with '/'. */
static const char *const certificates[] = {"CERT", NULL};
static const char *const files[] = {"DIR", "FILE", "PATH", NULL};

/* In a value, a secret may follow one of these marks. */
static const char *const marks[] = {
    "accesskey=", "accountkey=", "api-key=", "api_key=", "apikey=", "authorization:", "bearer ",
    "passwd=", "password=", "pwd=", "secret=", "sharedaccesskey=", "token=", NULL};

/* A URL with one of these parts is a secret: it gives access to everyone who knows the URL. */
static const char *const open_doors[] = {"//hooks.", "/webhook/", "/webhooks/", NULL};

/* The prefixes of well-known tokens. */
static const char *const tokens[] = {"AIza", "AKIA", "ASIA", "dckr_pat_", "eyJ", "ghp_", "gho_",
    "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "hf_", "npm_", "pypi-", "rk_live_", "sk-",
    "sk_live_", "sk_test_", "xapp-", "xoxa-", "xoxb-", "xoxp-", "xoxs-", "ya29.", NULL};

/* Variables that are meant for an agent or its children: prefixes, or whole names with "=". */
static const char *const agents[] = {"AI_AGENT", "ANTHROPIC_", "CLAUDE", "CODEX_", "COPILOT_",
    "GEMINI_", "GIT_CONFIG_COUNT=", "GIT_CONFIG_KEY_",
    "GIT_CONFIG_PARAMETERS=", "GIT_CONFIG_VALUE_", "NODE_CHANNEL_",
    "NODE_ENV=", "NODE_OPTIONS=", "OPENAI_", "OPENCODE", "TMUX_PANE=", NULL};

#define TOKEN_LEN_MIN 20
#define URLS_MAX 100 /* a value with more URLs counts as a secret, which bounds the time */

static bool is_one_of(const char *word, size_t len, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strlen(*list) == len && strncasecmp(*list, word, len) == 0)
			return true;
	return false;
}

static bool has_end(const char *word, size_t len)
{
	for (size_t i = 0; ends[i] != NULL; i++) {
		size_t end = strlen(ends[i]);
		if (len >= end && strncasecmp(word + len - end, ends[i], end) == 0)
			return true;
	}
	return false;
}

/* Returns true if a word, or its singular, means a secret: KEY, KEY2, KEYS; but not CERTS. */
static bool is_secret_word(const char *word, size_t len)
{
	while (len > 0 && memchr(letters, word[len - 1], sizeof letters - 1) == NULL)
		len--;
	if (is_one_of(word, len, words) || has_end(word, len))
		return true;
	if (len < 2 || strncasecmp(word + len - 1, "S", 1) != 0)
		return false;
	return has_end(word, len - 1) ||
	    (strncasecmp(word, "CERTS", len) != 0 && is_one_of(word, len - 1, words));
}

static bool is_file_name(const char *name, size_t len)
{
	size_t last = len;
	if (name[len] == '=' && name[len + 1] == '/')
		return true;
	while (last > 0 && name[last - 1] != '_')
		last--;
	return is_one_of(name + last, len - last, files);
}

static bool is_secret_name(const char *name, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t word = strspn(name + at, word_characters);
		if (word > len - at)
			word = len - at;
		if (is_secret_word(name + at, word) &&
		    !(is_one_of(name + at, word, certificates) && is_file_name(name, len)))
			return true;
		at += word + 1;
	}
	return false;
}

/* Returns true if a URL has a user and a password, or a part in open_doors. address: "://…" */
static bool is_secret_address(const char *address)
{
	const char *host = address + 3;
	size_t len = strcspn(host, " \t\r\n\"'");
	const char *end = host + len;
	const char *colon = memchr(host, ':', strcspn(host, "/?# \t\r\n\"'"));
	const char *at = colon != NULL ? memrchr(colon, '@', (size_t)(end - colon)) : NULL;
	for (size_t i = 0; open_doors[i] != NULL; i++) {
		const char *door = strcasestr(address, open_doors[i]);
		if (door != NULL && door < end)
			return true;
	}
	if (at == NULL || at == colon + 1)
		return false;
	/* In "host:80/a@b" the digits are a port, not a password. */
	return colon[1 + strspn(colon + 1, "0123456789")] != '/' ||
	    !isdigit((unsigned char)colon[1]);
}

static bool is_token(const char *word)
{
	size_t len = strspn(word, token_characters);
	for (size_t i = 0; len >= TOKEN_LEN_MIN && tokens[i] != NULL; i++)
		if (strncmp(word, tokens[i], strlen(tokens[i])) == 0)
			return true;
	return false;
}

/* Returns true if a literal value, not a "$VARIABLE", follows a mark. */
static bool has_mark(const char *value)
{
	for (size_t i = 0; marks[i] != NULL; i++) {
		const char *next = value;
		while ((next = strcasestr(next, marks[i])) != NULL) {
			next += strlen(marks[i]);
			next += strspn(next, " \"'");
			if (*next != '\0' && strchr("$;&", *next) == NULL)
				return true;
		}
	}
	return false;
}

static bool is_secret_value(const char *value)
{
	unsigned urls = 0;
	for (const char *at = strstr(value, "://"); at != NULL; at = strstr(at + 3, "://"))
		if (++urls > URLS_MAX || is_secret_address(at))
			return true;
	for (const char *at = value; *at != '\0';) {
		size_t len = strspn(at, token_characters);
		if (len > 0 && is_token(at))
			return true;
		at += len > 0 ? len : 1;
	}
	/* user:password@tcp(host): a format of Go's database drivers */
	if (strstr(value, "@tcp(") != NULL || strstr(value, "@unix(") != NULL)
		return true;
	return has_mark(value) || strstr(value, "PRIVATE KEY-----") != NULL;
}

bool secret_is_variable(const char *variable)
{
	size_t len = strcspn(variable, "=");
	if (is_one_of(variable, len, harmless))
		return false;
	return is_secret_name(variable, len) ||
	    (variable[len] == '=' && is_secret_value(variable + len + 1));
}

bool secret_is_agents(const char *variable)
{
	for (size_t i = 0; agents[i] != NULL; i++)
		if (strncmp(variable, agents[i], strlen(agents[i])) == 0)
			return true;
	return false;
}
