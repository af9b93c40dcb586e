// SPDX-License-Identifier: ISC
// A person goes from one to the next of several real agents while many notices are posted for all of them, and
// muxbusd is killed. What the scripted models have received says whether Muxbus has done right:
//
//   - each notice reaches the model of its agent once, and no other one; one that comes again is marked so
//   - no draft is sent, and what is sent reaches its model once, whole
//   - no notice runs as a command, or answers a question
//
// What an agent had taken that was ended, and what was shown to the person in its place, need not arrive.
//
//   node crowd.mjs SETTINGS.json ROUNDS SEED COLUMNSxROWS
//
// Each pane has that size when its agent is ready, unless it is changed.
// It ends with status 1 if a law was broken. Each round has a seed of its own, as in walk.mjs.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { ask, between, dir, keys, pick, random, seed, sentence, settings, sitDown, sleep, standUp, tmux, type,
	until } from './person.mjs'

const [, rounds, start, size] = process.argv.slice(2)
const { agents } = settings
const BOUND_SEC = 110 // from the end of a round's deeds to the model
const JOBS = 20 // of a round, which end in the same second
let round = -1
let number = 0

const ran = `${dir}/ran`
writeFileSync(`${dir}/bin/[muxbus`, `#!/bin/sh\necho "$0 $*" >>'${ran}'\n`)
chmodSync(`${dir}/bin/[muxbus`, 0o755)
const say = text => console.log(`# ${new Date().toISOString().slice(11, 19)} ${text}`)

// What the models have received.

const rows = path => existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : []
const turns = a => rows(a.log)
const states = a => rows(`${a.log}.states`)
const isRunning = a => states(a).filter(row => row.what === 'begin').length !==
	states(a).filter(row => row.what === 'end').length
// How often something is in what a model has read: the most in one conversation, over all of them.
function times(a, count) {
	const most = new Map()
	let name
	for (const turn of turns(a).reverse()) {
		name = turn.name ?? name
		most.set(name, Math.max(most.get(name) ?? 0, count(turn)))
	}
	return [...most.values()].reduce((sum, one) => sum + one, 0)
}
const has = mark => line => new RegExp(`\\b${mark}\\b`).test(line)
// Claude Code writes what its Stop hook says into the conversation twice: for it equal lines are one.
const heard = (a, id) => times(a, ({ heard = [] }) =>
	(a.kind === 'claude' ? [...new Set(heard)] : heard).filter(has(id)).length)
const read = (a, mark) => times(a, ({ typed = [] }) => typed.filter(has(mark)).length)
const isAsking = a => new RegExp(a.shows, 'm').test(plain(a).trimEnd().split('\n').slice(-16).join('\n'))

// The person.

const plain = a => tmux('capture-pane', '-p', '-t', a.pane)
const show = (a, what) => tmux('display-message', '-p', '-t', a.pane, what).trim()
const tail = a => plain(a).trimEnd().split('\n').slice(-12).map(row => `#     | ${row.trimEnd()}`).join('\n')
function focus(a) {
	tmux('select-window', '-t', a.pane)
	tmux('select-pane', '-t', a.pane)
	if (show(a, '#{window_zoomed_flag}') === '1')
		tmux('resize-pane', '-Z', '-t', a.pane)
}
function begin(a) {
	tmux('send-keys', '-t', a.pane, '-l', `. '${a.env}'; cd ${a.project}; clear; ${a.command}`)
	tmux('send-keys', '-t', a.pane, 'Enter')
}
let lives = 0
const hello = a => give(a, `I am ${a.name}l${++lives}. Hello.`)
async function isReady(a) {
	focus(a)
	let looks = 0
	a.isAsked ??= a.first.length === 0
	await until(async () => {
		const rule = a.first.find(([shown]) => plain(a).includes(shown))
		if (rule)
			keys(rule[1])
		a.isAsked ||= rule && rule === a.first[0]
		looks = !rule && a.isAsked && new RegExp(a.ready, 'm').test(plain(a)) ? looks + 1 : 0
		await sleep(0.9)
		return looks === 4
	}, 150, `${a.name} is ready`).catch(error => {
		throw new Error(`${error.message}\n${tail(a)}`)
	})
	if (a.bare)
		await until(async () => (await ask('ensure_agent', { pane: a.pane, startup_timeout_sec: 5 })).agent, 30, 'adopted')
	await hello(a)
}
async function enter(a, isDone, what) {
	await sleep(0.8)
	for (let tries = 0; tries < 5; tries++) { // a busy machine makes an agent take Enter for a part of a paste
		keys('Enter')
		try {
			return await until(isDone, 8, what)
		} catch {}
	}
	throw new Error(`${a.name}: ${what}\n${tail(a)}`)
}
async function give(a, text) {
	focus(a)
	await until(() => !isRunning(a), 40, `${a.name} rests`)
	const before = states(a).length
	await type(text)
	await until(() => plain(a).includes(text.slice(-4)), 20, `${a.name} shows the prompt`)
	await enter(a, () => states(a).slice(before).some(row => row.prompt?.includes(text.slice(-12))), 'the model is asked')
}

// What they do; each deed returns what ends it.

const drafts = []
const whole = new Map() // columns and rows of each window, as they are between deeds
const markers = []
const deeds = {
	async draft(a) {
		focus(a)
		const mark = `zq${round}x${number++}`
		const draft = { a, mark, line: `${mark} ${sentence(pick([2, 6]))}`, isSent: false }
		drafts.push(draft)
		await type(draft.line)
		return async () => {
			focus(a)
			if (random() < 0.5) {
				draft.isSent = true
				return enter(a, () => read(a, mark), 'the draft is sent')
			}
			keys('End')
			await sleep(0.2)
			for (const key of a.kind === 'opencode' ? ['BSpace', 'DC'] : ['BSpace']) // End is for its messages
				keys('-N', String([...draft.line].length * 2 + 10), key)
			await sleep(1)
		}
	},
	async question(a) {
		const marker = `${dir}/marker${number}`
		const name = `c${number++}`
		execFileSync('mkdir', ['-p', `${a.log}.say`])
		writeFileSync(`${a.log}.say/${name}`, a.call.replaceAll('MARKER', marker))
		markers.push([a, marker])
		await give(a, `CALL ${name}.`)
		await until(() => isAsking(a), 30, `${a.name} asks`)
		return async () => {
			focus(a)
			for (let tries = 0; tries < 2 && isAsking(a); tries++) {
				keys('Escape')
				await sleep(2)
			}
			if (a.kind === 'codex' || a.bare) // its queue rests until then
				await give(a, `go ${round} on`)
		}
	},
	async 'a new conversation'(a) {
		focus(a)
		await type(a.clear)
		await sleep(0.8)
		keys('Enter')
		await sleep(2)
		return () => hello(a)
	},
	async 'another life'(a) {
		a.ended = round
		focus(a)
		await type(a.quit)
		await sleep(0.8)
		keys('Enter')
		await until(() => show(a, '#{pane_current_command}') === 'bash', 15, '').catch(() =>
			tmux('respawn-pane', '-k', '-t', a.pane, 'exec bash --norc -i'))
		await sleep(between(1, 5))
		return async () => {
			begin(a)
			await isReady(a)
		}
	},
	async 'another size'(a) {
		const window = show(a, '#{window_id}') // another deed may have resized it too, or may move the pane
		tmux('resize-window', '-t', window, '-x', '100', '-y', '24')
		return async () => tmux('resize-window', '-t', window, '-x', whole.get(window)[0], '-y', whole.get(window)[1])
	},
	async 'another place'(a) {
		tmux('swap-pane', '-d', '-s', a.pane, '-t', pick(agents.filter(one => one !== a)).pane)
		return async () => focus(a)
	},
	async 'copy mode'(a) {
		tmux('copy-mode', '-t', a.pane)
		return async () => show(a, '#{pane_in_mode}') === '1' && tmux('send-keys', '-t', a.pane, '-X', 'cancel')
	},
	async busy(a) {
		await give(a, `WAIT 7. go ${round} on`)
		return async () => {}
	},
}
const usable = Object.keys(deeds).filter(name => name.match(process.env.MUXBUS_WALK_STEP ?? ''))

// Notices.

const notices = new Map() // by id: { a, round, method }
const known = new Map() // by id, as the daemon has said last
async function post(a, method, params) {
	const key = `${start}k${number++}`
	for (let tries = 0; tries < 60; tries++) { // muxbusd may be away: once by its key
		const result = await ask(method, { ...params, key, pane: a.pane })
		if (result.id)
			return notices.set(result.id, { a, round, method })
		await sleep(0.5)
	}
	throw new Error(`${method} could not be asked for`)
}
const texts = ['reminder', 'y', '1', '/quit', '2 or 3? Enter', 'done! touch it', 'see @README #1 $HOME ~ `ls`']
async function postAll() {
	const at = Math.floor(Date.now() / 1000 + 4)
	const some = agents.filter(() => random() < 0.6).map(a =>
		random() < 0.5 ? post(a, 'sleep', { seconds: between(0.1, 8), text: pick(texts) }) :
			post(a, 'post_notification', { text: pick(texts) }))
	await Promise.all([...some, ...Array.from({ length: JOBS }, () => post(pick(agents), 'run_long_command',
		{ command: `while [ $(date +%s) -lt ${at} ]; do sleep 0.1; done; echo done` }))])
}
let kills = 0
async function killDaemon() {
	const { pid } = await ask('status', {})
	if (pid) {
		process.kill(pid, 'SIGKILL')
		kills++
	}
	await sleep(between(0, 2))
	try { // or a bridge of an agent was faster
		execFileSync(`${dir}/bin/muxbus`, ['-S', `${dir}/tmux`, 'start'], { stdio: 'ignore', timeout: 20000 })
	} catch {}
}
async function receipts() {
	const { notifications = [] } = await ask('list_notifications', { limit: 256 })
	for (const one of notifications)
		known.set(one.id, one)
	return new Map(notifications.map(one => [one.id, one]))
}
// A notice can stand for those behind it: "the rest: next_notification after=SEQ".
const isInRest = (a, id) => turns(a).some(turn => turn.heard?.some(line =>
	known.get(id)?.seq > Number(line.match(/the rest: next_notification after=(\d+)/)?.[1])))
const isReceived = ([id, { a }]) => heard(a, id) > 0 || isInRest(a, id)

// The laws.

const broken = new Set()
function law(isBroken, text) {
	if (!isBroken || broken.has(text))
		return
	broken.add(text)
	say(`BROKEN, round ${round}: ${text}`)
}
function check() {
	for (const [id, { a, method }] of notices) {
		law(heard(a, id) > 1 + (known.get(id)?.redelivered ?? 0), `${id}, ${method}, has reached ${a.name} ${heard(a, id)} times`)
		for (const other of agents)
			law(other !== a && heard(other, id) > 0, `${id} of ${a.name} has reached ${other.name}`)
	}
	for (const { a, mark, line, isSent } of drafts) {
		for (const other of agents)
			law(other !== a && read(other, mark) > 0, `what was typed at ${a.name} has reached ${other.name}: ${line}`)
		law(!isSent && read(a, mark) > 0, `${a.name} has what was not sent: ${line}`)
		law(isSent && read(a, mark) !== 1, `${a.name} has what was sent ${read(a, mark)} times: ${line}`)
		law(isSent && !turns(a).some(turn => turn.typed?.some(one => one.includes(line))), `${a.name} has not the whole of: ${line}`)
	}
	for (const [a, marker] of markers)
		law(existsSync(marker), `a question of ${a.name} was answered`)
	law(existsSync(ran), 'a shell has run a notice')
}
async function arrive() {
	const mine = [...notices].filter(([, one]) => one.round === round)
	let list
	await until(async () => {
		list = await receipts()
		return mine.every(isReceived)
	}, BOUND_SEC, '').catch(() => 0)
	let excused = 0
	for (const one of mine.filter(one => !isReceived(one))) {
		const [id, { a, method }] = one
		const note = list.get(id)
		if (a.ended === round || note?.delivery?.way === 'shown')
			excused++
		else
			law(true, `${id}, ${method}, has not reached ${a.name}: ${note?.state} ${JSON.stringify(note?.delivery)}\n${tail(a)}`)
	}
	return `${mine.length} notices, ${mine.filter(isReceived).length} received, ${excused} excused`
}

sitDown()
process.on('exit', standUp)
seed(Math.imul(Number(start), 0x9e3779b1))
say(`a crowd of ${agents.length} in panes of ${size}, ${rounds} rounds, seed ${start}`)
const open = (...words) => tmux(...words, '-d', '-P', '-F', '#{pane_id}', '-c', dir, 'exec bash --norc -i').trim()
const firsts = [] // [window, whether its two panes are beside each other]
function resize(window, isBeside, x, y) { // the size of one pane
	whole.set(window, [isBeside ? x * 2 + 1 : x, isBeside ? y : y * 2 + 1].map(String))
	tmux('resize-window', '-t', window, '-x', whole.get(window)[0], '-y', whole.get(window)[1])
}
for (let at = 0; at < agents.length; at++) {
	if (at % 2 === 0) {
		agents[at].pane = open('new-window', '-t', 'main:')
		firsts.push([show(agents[at], '#{window_id}'), random() < 0.5])
		resize(...firsts.at(-1), 104, 28)
	} else {
		agents[at].pane = open('split-window', firsts.at(-1)[1] ? '-h' : '-v', '-t', agents[at - 1].pane)
	}
}
await sleep(1)
agents.forEach(begin)
for (const a of agents)
	await isReady(a)
for (const first of firsts)
	resize(...first, ...size.split('x').map(Number))
say('all are ready')
let lost = 0
for (round = 0; round < Number(rounds); round++) {
	seed(Math.imul(Number(start) + round, 0x9e3779b1))
	const isKill = round === 0 || random() < 0.5
	const isEarly = random() < 0.3 // the notices come while the deeds are begun
	const ends = []
	const did = []
	try {
		const early = isEarly ? postAll() : undefined
		for (const a of agents.filter(() => random() < 0.6)) {
			const name = pick(usable)
			did.push(`${a.name} ${name}`)
			ends.push(await deeds[name](a))
		}
		const all = early ?? postAll()
		if (isKill) {
			await sleep(between(0, 5))
			await killDaemon()
		}
		await all
		await sleep(between(2, 6))
		for (const end of ends)
			await end()
	} catch (error) { // the crowd itself lost its way
		lost++
		say(`lost, round ${round}: ${error.message}`)
	}
	const arrived = await arrive()
	check()
	say(`${round} (${Number(start) + round}): ${did.join(', ')}${isEarly ? '; early' : ''}${isKill ? '; killed' : ''}; ${arrived}`)
}
await sleep(3)
check()
say(`${notices.size} notices, ${[...notices].filter(isReceived).length} received, ${drafts.length} drafts, ` +
	`${kills} kills of muxbusd, ${broken.size} broken laws, ${lost} rounds lost`)
process.exit(broken.size > 0 || lost * 3 > Number(rounds) ? 1 : 0)
