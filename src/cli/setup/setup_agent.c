/* SPDX-License-Identifier: ISC */
/* The configuration of each agent, as its own `mcp add` writes it and its manual describes it. */
#include "cli/setup/setup_file.h"

/* A hook of Claude Code. Codex and Gemini CLI use the same form. */
#define HOOK(event, agent, time)                                                              \
	{                                                                                     \
		SETUP_ELEMENT, {"hooks", event},                                              \
		    "{\"hooks\":[{\"type\":\"command\",\"command\":\"$ hook " agent " " event \
		    "\",\"timeout\":" time "}]}",                                             \
		    "hook " agent " " event                                                   \
	}

/* A hook of Copilot CLI. */
#define COPILOT_HOOK(event)                                                  \
	{                                                                    \
		SETUP_ELEMENT, {"hooks", event},                             \
		    "{\"type\":\"command\",\"bash\":\"$ hook copilot " event \
		    "\",\"timeoutSec\":10}",                                 \
		    "hook copilot " event                                    \
	}

const struct setup_agent setup_agents[SETUP_AGENTS_MAX] = {
    {
	.name = "claude",
	.title = "Claude Code",
	.home_variable = "CLAUDE_CONFIG_DIR",
	.home = ".claude",
	.elsewhere = "plugins/installed_plugins.json",
	.files = {{
		      .paths = {"settings.json", NULL},
		      .steps = {{SETUP_SET, {"extraKnownMarketplaces", "muxbus"},
				    "{\"source\":{\"source\":\"directory\",\"path\":\"%/claude\"}}",
				    NULL},
			  {SETUP_SET, {"enabledPlugins", "muxbus@muxbus"}, "true", NULL}},
		      .own = {{"extraKnownMarketplaces", "muxbus"},
			  {"enabledPlugins", "muxbus@muxbus"}},
		  },
	    {
		.paths = {NULL, ".mcp.json"},
		.steps = {{SETUP_SET, {"mcpServers", "muxbus", "type"}, "\"stdio\"", NULL},
		    {SETUP_SET, {"mcpServers", "muxbus", "command"}, "\"@\"", NULL},
		    {SETUP_SET, {"mcpServers", "muxbus", "args"}, "[\"mcp\"]", NULL}},
		.own = {{"mcpServers", "muxbus"}},
	    }},
	.next =
	    "Restart it in a pane; /mcp lists the tools, `claude mcp list` checks them. For the "
	    "user\n"
	    "it is a plugin, whose monitor wakes an idle session; a project gets the tools only.",
    },
    {
	.name = "codex",
	.title = "Codex",
	.home_variable = "CODEX_HOME",
	.home = ".codex",
	.files =
	    {{
		 .paths = {"config.toml", ".codex/config.toml"},
		 .is_toml = true,
		 .steps = {{SETUP_SET, {"mcp_servers.muxbus", "command"}, "\"@\"", NULL},
		     {SETUP_SET, {"mcp_servers.muxbus", "args"}, "[\"mcp\"]", NULL},
		     {SETUP_PRESET, {"mcp_servers.muxbus", "env_vars"},
			 "[\"TMUX\", \"TMUX_PANE\", \"TMUX_TMPDIR\", \"XDG_STATE_HOME\"]", NULL},
		     {SETUP_PRESET, {"mcp_servers.muxbus", "startup_timeout_sec"}, "30", NULL},
		     {SETUP_PRESET, {"mcp_servers.muxbus", "tool_timeout_sec"}, "3600", NULL}},
		 .own = {{"mcp_servers.muxbus"}},
	     },
		{
		    .paths = {"hooks.json", ".codex/hooks.json"},
		    .steps = {HOOK("SessionStart", "codex", "10"),
			HOOK("UserPromptSubmit", "codex", "10"),
			HOOK("PermissionRequest", "codex", "10"),
			HOOK("PostToolUse", "codex", "10"), HOOK("Interrupt", "codex", "10"),
			HOOK("Stop", "codex", "10"), HOOK("SessionEnd", "codex", "10")},
		}},
	.next = "Restart it in a pane; it asks once whether the hooks are trusted (/hooks).\n"
		"/mcp lists the tools. A project's files count once the project is trusted.",
    },
    {
	.name = "copilot",
	.title = "Copilot CLI",
	.home_variable = "COPILOT_HOME",
	.home = ".copilot",
	.files = {{
		      .paths = {"mcp-config.json", ".mcp.json"},
		      .steps = {{SETUP_PRESET, {"mcpServers", "muxbus", "type"}, "\"stdio\"", NULL},
			  {SETUP_SET, {"mcpServers", "muxbus", "command"}, "\"@\"", NULL},
			  {SETUP_SET, {"mcpServers", "muxbus", "args"}, "[\"mcp\"]", NULL},
			  {SETUP_PRESET, {"mcpServers", "muxbus", "tools"}, "[\"*\"]", NULL},
			  {SETUP_PRESET, {"mcpServers", "muxbus", "timeout"}, "3600000", NULL}},
		      .own = {{"mcpServers", "muxbus"}},
		  },
	    {
		.paths = {"settings.json", NULL},
		.steps = {COPILOT_HOOK("sessionStart"), COPILOT_HOOK("userPromptSubmitted"),
		    COPILOT_HOOK("agentStop"), COPILOT_HOOK("sessionEnd")},
	    },
	    {
		.paths = {NULL, ".github/hooks/muxbus.json"},
		.source = "copilot/muxbus.json",
		.mark = "muxbus hook copilot",
	    },
	    {
		.paths = {"extensions/muxbus/extension.mjs",
		    ".github/extensions/muxbus/extension.mjs"},
		.source = "copilot/extension.mjs",
		.mark = "of muxbus for Copilot CLI",
	    }},
	.next =
	    "Restart it in a pane with --experimental: its extension then wakes it, and nothing\n"
	    "is typed. Without that option Muxbus types. /mcp lists the tools.",
    },
    {
	.name = "gemini",
	.title = "Gemini CLI",
	.home = ".gemini",
	.elsewhere = "extensions/muxbus/gemini-extension.json",
	.files = {{
	    .paths = {"settings.json", ".gemini/settings.json"},
	    .steps = {{SETUP_SET, {"mcpServers", "muxbus", "command"}, "\"@\"", NULL},
		{SETUP_SET, {"mcpServers", "muxbus", "args"}, "[\"mcp\"]", NULL},
		{SETUP_PRESET, {"mcpServers", "muxbus", "timeout"}, "3600000", NULL},
		HOOK("SessionStart", "gemini", "10000"), HOOK("BeforeAgent", "gemini", "10000"),
		HOOK("AfterAgent", "gemini", "10000"), HOOK("Notification", "gemini", "10000"),
		HOOK("SessionEnd", "gemini", "10000")},
	    .own = {{"mcpServers", "muxbus"}},
	}},
	.next = "Restart it in a pane, in a folder that it trusts: elsewhere it loads no server.\n"
		"/mcp lists the tools. In place of this the extension does the same:\n"
		"  gemini extensions install %/gemini",
    },
    {
	.name = "opencode",
	.title = "opencode",
	.home_variable = "XDG_CONFIG_HOME",
	.home = ".config",
	.files = {{
		      .paths = {"opencode/opencode.json", "opencode.json"},
		      .rival = "opencode.jsonc",
		      .steps = {{SETUP_SET, {"mcp", "muxbus", "type"}, "\"local\"", NULL},
			  {SETUP_SET, {"mcp", "muxbus", "command"}, "[\"@\",\"mcp\"]", NULL},
			  {SETUP_PRESET, {"mcp", "muxbus", "enabled"}, "true", NULL},
			  {SETUP_PRESET, {"mcp", "muxbus", "timeout"}, "3600000", NULL}},
		      .own = {{"mcp", "muxbus"}},
		  },
	    {
		.paths = {"opencode/plugin/muxbus.js", ".opencode/plugin/muxbus.js"},
		.source = "opencode/muxbus.js",
		.mark = "export const Muxbus",
	    }},
	.next =
	    "Restart it in a pane; `opencode mcp list` checks the server. Its plugin wakes it,\n"
	    "and nothing is typed.",
    },
    {.name = NULL},
};

const struct setup_agent *setup_agent_find(const char *name)
{
	return str_row(setup_agents, name);
}
