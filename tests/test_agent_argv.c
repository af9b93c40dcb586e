/* SPDX-License-Identifier: ISC */
/* Command lines of agents, and of programs that only look like one. */
#include "daemon/pane/agent_argv.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const struct {
	const char *line; /* words between single blanks; a bar is a blank in a word */
	const char *agent; /* NULL: none */
} lines[] = {
    {"claude", "claude"},
    {"claude --resume", "claude"},
    {"/usr/local/bin/claude", "claude"},
    {"/nix/store/0a-claude-code-2.1/bin/.claude-unwrapped", "claude"},
    {"/nix/store/0a/bin/.claude-wrapped", "claude"},
    {"/nix/store/0a/bin/.claude-wrapped_", "claude"},
    {".gemini-wrapped", "gemini"},
    {"opencode.exe", "opencode"},
    {"C:\\bin\\claude.exe", "claude"},
    {"/home/me/.local/share/claude/versions/2.1.330", "claude"},
    {"/x/codex-x86_64-unknown-linux-musl", "codex"},
    {"node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude"},
    {"node --no-warnings=DEP0040 /usr/lib/node_modules/@google/gemini-cli/dist/index.js", "gemini"},
    {"node --max-old-space-size=4096 -r /x/y.js /usr/bin/gemini", "gemini"},
    {"/usr/bin/node /usr/local/bin/codex", "codex"},
    {"node /home/me/node_modules/.bin/copilot", "copilot"},
    {"node /x/node_modules/@github/copilot/index.js", "copilot"},
    {"bun run /x/opencode.js", "opencode"},
    {"bun /x/bin/opencode", "opencode"},
    {"deno run --allow-all=1 /x/gemini.mjs", "gemini"},
    {"python3 /home/me/.local/bin/aider --model x", "aider"},
    {"python3.12 -m aider", "aider"},
    {"npx -y @google/gemini-cli", "gemini"},
    {"npx @anthropic-ai/claude-code@latest", "claude"},
    {"npx -p @openai/codex codex", "codex"},
    {"npm exec @openai/codex", "codex"},
    {"npm|exec|@google/gemini-cli", "gemini"},
    {"bunx opencode-ai", "opencode"},
    {"pnpm dlx @google/gemini-cli", "gemini"},
    {"uvx aider-chat", "aider"},
    {"nix run nixpkgs#claude-code", "claude"},
    {"env A=1 -u B claude", "claude"},
    {"nice -n 10 claude", "claude"},
    {"timeout 3600 codex", "codex"},
    {"docker exec -it box claude", "claude"},
    {"docker exec -i -t -e A=1 -u me -w /src box claude --continue", "claude"},
    {"docker exec -it --user=me box claude", "claude"},
    {"docker run --rm -it image codex", "codex"},
    {"docker compose exec app gemini", "gemini"},
    {"podman exec -it box env A=1 node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"},
    {"docker exec -it box sh -c exec|claude", "claude"},
    {"docker exec -it box bash -lc cd|x;|claude", NULL},
    {"kubectl exec -it pod -- claude", "claude"},
    {"kubectl exec -it -n space --container x pod -- opencode", "opencode"},
    {"distrobox enter box -- claude", "claude"},
    {"direnv exec . claude", "claude"},
    {"mine", "mine"},
    {"node /opt/mine.js", "mine"},
    {"docker exec -it box mine", "mine"},
    /* Nothing of these is an agent. */
    {"psql", NULL},
    {"python3", NULL},
    {"python3 -q", NULL},
    {"python3 -c claude", NULL},
    {"node", NULL},
    {"node -e claude", NULL},
    {"node /srv/app/index.js claude", NULL},
    {"vim claude", NULL},
    {"less /x/node_modules/@anthropic-ai/claude-code/cli.js", NULL},
    {"tail -f claude.log", NULL},
    {"docker exec -it claude psql", NULL},
    {"docker exec -it claude bash", NULL},
    {"docker exec --strange claude psql claude", NULL},
    {"docker attach claude", NULL},
    {"docker run -it claude", NULL},
    {"docker logs -f claude", NULL},
    {"kubectl exec -it claude -- psql", NULL},
    {"npx serve claude", NULL},
    {"npm run claude", NULL},
    {"env psql claude", NULL},
    {"claudette", NULL},
    {"codex.log", NULL},
    {"", NULL},
    {"env", NULL},
    {"env env env env env env env env env claude", NULL},
};

static const struct {
	const char *name;
	const char *line;
	const char *identity;
} identities[] = {
    {"claude", "claude --resume", "claude"},
    {"psql", "psql -U me", "psql"},
    {"python3", "python3", "python3"},
    {"python3", "python3 -q", "python3 -q"},
    {"python3", "python3 asker.py --x", "python3 asker.py"},
    {"node", "node /x/cli.js --resume", "node /x/cli.js"},
    {"docker", "docker exec -it box claude", "docker exec -it box claude"},
    {"node", "node /\xff/\xe2\x82.js", "node /?/??.js"},
    {"\xc3\xa9", "\xc3\xa9", "\xc3\xa9"},
};

static bool is_mine(void *data, const char *name)
{
	return strcmp(data, name) == 0;
}

static size_t split(const char *line, char *copy, const char **words)
{
	size_t count = 0;
	char *saved = NULL;
	strcpy(copy, line);
	for (char *word = strtok_r(copy, " ", &saved); word != NULL;
	     word = strtok_r(NULL, " ", &saved)) {
		for (char *bar = word; (bar = strchr(bar, '|')) != NULL;)
			*bar = ' ';
		words[count++] = word;
	}
	return count;
}

int main(void)
{
	static char mine[] = "mine";
	const char *words[AGENT_ARGV_WORDS_MAX];
	char copy[512];
	for (size_t at = 0; at < sizeof lines / sizeof *lines; at++) {
		size_t count = split(lines[at].line, copy, words);
		char name[AGENT_ARGV_NAME_SIZE] = "";
		bool is_agent = agent_argv_find(words, count, is_mine, mine, name);
		if (lines[at].agent == NULL)
			ok(!is_agent, "no agent: %s", lines[at].line);
		else
			is_str(name, lines[at].agent, "%s", lines[at].line);
	}
	for (size_t at = 0; at < sizeof identities / sizeof *identities; at++) {
		size_t count = split(identities[at].line, copy, words);
		char identity[AGENT_ARGV_IDENTITY_SIZE];
		agent_argv_identity(identities[at].name, words, count, identity);
		is_str(
		    identity, identities[at].identity, "told from others: %s", identities[at].line);
	}
	return done_testing();
}
