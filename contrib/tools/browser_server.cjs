// SPDX-License-Identifier: ISC
// The MCP server of the group "browser". Its tools and their parameters are those that the
// declarations beside it declare. Calls are done one after the other, each within its own time.
// When standard input ends, or on SIGTERM, the browser ends too.
//
// --install          fetches playwright-core, the library that drives chromium
// --installed        says by its status whether it is there
// --allow=SCHEME,... also opens addresses of these schemes, such as file or data
// --download=MIB     the most that a download may have; 100
"use strict";

const fs = require("fs");
const path = require("path");
const { Browser, Failed, shorten, DOWNLOAD_MIB } = require("./browser.cjs");
const actions = require("./browser_actions.cjs");
const install = require("./browser_install.cjs");

const LINE_MAX = 4 << 20; // bytes of a message from the client
const WAITING_MAX = 256; // calls
const NAME = "browser"; // of the server in declarations
const EVENTS = [
	{ kind: "page_text", summary: "A text is in a page, as a watch of execute_browser asked." },
	{ kind: "page_url", summary: "A page has another address, as a watch of execute_browser asked." },
	{ kind: "network_idle", summary: "A page loads nothing more, as a watch of execute_browser asked." },
];
const VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"];

// The tools of the declarations beside this program.
function readTools() {
	const tools = {};
	for (const name of fs.readdirSync(__dirname).sort()) {
		if (!name.endsWith(".json")) continue;
		try {
			const declared = JSON.parse(fs.readFileSync(path.join(__dirname, name), "utf8"));
			if (declared.server.name !== NAME) continue;
			tools[declared.name] = {
				name: declared.name,
				description: declared.description,
				inputSchema: { type: "object", ...declared.parameters, additionalProperties: false },
			};
		} catch {
			continue; // a tool of another kind, or a file that muxbusd refuses too
		}
	}
	return tools;
}

function content(values) {
	const result = { content: [], isError: false, structuredContent: {} };
	for (const value of values) {
		if (Buffer.isBuffer(value))
			result.content.push({ type: "image", data: value.toString("base64"), mimeType: "image/png" });
		else if (typeof value === "string")
			result.content.push({ type: "text", text: value });
		else
			Object.assign(result.structuredContent, value);
	}
	if (!result.content.some((part) => part.type === "text"))
		result.content.unshift({ type: "text", text: JSON.stringify(result.structuredContent) });
	return result;
}

class Server {
	constructor(options) {
		this.tools = readTools();
		this.steps = new actions.Steps(this.tools);
		this.browser = new Browser({ ...options, publish: (kind, data) => this.publish(kind, data) });
		this.waiting = new Map(); // id of a call that waits or runs: how to cancel it
		this.queue = Promise.resolve();
	}

	send(message) {
		// Half a character of UTF-16, which a page can hold, is no text of JSON.
		const whole = (_, value) => typeof value === "string" ? value.toWellFormed() : value;
		process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }, whole) + "\n");
	}

	fail(id, code, text) {
		this.send({ id, error: { code, message: text } });
	}

	publish(kind, data) {
		this.send({ method: "notifications/muxbus/publish", params: { kind, data } });
	}

	take(line) {
		let message;
		try {
			message = JSON.parse(line);
		} catch {
			message = null;
		}
		if (typeof message?.method !== "string") {
			this.fail(null, -32700, "not a message of JSON-RPC");
			return;
		}
		const { id, method } = message;
		const params = message.params ?? {};
		if (method === "initialize") {
			this.send({ id, result: {
				protocolVersion: VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0],
				capabilities: { tools: {}, experimental: { "muxbus/events": EVENTS } },
				serverInfo: { name: "muxbus-browser", version: "2" },
			} });
		} else if (method === "ping") {
			this.send({ id, result: {} });
		} else if (method === "tools/list") {
			this.send({ id, result: { tools: Object.values(this.tools) } });
		} else if (method === "notifications/cancelled") {
			this.waiting.get(params.requestId)?.abort("cancelled");
		} else if (method === "tools/call") {
			this.begin(id, params);
		} else if (id !== undefined) {
			this.fail(id, -32601, `there is no method "${shorten(method)}"`);
		}
	}

	begin(id, params) {
		if (!Object.hasOwn(this.tools, String(params.name)))
			return this.fail(id, -32602, `there is no tool "${shorten(String(params.name))}"`);
		if (this.waiting.size >= WAITING_MAX)
			return this.fail(id, -32603, `${WAITING_MAX} calls wait already, the most there may be`);
		const cancel = new AbortController();
		this.waiting.set(id, cancel);
		this.queue = this.queue.then(async () => {
			const result = cancel.signal.aborted ? null : await this.call(params, cancel.signal);
			this.waiting.delete(id);
			if (!cancel.signal.aborted) this.send({ id, result });
		});
		return undefined;
	}

	async call(params, signal) {
		const token = params._meta?.progressToken;
		const progress = (done, total, text) => {
			if (token !== undefined)
				this.send({ method: "notifications/progress",
					params: { progressToken: token, progress: done, total, message: text } });
		};
		const schema = this.tools[params.name].inputSchema;
		try {
			const given = actions.check(params.arguments ?? {}, schema, params.name);
			return content(await this.browser.within(given, signal, () => params.name === "execute_browser"
				? this.steps.run(this.browser, progress, given)
				: actions.run(this.browser, params.name, given)));
		} catch (error) {
			if (error instanceof TypeError || error instanceof ReferenceError) process.stderr.write(error.stack + "\n");
			const text = error instanceof Failed ? error.message : actions.sentence(error);
			return { content: [{ type: "text", text }], isError: true };
		}
	}

	serve() {
		let rest = "";
		process.stdin.setEncoding("utf8");
		process.stdin.on("data", (data) => {
			const lines = (rest + data).split("\n");
			rest = lines.pop();
			for (const line of lines) this.take(line);
			if (rest.length > LINE_MAX) this.end();
		});
		process.stdin.on("end", () => this.end());
		process.stdout.on("error", () => this.end());
		for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => this.end());
	}

	async end() {
		if (this.isEnding) return;
		this.isEnding = true;
		await this.browser.end();
		process.exit(0);
	}
}

function main() {
	const options = { schemes: ["http", "https"], downloadMax: DOWNLOAD_MIB << 20 };
	for (const word of process.argv.slice(2)) {
		const [, name, value] = /^--(installed|install|allow|download)(?:=(.+))?$/.exec(word) ?? [];
		if (name === "installed" && value === undefined) process.exit(install.isThere() ? 0 : 1);
		if (name === "install" && value === undefined) process.exit(install.run() ? 0 : 1);
		else if (name === "allow" && /^[a-z][a-z0-9+.-]*(,[a-z][a-z0-9+.-]*)*$/.test(value))
			options.schemes.push(...value.split(","));
		else if (name === "download" && /^[1-9][0-9]{0,5}$/.test(value)) options.downloadMax = value * 2 ** 20;
		else {
			process.stderr.write("usage: browser_server [--install|--installed] [--allow=SCHEME,...] [--download=MIB]\n");
			process.exit(2);
		}
	}
	// A promise of playwright that nothing waits for any more, such as that of a page which is gone.
	process.on("unhandledRejection", () => {});
	new Server(options).serve();
}

main();
