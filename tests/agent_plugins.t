#!/bin/sh
# SPDX-License-Identifier: ISC
# The plugin of opencode and the extension of Copilot CLI, with a stand-in for each agent and for
# muxbus: when they hand a notification to the session, and how.

contrib=${MUXBUS_SRCDIR:-.}/contrib
command -v node >/dev/null || { echo '1..0 # SKIP node is not installed'; exit 0; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/node_modules/@github/copilot-sdk"
mkfifo "$dir/lines"
cat >"$dir/bin/muxbus" <<END
#!/bin/sh
case \$1 in
follow)
	exec 3<&0
	cat <&3 >"$dir/confirmed" &
	exec cat "$dir/lines"
	;;
hook) printf '%s\n' "\$* \$(cat)" >>"$dir/hooks" ;;
esac
END
chmod +x "$dir/bin/muxbus"
cp "$contrib/opencode/muxbus.js" "$dir/opencode.mjs"
cp "$contrib/copilot/extension.mjs" "$dir/copilot.mjs"
echo '{"name": "@github/copilot-sdk", "type": "module", "exports": {"./extension": "./extension.js"}}' \
	>"$dir/node_modules/@github/copilot-sdk/package.json"
echo 'export const joinSession = async () => globalThis.session' \
	>"$dir/node_modules/@github/copilot-sdk/extension.js"

cat >"$dir/common.mjs" <<'END'
import { createWriteStream, readFileSync } from 'node:fs'
let checks = 0
export function is(name, got, want) {
	checks++
	const same = JSON.stringify(got) === JSON.stringify(want)
	console.log(`${same ? '' : 'not '}ok ${checks} - ${name}`)
	if (!same)
		console.log(`# got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}
export const done = () => { console.log(`1..${checks}`); process.exit(0) }
// Until the function is true, or for 20 seconds.
export async function until(test) {
	for (const end = Date.now() + 20000; !test() && Date.now() < end;)
		await new Promise(resolve => setTimeout(resolve, 10))
}
export const sent = []
export const failures = { left: 0 }
export async function take(message) {
	if (failures.left-- > 0)
		throw new Error('not now')
	sent.push(message)
	return {}
}
const folder = process.env.FOLDER
let lines
export const write = text => (lines ??= createWriteStream(`${folder}/lines`)).write(text)
function read(name) {
	try {
		return readFileSync(`${folder}/${name}`, 'utf8').split('\n').filter(line => line)
	} catch {
		return []
	}
}
export const hooks = () => read('hooks')
export const confirmed = () => read('confirmed')
END

cat >"$dir/run-opencode.mjs" <<'END'
import { confirmed, done, failures, hooks, is, sent, take, until, write } from './common.mjs'
import { Muxbus } from './opencode.mjs'
const said = [{ info: { role: 'assistant' }, parts: [{ type: 'text', text: 'no' }] },
	{ info: { role: 'assistant' }, parts: [{ type: 'step-start' }, { type: 'text', text: 'yes,\n' }, { type: 'text', text: 'ü' }] },
	{ info: { role: 'user' }, parts: [{ type: 'text', text: 'and?' }] }]
const client = { session: { promptAsync: take, messages: async () => ({ data: said }) } }
const plugin = await Muxbus({ client })
const busy = id => plugin.event({ event: { type: 'session.status', properties: { sessionID: id, status: { type: 'busy' } } } })
const idle = id => plugin.event({ event: { type: 'session.idle', properties: { sessionID: id } } })
const model = { providerID: 'p', modelID: 'm' }

await plugin['chat.message']({ sessionID: 'one' }, { message: { agent: 'plan', model } })
await busy('one')
await busy('one')
const note = (seq, notice) => JSON.stringify({ seq, id: notice.slice(8, 12), source: 'job', notice }) + '\n'
const second = note(2, '[muxbus C3D4 timer] second')
write(note(1, '[muxbus A1B2 job] first') + second.slice(0, 9))
await until(() => hooks().length > 0)
is('it reports that the session is busy', hooks()[0], 'hook opencode PreToolUse {"session_id":"one"}')
await new Promise(resolve => setTimeout(resolve, 300))
is('during a turn nothing is handed on', sent, [])
await idle('one')
await until(() => sent.length > 0)
is('at its end the whole line is, with agent and model of the user', sent,
	[{ path: { id: 'one' }, body: { parts: [{ type: 'text', text: '[muxbus A1B2 job] first' }], agent: 'plan', model } }])
await until(() => hooks().length > 1)
is('the report of the end has what the session said last', hooks()[1],
	'hook opencode SessionStart {"session_id":"one","last_assistant_message":"yes,\\nü"}')
for (const type of ['question.asked', 'question.rejected', 'question.asked', 'question.replied'])
	await plugin.event({ event: { type, properties: { sessionID: 'one' } } })
await until(() => hooks().length > 5)
is('it reports questions', hooks().slice(2).map(hook => hook.split(' ')[2]),
	['PermissionRequest', 'PreToolUse', 'PermissionRequest', 'PreToolUse'])
write(second.slice(9) + note(3, '[muxbus E5F6 watch] third'))
await new Promise(resolve => setTimeout(resolve, 300))
is('the next lines wait for the end of that turn', sent.length, 1)
is('nothing is confirmed before the model answers', confirmed(), [])
const answers = async (prompt, id) => {
	const info = { id, role: 'assistant', sessionID: 'one' }
	await plugin['chat.message']({ sessionID: 'one' }, { message: { id: prompt, agent: 'plan', model } })
	await plugin.event({ event: { type: 'message.updated', properties: { sessionID: 'one', info: { ...info, id: 'm0', role: 'user' } } } })
	await plugin.event({ event: { type: 'message.updated', properties: { sessionID: 'one', info } } })
	const part = { messageID: id, sessionID: 'one', type: 'step-start' }
	await plugin.event({ event: { type: 'message.part.updated', properties: { sessionID: 'one', part: { ...part, messageID: 'm0' } } } })
	await new Promise(resolve => setTimeout(resolve, 100))
	const before = confirmed().length
	await plugin.event({ event: { type: 'message.part.updated', properties: { sessionID: 'one', part } } })
	await until(() => confirmed().length > before)
	return confirmed().slice(before)
}
is('then it is', await answers('m1', 'm2'), ['1'])
plugin.event({ event: { type: 'session.created', properties: { info: { id: 'sub', parentID: 'one' } } } })
await busy('sub')
await idle('sub')
is('a subagent that is idle gets nothing', sent.length, 1)
await idle('one')
await until(() => sent.length > 1)
is('lines that came meanwhile are one prompt', sent[1].body.parts[0].text,
	'[muxbus C3D4 timer] second\n[muxbus E5F6 watch] third')
failures.left = 1
await idle('one')
write(note(4, '[muxbus G7H8 job] fourth'))
await until(() => sent.length > 2)
is('a prompt that is refused comes again', sent[2].body.parts[0].text, '[muxbus G7H8 job] fourth')
is('once', sent.length, 3)
is('what was not answered is confirmed with it', await answers('m3', 'm4'), ['2', '3', '4'])
done()
END

cat >"$dir/run-copilot.mjs" <<'END'
import { confirmed, done, failures, hooks, is, sent, take, until, write } from './common.mjs'
const handlers = []
const emit = event => handlers.forEach(handler => handler(event))
let pending = {}
globalThis.session = { send: async message => (await take(message), `m${sent.length}`), sessionId: 'one', on: handler => handlers.push(handler),
	rpc: { queue: { pendingItems: async () => ({ items: [], ...pending }) } } }
await import('./copilot.mjs')
emit({ type: 'permission.requested', data: {} })
emit({ type: 'permission.requested', data: {}, agentId: 'sub' })
emit({ type: 'permission.completed', data: {} })
emit({ type: 'assistant.message', data: { content: 'yes' } })
emit({ type: 'session.idle', data: {} })
emit({ type: 'session.idle', data: {} })
const reports = () => hooks().filter(line => line.startsWith('hook copilot'))
await until(() => reports().length > 3)
is('it reports questions, and what the session said', reports(), [
	'hook copilot PermissionRequest {"session_id":"one"}', 'hook copilot PreToolUse {"session_id":"one"}',
	'hook copilot assistantMessage {"session_id":"one","last_assistant_message":"yes"}',
	'hook copilot SessionStart {"session_id":"one","last_assistant_message":"yes"}'])
const note = (seq, notice) => JSON.stringify({ seq, id: notice.slice(8, 12), source: 'job', notice }) + '\n'
const first = note(1, '[muxbus A1B2 job] first')
write(first.slice(0, 9))
write(first.slice(9))
await until(() => sent.length > 0)
is('the extension sends the line', sent, [{ prompt: '[muxbus A1B2 job] first' }])
failures.left = 1
write(note(2, '[muxbus C3D4 timer] second'))
await until(() => sent.length > 1)
is('a message that is refused comes again, once', sent.slice(1), [{ prompt: '[muxbus C3D4 timer] second' }])
const says = async (...events) => {
	const before = confirmed().length
	events.forEach(emit)
	await new Promise(resolve => setTimeout(resolve, 100))
	return confirmed().slice(before)
}
const begins = { type: 'assistant.message_start', data: {} }
is('nothing is confirmed while another turn goes on', await says(begins), [])
is('nor when the session has the message', await says({ type: 'user.message', data: { content: sent[0].prompt } }), [])
is('nor by a subagent', await says({ ...begins, agentId: 'sub' }), [])
is('it is when the model answers', await says(begins), ['1'])
is('a changed message is known by its id', await says({ type: 'user.message', data: { messageId: 'm2' } }, begins, begins), ['2'])
write(note(3, '[muxbus E5F6 job] third'))
await until(() => sent.length > 2)
write(note(4, '[muxbus G7H8 job] fourth'))
await until(() => sent.length > 3)
write(note(5, '[muxbus J9K0 job] fifth'))
await until(() => sent.length > 4)
pending = { items: [{ kind: 'message', messageId: 'm4' }], withdrawableTurnMessageId: 'm5' }
emit({ type: 'abort', data: {}, agentId: 'sub' })
emit({ type: 'abort', data: { reason: 'user_initiated' } })
await until(() => sent.length > 5)
await new Promise(resolve => setTimeout(resolve, 1500))
is('what was dropped with a turn is sent again, once', sent.slice(5), [sent[2]])
is('and then confirmed', await says({ type: 'user.message', data: { messageId: 'm6' } }, begins), ['3'])
done()
END

export FOLDER="$dir" PATH="$dir/bin:$PATH"
checks=0
failed=0
for agent in opencode copilot; do
	TMUX_PANE=%1 timeout 60 node "$dir/run-$agent.mjs" >"$dir/said" 2>&1 || echo 'not ok - ended early' >>"$dir/said"
	while read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			checks=$((checks + 1))
			[ "${line%%ok *}" = '' ] || failed=$((failed + 1))
			echo "${line%%ok *}ok $checks - $agent: ${line#*- }"
			;;
		1..*) ;;
		*) echo "# $line" ;;
		esac
	done <"$dir/said"
done
echo "1..$checks"
[ $failed -eq 0 ]
