/* SPDX-License-Identifier: ISC */
#include "daemon/pane/agent_argv.h"

#include <ctype.h>

enum { DEPTH_MAX = 5, WORD_SIZE = 256 };

/* Names of programs and packages, and the agent of each. */
static const struct {
	const char *word, *agent;
} agents[] = {
    {"aider", "aider"},
    {"aider-chat", "aider"},
    {"auggie", "auggie"},
    {"claude", "claude"},
    {"claude-code", "claude"},
    {"codex", "codex"},
    {"codex-cli", "codex"},
    {"copilot", "copilot"},
    {"copilot-cli", "copilot"},
    {"crush", "crush"},
    {"cursor-agent", "cursor-agent"},
    {"gemini", "gemini"},
    {"gemini-cli", "gemini"},
    {"opencode", "opencode"},
    {"opencode-ai", "opencode"},
    {"qwen", "qwen"},
    {"qwen-code", "qwen"},
};

enum kind {
	KIND_SCRIPT, /* an interpreter: a script or -m MODULE follows its options */
	KIND_PACKAGE, /* the first argument is a package or program */
	KIND_COMMAND, /* a wrapper: a command follows its own arguments */
	KIND_SHELL, /* a shell: the argument of -c is a command */
};

static const struct wrapper {
	const char *name;
	enum kind kind;
	const char *verbs; /* words, one of which the first argument must be; or NULL */
	const char *valued; /* options of one letter whose value is the next word */
	unsigned skipped; /* number of arguments before the command: a container, a time */
} wrappers[] = {
    {"bash", KIND_SHELL, NULL, "", 0},
    {"bun", KIND_SCRIPT, " run x ", "r", 0},
    {"bunx", KIND_PACKAGE, NULL, "p", 0},
    {"caffeinate", KIND_COMMAND, NULL, "tw", 0},
    {"dash", KIND_SHELL, NULL, "", 0},
    {"dbus-run-session", KIND_COMMAND, NULL, "", 0},
    {"deno", KIND_SCRIPT, " run ", "", 0},
    {"direnv", KIND_COMMAND, " exec ", "", 1},
    {"distrobox", KIND_COMMAND, " enter ", "n", 1},
    {"docker", KIND_COMMAND, " exec run ", "euvwplhm", 1},
    {"doppler", KIND_COMMAND, " run ", "pc", 0},
    {"dumb-init", KIND_COMMAND, NULL, "", 0},
    {"env", KIND_COMMAND, NULL, "uC", 0},
    {"firejail", KIND_COMMAND, NULL, "", 0},
    {"incus", KIND_COMMAND, " exec ", "", 1},
    {"ionice", KIND_COMMAND, NULL, "cn", 0},
    {"kubectl", KIND_COMMAND, " exec ", "nc", 1},
    {"lxc", KIND_COMMAND, " exec ", "", 1},
    {"mise", KIND_COMMAND, " exec x ", "C", 0},
    {"nerdctl", KIND_COMMAND, " exec run ", "euvwplhm", 1},
    {"nice", KIND_COMMAND, NULL, "n", 0},
    {"nix", KIND_PACKAGE, " run ", "", 0},
    {"node", KIND_SCRIPT, NULL, "rC", 0},
    {"nodejs", KIND_SCRIPT, NULL, "rC", 0},
    {"nohup", KIND_COMMAND, NULL, "", 0},
    {"npm", KIND_PACKAGE, " exec x ", "wc", 0},
    {"npx", KIND_PACKAGE, NULL, "pc", 0},
    {"oc", KIND_COMMAND, " exec ", "nc", 1},
    {"op", KIND_COMMAND, " run ", "", 0},
    {"pipx", KIND_PACKAGE, " run ", "", 0},
    {"pnpm", KIND_PACKAGE, " dlx exec ", "", 0},
    {"podman", KIND_COMMAND, " exec run ", "euvwplhm", 1},
    {"proxychains", KIND_COMMAND, NULL, "f", 0},
    {"proxychains4", KIND_COMMAND, NULL, "f", 0},
    {"pypy3", KIND_SCRIPT, NULL, "XW", 0},
    {"python", KIND_SCRIPT, NULL, "XW", 0},
    {"setsid", KIND_COMMAND, NULL, "", 0},
    {"sh", KIND_SHELL, NULL, "", 0},
    {"stdbuf", KIND_COMMAND, NULL, "ioe", 0},
    {"systemd-run", KIND_COMMAND, NULL, "pu", 0},
    {"time", KIND_COMMAND, NULL, "fo", 0},
    {"timeout", KIND_COMMAND, NULL, "ks", 1},
    {"tini", KIND_COMMAND, NULL, "", 0},
    {"toolbox", KIND_COMMAND, " run ", "cdr", 0},
    {"torsocks", KIND_COMMAND, NULL, "", 0},
    {"unbuffer", KIND_COMMAND, NULL, "", 0},
    {"uv", KIND_PACKAGE, " run ", "", 0},
    {"uvx", KIND_PACKAGE, NULL, "", 0},
    {"yarn", KIND_PACKAGE, " dlx exec run ", "", 0},
    {"zsh", KIND_SHELL, NULL, "", 0},
};

/*
 * Long options without a value. After another long option, except --NAME=VALUE, it is not certain
 * where the command begins.
 */
static const char flags[] =
    " --detach --experimental-strip-types --expose-gc --foreground --init --interactive "
    "--no-deprecation --no-warnings --offline --preserve-env --preserve-status --privileged "
    "--pty --quiet --rm --scope --stdin --tty --use-openssl-ca --use-system-ca --user --yes ";

struct argv_reader {
	agent_argv_fn *is_other;
	void *data;
};

static void strip_end(char *word, const char *end)
{
	size_t len = strlen(word), size = strlen(end);
	if (len > size && strcmp(word + len - size, end) == 0)
		word[len - size] = '\0';
}

static void strip_version(char *word)
{
	static const char *const signs[] = {
	    "@", "-x86_64", "-aarch64", "-arm64", "-linux", "-darwin"};
	for (size_t at = 0; at < sizeof signs / sizeof *signs; at++) {
		char *found = strlen(word) > 1 ? strstr(word + 1, signs[at]) : NULL;
		if (found != NULL)
			*found = '\0';
	}
	for (char *at = word; *at != '\0'; at++) {
		if (*at == '-' && isdigit((unsigned char)at[1])) {
			*at = '\0';
			return;
		}
	}
}

static void put_name(const char *text, size_t len, char out[WORD_SIZE])
{
	static const char *const ends[] = {"_", ".exe", ".cmd", ".js", ".mjs", ".cjs", ".py",
	    "-wrapped", "-unwrapped", "_wrapped"};
	const char *begin;
	while (len > 0 && text[len - 1] == '/')
		len--;
	begin = text + len;
	while (begin > text && begin[-1] != '/' && begin[-1] != '\\' && begin[-1] != '#')
		begin--;
	while (begin < text + len && *begin == '.')
		begin++;
	(void)snprintf(out, WORD_SIZE, "%.*s", (int)(text + len - begin), begin);
	for (size_t at = 0; at < sizeof ends / sizeof *ends; at++)
		strip_end(out, ends[at]);
	strip_version(out);
}

static bool find_agent(
    const struct argv_reader *reader, const char *name, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	for (size_t at = 0; at < sizeof agents / sizeof *agents; at++) {
		if (strcmp(agents[at].word, name) == 0) {
			(void)snprintf(ret_name, AGENT_ARGV_NAME_SIZE, "%s", agents[at].agent);
			return true;
		}
	}
	if (reader->is_other == NULL || strlen(name) >= AGENT_ARGV_NAME_SIZE || *name == '\0' ||
	    !reader->is_other(reader->data, name))
		return false;
	(void)snprintf(ret_name, AGENT_ARGV_NAME_SIZE, "%s", name);
	return true;
}

/* Finds the agent by a package directory in the path: node_modules/@SCOPE/NAME, NAME/versions. */
static bool find_package(
    const struct argv_reader *reader, const char *path, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	static const char modules[] = "node_modules/", versions[] = "/versions/";
	const char *begin = NULL, *end, *at = path;
	char name[WORD_SIZE];
	while ((at = strstr(at, modules)) != NULL)
		begin = at += sizeof modules - 1;
	if (begin != NULL) {
		if (*begin == '@' && strchr(begin, '/') != NULL)
			begin = strchr(begin, '/') + 1;
		end = begin + strcspn(begin, "/");
	} else {
		end = strstr(path, versions);
		begin = path;
		if (end == NULL)
			return false;
	}
	put_name(begin, (size_t)(end - begin), name);
	return find_agent(reader, name, ret_name);
}

static bool is_agent_word(
    const struct argv_reader *reader, const char *word, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	char name[WORD_SIZE];
	put_name(word, strlen(word), name);
	return find_agent(reader, name, ret_name) || find_package(reader, word, ret_name);
}

static const struct wrapper *find_wrapper(const char *word)
{
	const char *name = str_last_part(word);
	name += *name == '-';
	for (size_t at = 0; at < sizeof wrappers / sizeof *wrappers; at++) {
		size_t len = strlen(wrappers[at].name);
		bool is_versioned = wrappers[at].kind == KIND_SCRIPT &&
		    strncmp(name, wrappers[at].name, len) == 0 &&
		    name[len + strspn(name + len, "0123456789.")] == '\0';
		if (is_versioned || strcmp(wrappers[at].name, name) == 0)
			return &wrappers[at];
	}
	return NULL;
}

static bool has_word(const char *list, const char *word)
{
	char padded[WORD_SIZE];
	int len = snprintf(padded, sizeof padded, " %s ", word);
	return len > 0 && (size_t)len < sizeof padded && strchr(word, ' ') == NULL &&
	    strstr(list, padded) != NULL;
}

static size_t skip_options(
    const struct wrapper *wrapper, const char *const *words, size_t count, size_t at)
{
	for (; at < count; at++) {
		const char *word = words[at];
		if (strcmp(word, "--") == 0)
			return at + 1;
		if (wrapper->kind == KIND_COMMAND && wrapper->verbs == NULL && *word != '-' &&
		    strchr(word, '=') != NULL)
			continue; /* an assignment, as in env VAR=VALUE */
		if (*word != '-' || word[1] == '\0')
			return at;
		if (word[1] == '-') {
			if (strchr(word, '=') == NULL && !has_word(flags, word))
				return count;
		} else if (word[2] == '\0' && strchr(wrapper->valued, word[1]) != NULL) {
			at++;
		} else if (wrapper->kind == KIND_SCRIPT && strchr("cep", word[1]) != NULL) {
			return count; /* -c, -e and -p have the program itself, not a file */
		}
	}
	return count;
}

static size_t find_inner(const struct wrapper *wrapper, const char *const *words, size_t count)
{
	size_t at = 1;
	if (wrapper->verbs != NULL) {
		while (at < count && (words[at][0] == '-' || strcmp(words[at], "compose") == 0))
			at++;
		if (at >= count || !has_word(wrapper->verbs, words[at]))
			return wrapper->kind == KIND_SCRIPT ? skip_options(wrapper, words, count, 1)
							    : count;
		at++;
	}
	for (size_t i = at; wrapper->kind == KIND_COMMAND && i < count; i++)
		if (strcmp(words[i], "--") == 0)
			return i + 1;
	at = skip_options(wrapper, words, count, at);
	return at + wrapper->skipped < count ? at + wrapper->skipped : count;
}

static const char *find_module(const char *const *words, size_t count)
{
	for (size_t at = 1; at + 1 < count && words[at][0] == '-'; at++)
		if (strcmp(words[at], "-m") == 0)
			return words[at + 1];
	return NULL;
}

static bool find(const struct argv_reader *reader, const char *const *words, size_t count,
    unsigned depth, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* Finds the agent that a shell command starts. A text with more than plain words has none. */
static bool find_in_text(const struct argv_reader *reader, const char *text, unsigned depth,
    char ret_name[AGENT_ARGV_NAME_SIZE])
{
	char copy[WORD_SIZE], *saved = NULL;
	const char *words[AGENT_ARGV_WORDS_MAX];
	size_t count = 0;
	if (strlen(text) >= sizeof copy || strpbrk(text, ";|&<>()`$\n\"'") != NULL)
		return false;
	strcpy(copy, text);
	for (char *word = strtok_r(copy, " ", &saved); word != NULL && count < AGENT_ARGV_WORDS_MAX;
	     word = strtok_r(NULL, " ", &saved))
		if (count > 0 || strcmp(word, "exec") != 0)
			words[count++] = word;
	return count > 0 && find(reader, words, count, depth + 1, ret_name);
}

static bool find_shell(const struct argv_reader *reader, const char *const *words, size_t count,
    unsigned depth, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	for (size_t at = 1; at + 1 < count && words[at][0] == '-'; at++)
		if (words[at][1] != '-' && strchr(words[at], 'c') != NULL)
			return find_in_text(reader, words[at + 1], depth, ret_name);
	return false;
}

static bool find(const struct argv_reader *reader, const char *const *words, size_t count,
    unsigned depth, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	const struct wrapper *wrapper;
	const char *module;
	size_t inner;
	if (count == 0 || depth > DEPTH_MAX)
		return false;
	/* A program may have replaced its arguments by a title: "npm exec @google/gemini-cli". */
	if (count == 1 && strchr(words[0], ' ') != NULL)
		return find_in_text(reader, words[0], depth, ret_name);
	wrapper = find_wrapper(words[0]);
	if (wrapper == NULL)
		return is_agent_word(reader, words[0], ret_name);
	if (wrapper->kind == KIND_SHELL)
		return find_shell(reader, words, count, depth, ret_name);
	module = wrapper->kind == KIND_SCRIPT ? find_module(words, count) : NULL;
	if (module != NULL)
		return is_agent_word(reader, module, ret_name);
	inner = find_inner(wrapper, words, count);
	if (inner >= count)
		return false;
	if (wrapper->kind == KIND_COMMAND)
		return find(reader, words + inner, count - inner, depth + 1, ret_name);
	return is_agent_word(reader, words[inner], ret_name);
}

bool agent_argv_find(const char *const *words, size_t count, agent_argv_fn *is_other, void *data,
    char ret_name[AGENT_ARGV_NAME_SIZE])
{
	const struct argv_reader reader = {.is_other = is_other, .data = data};
	return find(&reader, words, count, 0, ret_name);
}

/* Replaces invalid UTF-8 by '?': arguments may be any bytes, and may have been cut. */
static void clean(char *text)
{
	size_t len = strlen(text), at = 0, part;
	while (at < len) {
		bool is_valid = utf8_part(text + at, len - at, &part);
		if (!is_valid)
			memset(text + at, '?', part);
		at += part;
	}
}

void agent_argv_identity(const char *name, const char *const *words, size_t count,
    char ret_identity[AGENT_ARGV_IDENTITY_SIZE])
{
	const struct wrapper *wrapper = count > 0 ? find_wrapper(words[0]) : NULL;
	size_t len = (size_t)snprintf(ret_identity, AGENT_ARGV_IDENTITY_SIZE, "%s", name);
	size_t begin = 1, end = count;
	if (wrapper == NULL || len >= AGENT_ARGV_IDENTITY_SIZE)
		end = 0;
	else if (wrapper->kind == KIND_SCRIPT) {
		size_t inner = find_inner(wrapper, words, count);
		begin = inner < count ? inner : 1;
		end = inner < count ? inner + 1 : count;
	}
	for (size_t at = begin; at < end && len + 1 < AGENT_ARGV_IDENTITY_SIZE; at++)
		len += (size_t)snprintf(
		    ret_identity + len, AGENT_ARGV_IDENTITY_SIZE - len, " %s", words[at]);
	clean(ret_identity);
}
