// SPDX-License-Identifier: ISC
// For tests: MCP's HTTP transport in front of the socket, without dependencies. A session is
// a connection; requests without a session share one. Usage: http-front.mjs SOCKET PORT
// The conformance suite names tools and resources of its own; ours of the same kind replace them.
import http from 'node:http';
import net from 'node:net';
import { randomUUID } from 'node:crypto';

const [socketPath, port] = process.argv.slice(2);
const sessions = new Map();
let shared;

const standIns = {
	tools: {
		test_simple_text: ['ping', {}],
		test_error_handling: ['capture_pane', { pane: '%99999' }],
		test_tool_with_progress: ['wait_for', { any: [{ sec: 32 }], timeout_sec: 40 }],
	},
	prompts: {
		test_simple_prompt: ['catch_up', {}],
		test_prompt_with_arguments: [
			'watch_build',
			(given) => ({ command: given.arg1, cwd: given.arg2 }),
		],
	},
	uris: {
		'test://static-text': 'muxbus://status',
		'test://watched-resource': 'muxbus://panes',
		'test://template/123/data': 'muxbus://panes/0',
	},
};

// Replaces the suite's names in a request by ours.
function standIn(message) {
	const params = message.params;
	if (!params) return;
	const kind = { 'tools/call': 'tools', 'prompts/get': 'prompts' }[message.method];
	const [name, given] = (kind && standIns[kind][params.name]) ?? [];
	if (name) {
		params.name = name;
		params.arguments = typeof given === 'function' ? given(params.arguments ?? {}) : given;
	}
	if (standIns.uris[params.uri]) params.uri = standIns.uris[params.uri];
	const uris = params.notifications?.resourceSubscriptions;
	if (uris) params.notifications.resourceSubscriptions = uris.map((u) => standIns.uris[u] ?? u);
	if (standIns.prompts[params.ref?.name]) {
		params.ref.name = standIns.prompts[params.ref.name][0];
		params.argument.name = 'command';
	}
}

// One connection: its lines go to the waiting requests.
class Link {
	constructor(options) {
		this.waiting = new Map(); // response stream by id, as JSON
		this.listener = null; // the GET stream
		this.options = options;
		this.socket = net.createConnection(socketPath);
		let rest = '';
		this.socket.setEncoding('utf8');
		this.socket.on('data', (data) => {
			const lines = (rest + data).split('\n');
			rest = lines.pop();
			for (const line of lines) this.take(line);
		});
		this.socket.on('error', () => {});
	}

	// A response ends its stream; a notification goes to the stream it belongs to.
	take(line) {
		const message = JSON.parse(line);
		if (!('method' in message)) {
			const stream = this.waiting.get(JSON.stringify(message.id));
			if (!stream) return;
			this.waiting.delete(JSON.stringify(message.id));
			this.options.answer(stream, line, message);
			return;
		}
		const token = message.params?.progressToken;
		const listening = message.params?._meta?.['io.modelcontextprotocol/subscriptionId'];
		const streams = [...this.waiting.values()];
		const stream =
			streams.find((s) => token !== undefined && s.progressToken === token) ??
			streams.find((s) => listening !== undefined && s.requestId === listening) ??
			this.listener ??
			streams[0];
		if (stream) event(stream, line);
	}

	send(line) {
		this.socket.write(line + '\n');
	}

	close() {
		this.socket.destroy();
	}
}

function begin(stream) {
	if (!stream.headersSent)
		stream.writeHead(200, { 'Content-Type': 'text/event-stream', ...stream.extraHeaders });
}

function event(stream, line) {
	begin(stream);
	stream.write(`event: message\ndata: ${line}\n\n`);
}

function answer(stream, line, message) {
	// The modern revision gives a JSON-RPC error as an HTTP status too.
	const statuses = { '-32601': 404, '-32602': 400, '-32022': 400, '-32020': 400 };
	const status = stream.isModern && message.error ? statuses[message.error.code] : undefined;
	if (status && !stream.headersSent) {
		stream.writeHead(status, { 'Content-Type': 'application/json' });
		stream.end(line);
		return;
	}
	event(stream, line);
	stream.end();
}

function refuse(response, status, text) {
	response.writeHead(status, { 'Content-Type': 'application/json' });
	response.end(
		JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: text } }));
}

// Browsers must not reach this server by another host name.
function isLocal(value) {
	return !value || /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(value);
}

function post(request, response, body) {
	let message;
	try {
		message = JSON.parse(body);
	} catch {
		refuse(response, 400, 'not JSON');
		return;
	}
	standIn(message);
	const id = request.headers['mcp-session-id'];
	// The modern revision names itself in a header too, and both must agree.
	const header = request.headers['mcp-protocol-version'];
	const named = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
	const isModern = named !== undefined || (header !== undefined && header >= '2026');
	if (named !== undefined && header !== undefined && named !== header) {
		response.writeHead(400, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify({
			jsonrpc: '2.0',
			id: message.id ?? null,
			error: { code: -32020, message: 'header and body differ' },
		}));
		return;
	}
	let link = sessions.get(id);
	if (id && !link) {
		refuse(response, 404, 'no such session');
		return;
	}
	if (message.method === 'initialize' && !isModern) {
		const name = randomUUID();
		link = new Link({ answer });
		sessions.set(name, link);
		response.extraHeaders = { 'mcp-session-id': name };
	}
	link ??= shared ??= new Link({ answer });
	if (message.id === undefined || !message.method) {
		link.send(JSON.stringify(message));
		response.writeHead(202).end();
		return;
	}
	// On a shared connection ids of different senders must not collide: each gets its own.
	response.progressToken = message.params?._meta?.progressToken;
	response.requestId = message.id;
	response.isModern = isModern;
	link.waiting.set(JSON.stringify(message.id), response);
	response.on('close', () => {
		if (link.waiting.get(JSON.stringify(message.id)) !== response) return;
		link.waiting.delete(JSON.stringify(message.id));
		link.send(JSON.stringify({
			jsonrpc: '2.0',
			method: 'notifications/cancelled',
			params: { requestId: message.id },
		}));
	});
	link.send(JSON.stringify(message));
}

http.createServer((request, response) => {
	const link = sessions.get(request.headers['mcp-session-id']);
	if (!isLocal(request.headers.host) || !isLocal(request.headers.origin)) {
		refuse(response, 403, 'not from here');
	} else if (request.method === 'POST') {
		let body = '';
		request.setEncoding('utf8');
		request.on('data', (data) => (body += data));
		request.on('end', () => post(request, response, body));
	} else if (request.method === 'GET' && link) {
		link.listener = response;
		begin(response);
		response.flushHeaders();
		response.on('close', () => (link.listener = null));
	} else if (request.method === 'DELETE' && link) {
		link.close();
		sessions.delete(request.headers['mcp-session-id']);
		response.writeHead(200).end();
	} else {
		response.writeHead(405).end();
	}
}).listen(Number(port), '127.0.0.1', function () {
	console.log(`http://127.0.0.1:${this.address().port}/mcp`);
});
