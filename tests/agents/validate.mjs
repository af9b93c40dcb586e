// SPDX-License-Identifier: ISC
// For tests: checks the results of tools against their schemas, with ajv. Calls every tool that
// can be called on a server of the test's own. Usage: validate.mjs SOCKET FOLDER-WITH-AJV
import net from 'node:net';
import { createRequire } from 'node:module';

const [socketPath, folder] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const Ajv = require('ajv/dist/2020').default;

const socket = net.createConnection(socketPath).setEncoding('utf8');
const waiting = new Map();
let rest = '';
let lastId = 0;
socket.on('data', (data) => {
	const lines = (rest + data).split('\n');
	rest = lines.pop();
	for (const line of lines) {
		const message = JSON.parse(line);
		waiting.get(message.id)?.(message);
	}
});

function ask(method, params) {
	const id = ++lastId;
	socket.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
	return new Promise((resolve) => waiting.set(id, resolve));
}

let checks = 0;
let failures = 0;
function ok(passed, name, details) {
	checks++;
	failures += !passed;
	console.log(`${passed ? 'ok' : 'not ok'} ${checks} - ${name}`);
	if (!passed && details) console.log(`# ${JSON.stringify(details).slice(0, 1000)}`);
}

// In order: the first calls make objects that later ones need. A function gets the last results.
const calls = [
	['ping', {}],
	['describe', {}],
	['status', {}],
	['list_sessions', {}],
	['list_windows', {}],
	['list_panes', {}],
	['create_session', { name: 'made', command: 'exec sleep 3600' }],
	['create_window', { session: 'made', command: 'exec sleep 3600' }],
	['create_pane', { pane: '%0', command: ['sleep', '3600'], size: '30%', env: { A: 'b' } }],
	['get_pane', { pane: '%0' }],
	['capture_pane', { pane: '%0', history: true }],
	['capture_pane', { pane: '%0', encoding: 'base64', history: 3, lines: 2 }],
	['read_output', { pane: '%0' }],
	['find_text', { pane: '%0', regex: '.', history: true }],
	['send_keys', { pane: '%0', keys: ['echo x', 'Enter'] }],
	['send_keys', { pane: '%0', keys: 'Enter' }],
	['send_text', { pane: '%0', text: 'x' }],
	['resize_pane', { pane: '%0', height: 10 }],
	['focus_pane', { pane: '%0' }],
	['run_tmux', { command: ['display-message', '-p', 'x'] }],
	['wait_for', { any: [{ sec: 0.05 }, { quiet_sec: 0.01, pane: '%0' }], timeout_sec: 5 }],
	['wait_for', { all: [{ sec: 60 }], timeout_sec: 0.05 }],
	['run_long_command', { command: 'echo x; exit 3', name: 'three' }],
	['wait_for', (r) => ({ any: [{ job: r.run_long_command.id }] })],
	['list_jobs', {}],
	['get_job', (r) => ({ job: r.run_long_command.id })],
	['read_job', (r) => ({ job: r.run_long_command.id })],
	['run_long_command', { command: 'exec sleep 1000' }],
	['list_jobs', { running: true }],
	['stop_job', (r) => ({ job: r.run_long_command.id })],
	['execute_cli', { command: 'echo x; echo y >&2; exit 1' }],
	['execute_cli', { command: 'sleep 5', timeout_sec: 0.1 }],
	['gemini_sleep', { seconds: 3000, pane: '%0' }],
	['sleep', { seconds: 4000, pane: '%0' }],
	['list_timers', {}],
	['cancel_timer', (r) => ({ timer: r.gemini_sleep.id })],
	['watch_log', { file_path: '/tmp/muxbus-no-such-file', regex: 'x', pane: '%0' }],
	['list_watches', {}],
	['cancel_watch', { file_path: '/tmp/muxbus-no-such-file' }],
	['cancel_watch', { pane: '%0' }],
	['watch_pane', { pane: '%0', regex: 'x' }],
	['wait_for_idle', { cpu_threshold: 50, duration_seconds: 60, pane: '%0' }],
	['yield_turn', {}],
	['post_notification', { text: 'hello', data: { a: 1 }, pane: '%0' }],
	['list_notifications', {}],
	['cancel_notification', (r) => ({ seq: r.post_notification.seq })],
	['next_notification', { after: 0, timeout_sec: 0 }],
	['next_notification', { filter: { id: 'Z9Z9' }, timeout_sec: 0.05 }],
	['ack_notification', (r) => ({ consumer: 'me', up_to: r.next_notification.last })],
	['list_events', { limit: 5 }],
	['get_action_history', { limit: 5 }],
	['close_window', { window: 'made:0', force: true }],
	['close_session', { session: 'made', force: true }],
	['close_pane', (r) => ({ pane: r.create_pane.pane, force: true })],
];

const ajv = new Ajv({ strict: false, allErrors: true });
const short = (await ask('tools/list', {})).result.tools;
socket.write(JSON.stringify({
	jsonrpc: '2.0',
	method: 'notifications/muxbus/hello',
	params: { tools: 'all' },
}) + '\n');
const all = (await ask('tools/list', {})).result.tools;
ok(short.length <= 15 && all.length > short.length, `${short.length} tools, and all ${all.length}`);
const schemas = new Map();
let broken = 0;
for (const [list, tools] of Object.entries({ short, all }))
	for (const tool of tools)
		try {
			schemas.set(`${list} ${tool.name}`, {
				input: ajv.compile(tool.inputSchema),
				output: ajv.compile(tool.outputSchema),
			});
		} catch (error) {
			broken++;
			console.log(`# ${list} ${tool.name}: ${error.message}`);
		}
ok(broken === 0, 'each schema is one');

const results = {};
const called = new Set();
for (const [name, given] of calls) {
	if (!schemas.has(`all ${name}`)) continue; // not of this daemon
	const parameters = typeof given === 'function' ? given(results) : given;
	const answer = await ask('tools/call', { name, arguments: parameters });
	const result = answer.result;
	called.add(name);
	const what = `${name} ${JSON.stringify(parameters)}`;
	if (!result || result.isError) {
		ok(false, `${what} succeeds`, answer);
		continue;
	}
	results[name] = result.structuredContent;
	const errors = [];
	for (const list of ['short', 'all']) {
		const schema = schemas.get(`${list} ${name}`);
		if (!schema) continue;
		if (!schema.input(parameters)) errors.push(list, 'input', ...schema.input.errors);
		if (!schema.output(result.structuredContent))
			errors.push(list, 'output', ...schema.output.errors);
	}
	const text = result.content[0].text;
	ok(errors.length === 0 && result.content[0].type === 'text' && text.length > 0,
		`${what} is as its schemas say`, errors);
}
const missed = all.map((tool) => tool.name).filter((name) => !called.has(name));
console.log(`# not called: ${missed.join(' ')}`);
console.log(`1..${checks}`);
socket.end();
process.exitCode = failures ? 1 : 0;
