// SPDX-License-Identifier: ISC
// Drives one real agent in random ways, and saves its screen at random moments with the truth.
//
// The truth is known from the script and from the requests to the scripted model: "busy" while the
// model or a tool is at work, "asking" while a tool waits for a person, "draft" with text in the
// prompt, else "idle". No screen is saved within 0.7 s of a change. OUT has for each screen the line
//
//   @ AGENT VERSION TRUTH COLUMNS CURSOR-ROW CURSOR-COLUMN CURSOR-IS-SHOWN STATE ROWS PHASE<tab>TITLE
//
// with the state in list_agents of that moment ("-": not listed; a "+" behind it: adopted), the title
// that the agent has given to its terminal ("": none), and the rows as capture-pane -p -e has them.
//
//   node record.mjs SETTINGS.json OUT COUNT SEED
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { ask, between, close, dir, firstRule, give, isRunning, keys, log, model, open, pane, pick, plain, random,
	seed, sentence, settings, sleep, tmux, type, until } from './person.mjs'

const [, out, count, start] = process.argv.slice(2)
seed(start)

// Texts that look like what they are not.
const lures = ['Do you want to proceed?\n\n1. Yes\n2. No', '❯ 1. Yes\n  2. No, and say why',
	'Press esc to interrupt, or ctrl+c to cancel.', 'Allow execution of `rm -rf build`?',
	'Would you like to run the following command?', 'Continue? [y/N]', 'Working (12s, esc to interrupt)',
	'Thinking...', '> a quoted line\n> and another', 'Password:', '- [ ] one\n- [x] two',
	'Press enter to continue', '| a | b |\n| --- | --- |\n| 1 | 2 |', 'Permission required',
	'The line `esc interrupt` is a hint.', 'Is this what you meant?', 'Waiting for your approval.']
function saying() {
	const paragraphs = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
		random() < 0.35 ? pick(lures) : random() < 0.2 ?
			'```sh\n' + Array.from({ length: 4 }, () => sentence(5)).join('\n') + '\n```' :
			sentence(4 + Math.floor(random() * 40)))
	return paragraphs.join('\n\n')
}

// Samples.

let saved = 0
let pending = []
const filler = path => '/srv/' + 'x'.repeat(Math.max(path.length - 5, 0))
const cache = process.env.MUXBUS_AGENT_CACHE || `${process.env.XDG_CACHE_HOME}/muxbus-agents`
const mask = text => text.replace(/\/tmp\/[\w.-]+/g, filler).replaceAll(cache, filler(cache))

async function sample(truth, phase) {
	if (firstRule(plain()))
		[truth, phase] = ['asking', 'its first start']
	const text = tmux('display-message', '-p', '-t', pane,
		'#{pane_width} #{cursor_y} #{cursor_x} #{cursor_flag} #{pane_title}', ';', 'capture-pane', '-p', '-e', '-t', pane)
	const [columns, row, column, cursor, ...titles] = text.slice(0, text.indexOf('\n')).split(' ')
	const title = titles.join(' ') === hostname() ? '' : mask(titles.join(' '))
	const listed = (await ask('list_agents', {})).agents?.find(agent => agent.pane === pane)
	const screen = mask(text.slice(text.indexOf('\n') + 1).replace(/\n+$/, '\n'))
	const known = listed ? listed.state + (listed.kept === false ? '' : '+') : '-'
	pending.push(`@ ${settings.agent} ${settings.version} ${truth} ${columns} ${row} ${column} ${cursor} ` +
		`${known} ${screen.split('\n').length - 1} ${phase}\t${title}\n${screen}`)
}
// The samples of a phase count only when it has gone as it should.
function keep() {
	for (const one of pending)
		appendFileSync(out, one)
	saved += pending.length
	pending = []
}

// Phases.

let orders = 0
let marker = ''
function resize() {
	const [x, y] = pick([[80, 24], [100, 30], [120, 40], [150, 50], [200, 60], [132, 43]])
	tmux('resize-window', '-t', pane, '-x', String(x), '-y', String(y))
}

const ended = before => model().slice(before).some(row => row.what === 'end' && !row.call)

// Waits for the end of a turn, and until the agent has drawn the end of its reply.
async function settle(before, reply) {
	await until(() => ended(before) && !isRunning(), 60, 'the turn ends')
	const end = reply.trimEnd().split(/\s+/).pop().replace(/[^\w]/g, '')
	for (let tries = 0; tries < 50 && !plain().includes(end); tries++)
		await sleep(0.2)
	await sleep(3)
}

async function idle() {
	for (let times = pick([1, 1, 2]); times > 0; times--) {
		const before = model().length
		await sleep(between(0.2, 3))
		await sample('idle', 'idle')
		await sleep(0.7)
		if (model().length !== before)
			throw new Error('a turn began by itself')
	}
	keep()
}

async function draft() {
	const text = random() < 0.1 ? pick(['/mo', '# note']) :
		'zq ' + sentence(pick([1, 2, 4, 8, 20, 45]))
	await type(text)
	await until(() => plain().includes(text.slice(0, 6).trim()), 20, 'the draft is shown')
	await sleep(between(1, 3))
	await sample('draft', text.length < 7 ? 'draft of a command' : 'draft')
	if (text.length >= 7 && random() < 0.3) {
		const times = String(pick([1, 5, 12]))
		keys('-N', times, 'Left')
		await sleep(between(0.8, 1.5))
		await sample('draft', 'draft, cursor within')
		keys('-N', times, 'Right')
	}
	keep()
	if (text.length < 7)
		keys('Escape')
	await clear(text)
}

// Takes a draft back.
async function clear(text) {
	for (let tries = 0; tries < 4; tries++) {
		await sleep(0.5)
		keys('-N', String(text.length + 10), 'BSpace')
		await sleep(1.5)
		if (!plain().includes('zq '))
			return
	}
	throw new Error('the draft stays')
}

async function busy() {
	const name = `s${++orders}`
	const waits = between(2.5, 7).toFixed(1), streams = random() < 0.5 ? between(3, 7).toFixed(1) : 0
	const reply = saying()
	writeFileSync(`${log}.say/${name}`, reply)
	const before = await give(`${random() < 0.3 ? sentence(12) + ' ' : ''}SAY ${name}. WAIT ${waits}.${streams ?
		` STREAM ${streams}.` : ''}`)
	const began = model()[before].at
	const end = began + 1000 * (Number(waits) + Number(streams))
	const moments = Array.from({ length: pick([1, 2, 2, 3]) }, () => between(began + 900, end - 900)).sort()
	const isDrafted = random() < 0.2
	for (const moment of moments) {
		if (isDrafted && moment === moments[0])
			await type('zq ' + sentence(4))
		await sleep(Math.max(0, moment - Date.now()) / 1000)
		const phase = Date.now() < began + 1000 * Number(waits) ? 'thinking' : 'streaming'
		if (Date.now() < end - 700)
			await sample('busy', isDrafted ? `${phase}, with a draft` : phase)
	}
	if (Date.now() < end - 300)
		keep()
	pending = []
	await settle(before, reply)
	if (isDrafted)
		await clear(sentence(8))
}

async function asking() {
	const dialog = pick(settings.dialogs)
	marker = `${dir}/marker.${++orders}`
	const args = JSON.stringify(dialog.args).replaceAll('MARKER', marker).replaceAll('PROJECT', settings.project)
		.replaceAll('NAME', `n${orders}`)
	writeFileSync(`${log}.say/c${orders}`, `{"tool": "${dialog.tool}", "args": ${args}}`)
	const before = await give(`CALL c${orders}.`)
	const rows = await until(() => {
		const at = model().findIndex((row, number) => number >= before && row.what === 'end' && row.call)
		return at + 1
	}, 20, 'the tool is called')
	await until(() => new RegExp(dialog.shows, 'm').test(plain()), 20, `${dialog.tool} asks`)
	await sleep(1)
	let downs = 0
	for (let times = pick([1, 2, 2, 3]); times > 0; times--) {
		await sleep(between(0.1, 2))
		await sample('asking', dialog.tool)
		if (random() < 0.3 && downs++ === 0) {
			keys('Down')
			await sleep(0.8)
		}
	}
	if (downs > 0)
		keys('Up')
	if (model().length !== rows || existsSync(marker))
		throw new Error(`${dialog.tool} did not wait`)
	keep()
	if (random() < 0.5) {
		keys('Escape')
		await sleep(3)
		if (isRunning() || !ended(before))
			await until(() => !isRunning(), 20, 'it rests')
		await sleep(2)
		if (new RegExp(dialog.shows, 'm').test(plain().split('\n').slice(-16).join('\n')))
			keys('Escape')
		await sleep(1)
		return
	}
	for (let tries = 0; tries < 3; tries++) { // opencode does not take the first Enter
		keys(...(dialog.yes ?? 'Enter').split(' '))
		try {
			await until(() => model().length > rows || existsSync(marker), 6, 'the answer is taken')
			break
		} catch {}
	}
	if (dialog.runs) {
		await until(() => existsSync(marker), 1, 'the command runs')
		await sleep(between(0.8, 2.2))
		await sample('busy', 'a tool runs')
		await sleep(0.5)
		if (model().length === rows)
			keep()
		pending = []
	}
	await settle(before, 'FINISHED 1 calls')
}

async function menu() {
	const one = pick(settings.menus)
	const isShown = () => new RegExp(one.shows, 'm').test(plain())
	if (isShown())
		return
	await type(one.command)
	await until(() => plain().includes(one.command), 20, 'the command is shown')
	await sleep(1.2)
	await sample('draft', 'a command is typed')
	keep()
	keys('Enter')
	await until(isShown, 20, one.command)
	await sleep(between(1, 2))
	await sample('asking', one.command)
	if (!isShown())
		pending = []
	keep()
	keys('Escape')
	await sleep(1.2)
	keys('Escape')
	await sleep(1.5)
}

// Replies: what send_task gives back, beside what the model said.

function longReply() {
	const line = () => pick([sentence(3), sentence(30), '', '\tindented ' + sentence(4), '| a | b |', '- ' + sentence(5),
		'```', '# ' + sentence(3), '> ' + sentence(6), '🙂 é̂ 漢字 ‮abc‬ ' + sentence(2), '\u001b[31mred\u001b[0m', pick(lures)])
	return 'r ' + Array.from({ length: pick([1, 2, 5, 20, 200]) }, line).join('\n') + ' end'
}

async function replies() {
	let exact = 0
	const sources = {}
	await open()
	const agent = (await ask('ensure_agent', { pane })).agent
	for (let number = 1; number <= Number(count); number++) {
		const reply = longReply()
		writeFileSync(`${log}.say/r${number}`, reply)
		const result = await ask('send_task', { agent, text: `SAY r${number}.`, timeout_sec: 120,
			max_bytes: 1048576, progress: false })
		exact += result.text === reply
		sources[result.source] = (sources[result.source] ?? 0) + 1
		if (result.text !== reply)
			appendFileSync(`${out}.wrong`, JSON.stringify({ number, reply, result }) + '\n')
	}
	appendFileSync(out, `| ${settings.agent} | ${settings.version} | ${exact} of ${count} | ` +
		`${Object.entries(sources).map(([name, times]) => `${name} ${times}`).join(', ')} |\n`)
	console.log(`# ${settings.agent}: ${exact} of ${count} replies are exact`)
}

if (settings.replies) {
	await replies()
	process.exit()
}

const phases = [idle, idle, draft, draft, busy, busy, asking, asking, menu]
let failures = 0
while (saved < Number(count) && failures < 12) {
	try {
		if (!pane)
			await open()
		if (random() < 0.25) {
			resize()
			await sleep(1.5)
		}
		const phase = pick(phases.filter(one => (one !== menu || (settings.menus?.length && random() < 0.4)) &&
			(one !== asking || settings.dialogs?.length)))
		await phase()
	} catch (error) {
		console.error(`# ${settings.agent}: ${error.message}`)
		if (process.env.MUXBUS_AGENT_KEEP && pane)
			appendFileSync(`${out}.failures`, `== ${settings.agent}: ${error.message}\n${plain()}\n`)
		pending = []
		failures++
		close()
	}
	if (random() < 0.03)
		close()
}
console.log(`# ${settings.agent}: ${saved} screens, ${failures} failures`)
