// SPDX-License-Identifier: ISC
// A person walks at random through the states of one real agent while notices are posted for it. What
// the scripted model has received says whether Muxbus has done right; nothing is read off our code:
//
//   - a notice that is said to be delivered has reached the model once; none reaches it twice
//   - what the person has typed and not sent reaches no model; what they have sent reaches it once, whole
//   - no notice runs as a command, answers a question or moves the choice of a menu
//   - once the prompt is empty again, each notice arrives within BOUND_SEC
//
// A command with the name of a notice's first word is in PATH: it says whether a shell has run a notice.
// Each round has a seed of its own, the seed of the walk and the number of the round.
//
//   node walk.mjs SETTINGS.json ROUNDS SEED
//
// prints a comment for each round, and what broke a law. It ends with status 1 if one was broken.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ask, between, close, dir, give, isRunning, keys, launch, log, model, open, pane, paste, pick, plain, random,
	seed, send, sentence, settings, sitDown, sleep, standUp, tmux, type, until } from './person.mjs'

const [, rounds, start] = process.argv.slice(2)
const BOUND_SEC = 100 // from the empty prompt to the model: a line not seen for 6 s is looked at again after 60 s
const ROUNDS_OF_LIFE = 8 // until the agent is started anew
const { agent } = settings

const ran = `${dir}/ran`
writeFileSync(`${dir}/bin/[muxbus`, `#!/bin/sh\necho "$0 $*" >>'${ran}'\n`)
chmodSync(`${dir}/bin/[muxbus`, 0o755)

// What was posted and typed.

const notices = new Map() // by id: { number, isExcused }
const lines = new Map() // by mark: { line, isSent, isFused }
let number = 0
let letter = 0

// A line that has a mark of its own.
function line(words = pick([1, 3, 8])) {
	const mark = `zq${number}x${letter++}`
	lines.set(mark, { line: `${mark} ${sentence(words)}`, isSent: false })
	return lines.get(mark).line
}

// Signs that agents know as keys, or as the beginning of a command or of a name.
const texts = ['reminder', 'y', '1', '/quit', '2 or 3? Enter', 'done! touch it', 'see @README #1 $HOME ~ `ls`']
async function post(delay) {
	if (life.agent && (process.env.MUXBUS_WALK_TASKS || random() < 0.2)) { // a task is typed for any agent
		const mark = `zq${number}t${letter++}`
		const { task } = await ask('send_task', { agent: life.agent, text: `${mark} task`, wait: false })
		if (task)
			notices.set(mark, { number, task })
		return mark
	}
	if (random() < 0.15) { // its own notification says how it has ended
		const mark = `zq${number}t${letter++}`
		const { id } = await ask('self_command', { pane, command: `${mark} command` })
		if (id) {
			notices.set(mark, { number, task: id })
			notices.set(id, { number })
		}
		return mark
	}
	const text = pick(texts)
	const result = random() < 0.7 ? await ask('sleep', { pane, seconds: delay, text }) :
		await ask('run_long_command', { pane, command: `sleep ${delay.toFixed(1)}; echo of-the-job` })
	if (!result.id)
		throw new Error(`it could not be posted: ${JSON.stringify(result)}`)
	notices.set(result.id, { number })
	return result.id
}

// What the model has received.

const logged = () => readFileSync(log, 'utf8').split('\n').filter(Boolean)
const first = logged().length
const turns = () => logged().slice(first).map(JSON.parse)

// How often something is in what the model has read: the most in one conversation, over all conversations.
function times(count) {
	const most = new Map()
	let name
	for (const turn of turns().reverse()) { // what comes before "I am" belongs to that conversation
		name = turn.name ?? name
		most.set(name, Math.max(most.get(name) ?? 0, count(turn)))
	}
	return [...most.values()].reduce((sum, one) => sum + one, 0)
}
const word = text => new RegExp(`\\b${text}\\b`)
const isOfCommand = one => /\[muxbus \w+ command/.test(one) // the notice of a self_command quotes its text
const read = mark => times(turn => turn.typed?.filter(one => word(mark).test(one) && !isOfCommand(one)).length ?? 0)
const received = id => read(id) || times(turn => turn.heard?.filter(one => word(id).test(one)).length ?? 0) ||
	times(turn => Number(turn.ids?.includes(id) ?? false))
const isWhole = ({ line }) => turns().some(turn => turn.typed?.some(one => one.includes(line) && !one.includes('[muxbus')))

async function receipts() {
	const { notifications = [] } = await ask('list_notifications', { limit: 256 })
	const list = new Map(notifications.map(one => [one.id, one]))
	for (const [mark, { task }] of notices) { // the notification of a task says how it has ended
		const note = list.get(task)
		if (task && note)
			list.set(mark, { state: 'failed', delivery: { result: 'typed', time: note.time, text: note.text } })
	}
	return list
}

// In a pane without an agent a notice is shown to the person.
const isExcused = (id, note) => notices.get(id).isExcused || note?.delivery?.way === 'shown'
const hasEnded = note => ['delivered', 'acknowledged', 'failed'].includes(note?.state)

// The laws that hold at any time; each broken one is told once.
const told = new Set()
async function faults() {
	const found = []
	const list = await receipts()
	for (const id of notices.keys()) {
		const count = received(id)
		const note = list.get(id)
		if (count > 1)
			found.push(`${id} has reached the model ${count} times`)
		if (count === 0 && !isExcused(id, note) && hasEnded(note) && note.state !== 'failed')
			found.push(`${id} is ${note.state}, ${JSON.stringify(note.delivery)}, and has not reached the model`)
	}
	for (const [mark, one] of lines) {
		const count = read(mark)
		if (!one.isSent && count > 0)
			found.push(`the model has what was not sent: ${one.line}`)
		if (one.isSent && count !== 1)
			found.push(`what was sent has reached the model ${count} times: ${one.line}`)
		if (one.isSent && count > 0 && !one.isFused && !isWhole(one))
			found.push(`the model has not what was sent as it was: ${one.line}`)
	}
	if (existsSync(ran))
		found.push(`a shell has run ${readFileSync(ran, 'utf8').trim()}`)
	return found.filter(one => !told.has(one))
}

// Keys.

let interrupted // the last round in which a key may have interrupted a turn
async function press(...names) {
	for (const name of names) {
		if (['Escape', 'C-c'].includes(name))
			interrupted = number
		keys(name)
		await sleep(0.5)
	}
}
async function enter(text) {
	await type(text)
	await sleep(0.5)
}
const newline = () => ['claude', 'copilot'].includes(agent) ? press('\\', 'Enter') : press('C-j')
async function wipe(length = 60) {
	keys('End')
	await sleep(0.2)
	keys('-N', String(length + 10), 'BSpace')
	if (agent === 'opencode') // End and Home are for its messages
		keys('-N', String(length + 10), 'DC')
	await sleep(1)
}
// Takes all that was typed in this round back, or sends it.
const typed = () => [...lines].filter(([mark]) => mark.startsWith(`zq${number}x`))
async function wipeTyped() {
	await wipe(typed().reduce((sum, [, one]) => sum + [...one.line].length + 1, 0))
}
async function sendTyped() {
	for (const [, one] of typed())
		one.isSent = true
	const [mark] = typed()[0]
	await sleep(0.7)
	for (let tries = 0; tries < 4; tries++) { // a busy machine makes an agent take Enter for a part of a paste
		keys('Enter')
		try {
			return await until(() => read(mark), 6, 'the draft is sent')
		} catch {}
	}
	throw new Error('the draft could not be sent')
}
const sendOrWipe = () => random() < 0.5 ? sendTyped() : wipeTyped()

// The row of the choice, the last that has a sign.
const choice = () => plain().split('\n').findLast(row => /^[\s│┃|]*[❯›●>]\s+\S/.test(row)) ?? ''

// Steps: enter brings the state about, leave ends it; holds says what is wrong while notices wait.

const draft = (enter, leave = sendOrWipe) => ({ enter, leave })
const glance = (open, shut) => ({ enter: () => press(...open), leave: async () => {
	await press(...shut)
	await wipe(20)
} })

function menu({ command, shows }) {
	let before
	return {
		enter: async () => {
			await enter(command)
			await sleep(0.8)
			await press('Enter')
			await until(() => new RegExp(shows, 'm').test(plain()), 30, `${command} is shown`)
			await sleep(1.2)
			before = choice()
		},
		holds: () => choice() === before ? '' : `the choice was "${before}", and is "${choice()}"`,
		leave: async () => {
			await press('Escape')
			await sleep(1)
			await wipe(20)
		},
	}
}

// Codex leaves its queue alone after an interrupted turn, until it is given the next prompt.
async function goOn() {
	await until(() => !isRunning(), 40, 'the model rests')
	if (agent === 'codex')
		await give(`go ${number} on`)
}

function dialog(one, agrees) {
	const marker = `${dir}/marker`
	let before, rows
	return {
		enter: async () => {
			rmSync(marker, { force: true })
			const args = JSON.stringify(one.args).replaceAll('MARKER', marker).replaceAll('PROJECT', settings.project)
				.replaceAll('NAME', `n${number}${settings.isBare ? 'b' : ''}`)
			writeFileSync(`${log}.say/c${number}`, `{"tool": "${one.tool}", "args": ${args}}`)
			await give(`CALL c${number}.`)
			await until(() => new RegExp(one.shows, 'm').test(plain()), 30, `${one.tool} asks`)
			await sleep(1)
			before = choice()
			rows = turns().length
		},
		holds: () => existsSync(marker) ? 'the question was answered' : choice() !== before ?
			`the choice was "${before}", and is "${choice()}"` : '',
		leave: async () => {
			if (!agrees) {
				await press('Escape')
				await sleep(2)
				if (new RegExp(one.shows, 'm').test(plain().split('\n').slice(-16).join('\n')))
					await press('Escape')
				await goOn()
				return
			}
			for (let tries = 0; tries < 3 && turns().length === rows && !existsSync(marker); tries++) {
				await press(...(one.yes ?? 'Enter').split(' ')) // opencode does not take the first Enter
				await sleep(4)
			}
			if (one.runs) { // a tool is at work
				await post(0.1)
				await post(0.3)
			}
		},
	}
}

const isBusy = (seconds, then) => ({
	enter: async () => {
		await give(`WAIT ${seconds}. go ${number} on`)
		if (then)
			await then()
	},
	leave: async () => {
		const isSent = typed().length > 0 && random() < 0.3 // while it is busy
		if (isSent)
			await sendTyped()
		await until(() => !isRunning(), 40, 'the model rests')
		if (typed().length > 0 && !isSent)
			await sendOrWipe()
	},
})

async function again(command) {
	await launch(command)
	await hello()
}

// A pane beside that of the agent, whose program writes down what is typed into it.
const beside = {
	open() {
		rmSync(`${dir}/beside`, { force: true })
		return tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', pane, `exec cat >'${dir}/beside'`).trim()
	},
	holds: () => /\[muxbus|zq\d+t/.test(existsSync(`${dir}/beside`) ? readFileSync(`${dir}/beside`, 'utf8') : '') ?
		'it was typed into the pane beside' : '',
	async close(id) {
		tmux('kill-pane', '-t', id)
		tmux('select-pane', '-t', pane)
		await sleep(1)
		if (typed().length > 0)
			await sendOrWipe()
	},
}

// The processes of the agent at the terminal of the pane, in the group in front.
function group() {
	const tty = tmux('display-message', '-p', '-t', pane, '#{pane_tty}').trim().replace('/dev/', '')
	return execFileSync('ps', ['-t', tty, '-o', 'pid=,stat='], { encoding: 'utf8' }).trim().split('\n')
		.map(row => row.trim().split(/\s+/)).filter(([, state]) => state.includes('+')).map(([pid]) => Number(pid))
}
const excuse = () => { // the agent can end with what it has taken
	for (const one of notices.values())
		one.isExcused ||= one.number === number
}
const isAtShell = () => tmux('display-message', '-p', '-t', pane, '#{pane_current_command}').trim() === 'bash'
let other, stopped = []
let hellos = 0
const hello = () => give(`I am life${++hellos}. Hello.`)

const steps = {
	idle: { enter: () => {}, leave: () => {} },
	draft: draft(() => enter(line())),
	'draft, slowly': draft(async () => {
		for (const part of line(8).match(/.{1,3}/gu)) {
			send(part)
			await sleep(0.2)
		}
	}),
	'draft of two lines': draft(async () => {
		await enter(line())
		await newline()
		await enter(line())
	}),
	'draft with an empty last line': draft(async () => {
		await enter(line())
		await newline()
	}, wipeTyped),
	'draft, the cursor before it': draft(async () => {
		await enter(line(3))
		await press(agent === 'opencode' ? 'C-a' : 'Home')
	}),
	'draft, Escape': draft(async () => {
		await enter(line())
		await press('Escape')
	}),
	'draft, another size': draft(async () => {
		await enter(line(8))
		tmux('resize-window', '-t', pane, '-x', String(pick([40, 60, 100])), '-y', String(pick([10, 20, 40])))
		await sleep(1)
	}),
	paste: draft(() => paste(Array.from({ length: 12 }, () => line(2)).join('\n'))),
	'paste of a long line': draft(() => paste(line(50))),
	'last prompt': { enter: () => press('Up'), leave: () => wipe(400) },
	'popup of commands': glance(['/'], ['BSpace']),
	'popup of files': glance(['@'], ['BSpace']),
	'question mark': glance(['?'], ['BSpace', 'Escape']),
	'shell, empty': glance(['!'], ['BSpace', 'Escape']),
	'shell, a command': draft(async () => {
		await press('!')
		await enter(`: ${line(1)}`)
	}, async () => {
		await wipe(40)
		await press('BSpace', 'Escape')
	}),
	'C-c': {
		enter: () => press('C-c'),
		leave: async () => { // Codex may end
			await sleep(3)
			if (!isAtShell())
				return
			excuse()
			await again(life.command)
		},
	},
	Escape: { enter: () => press('Escape'), leave: () => sleep(2) },
	'search of the history': glance(['C-r'], ['Escape']),
	'search of the history, words': glance(['C-r', 'g', 'o'], ['Escape']),
	busy: isBusy(6),
	'busy, a draft': isBusy(7, () => enter(line())),
	interrupted: {
		enter: async () => {
			await give(`WAIT 9. stop ${number} there`)
			await sleep(1.5)
			await press(...(agent === 'opencode' ? ['Escape', 'Escape'] : ['Escape']))
			await sleep(1)
		},
		leave: async () => {
			await wipe(60) // an agent may give the prompt back
			await goOn()
		},
	},
	'a new conversation': {
		enter: async () => {
			await enter(['codex', 'opencode'].includes(agent) ? '/new' : '/clear')
			await sleep(0.7)
			await press('Enter')
			await sleep(2)
		},
		leave: () => hello(),
	},
	'the agent is killed': {
		enter: async () => {
			excuse()
			tmux('respawn-pane', '-k', '-t', pane, 'exec bash --norc -i')
			await sleep(1)
		},
		leave: async () => again(life.command),
	},
	'exit, and start again': {
		enter: async () => {
			excuse()
			await enter(settings.leave)
			await sleep(0.7)
			await press('Enter')
			await until(isAtShell, 30, 'it ends')
		},
		leave: async () => again(life.command),
	},
	'the daemon is killed': draft(async () => {
		if (random() < 0.5)
			await enter(line())
		process.kill((await ask('status', {})).pid, 'SIGKILL')
		for (let tries = 0; tries < 5; tries++)
			try {
				return execFileSync(`${dir}/bin/muxbus`, ['-S', `${dir}/tmux`, 'start'], { stdio: 'ignore', timeout: 20000 })
			} catch {} // another one is starting it
	}, async () => {
		if (typed().length > 0)
			await sendOrWipe()
	}),
	'streams, a draft': {
		enter: async () => {
			await give(`STREAM 7. go ${number} on`)
			await enter(line())
		},
		leave: async () => {
			await until(() => !isRunning(), 40, 'the model rests')
			await sendOrWipe()
		},
	},
	'copy mode': draft(async () => {
		if (random() < 0.5)
			await enter(line())
		await press('C-b', '[', 'Up')
	}, async () => {
		if (tmux('display-message', '-p', '-t', pane, '#{pane_in_mode}').trim() === '0')
			throw new Error('the mode has ended')
		await press('q')
		if (typed().length > 0)
			await sendOrWipe()
	}),
	synchronized: {
		enter: async () => {
			if (random() < 0.5)
				await enter(line())
			other = beside.open()
			tmux('set-option', '-w', '-t', pane, 'synchronize-panes', 'on')
			await sleep(1)
		},
		holds: beside.holds,
		leave: async () => {
			tmux('set-option', '-w', '-t', pane, 'synchronize-panes', 'off')
			await beside.close(other)
		},
	},
	'zoomed, it or another': {
		enter: async () => {
			if (random() < 0.5)
				await enter(line())
			other = beside.open()
			tmux('resize-pane', '-Z', '-t', pick([pane, other]))
			await sleep(1)
		},
		holds: beside.holds,
		leave: () => beside.close(other),
	},
	detached: draft(async () => {
		if (random() < 0.5)
			await enter(line())
		standUp()
		await sleep(1)
	}, async () => {
		sitDown()
		await sleep(2)
		if (typed().length > 0)
			await sendOrWipe()
	}),
	'stopped, and continued': draft(async () => {
		if (random() < 0.5)
			await enter(line())
		stopped = group().slice(1).slice(-1) // its shell does not see that a child of the agent is
		for (const pid of stopped)
			process.kill(pid, 'SIGSTOP')
		await sleep(1)
	}, async () => {
		for (const pid of stopped.splice(0))
			process.kill(pid, 'SIGCONT')
		await sleep(1)
		if (typed().length > 0)
			await sendOrWipe()
	}),
	suspended: {
		enter: async () => {
			await press('C-z')
			await sleep(1)
		},
		leave: async () => {
			await enter('fg')
			await press('Enter')
			await sleep(1)
		},
	},
	vi: draft(async () => {
		await enter('/vim')
		await press('Enter')
		await sleep(1)
		await enter(line(3))
		await press('Escape')
	}, async () => {
		await press('i')
		await press('End')
		await sendOrWipe()
		await until(() => !isRunning(), 30, 'the model rests')
		await enter('/vim')
		await press('Enter')
		await sleep(1)
	}),
	transcript: glance([agent === 'claude' ? 'C-o' : 'C-t'], [agent === 'claude' ? 'C-o' : 'q']),
}
for (const one of settings.menus)
	steps[one.command] = menu(one)
for (const [at, one] of settings.dialogs.entries()) {
	steps[`question ${at + 1}, refused`] = dialog(one, false)
	steps[`question ${at + 1}, agreed to`] = dialog(one, true)
}
const only = { vi: ['codex', 'gemini'], transcript: ['claude', 'codex'], suspended: ['claude', 'codex', 'opencode'] }
const usable = Object.keys(steps).filter(name => (only[name] ?? [agent]).includes(agent) &&
	(!process.env.MUXBUS_WALK_STEP || name.match(process.env.MUXBUS_WALK_STEP)))

// A life of the agent, and its rounds.

let life
async function begin() {
	life = { rounds: 0, isAdopted: settings.isBare || random() < 0.5, isLight: random() < 0.25,
		command: `${random() < 0.2 ? 'NO_COLOR=1 ' : ''}${pick(settings.starts)}` }
	tmux('set-option', '-g', 'window-style', life.isLight ? 'bg=#ffffff,fg=#000000' : 'default')
	await open(life.command)
	if (life.isAdopted)
		life.agent = (await ask('ensure_agent', { pane, startup_timeout_sec: 5 })).agent
	await hello()
	await until(() => !isRunning(), 30, 'the model rests')
	await sleep(2)
	console.log(`#   ${life.command.replace(/\/\S*\//g, '')}${life.isLight ? ', light' : ''}${life.isAdopted ? ', adopted' : ''}`)
}

// A notice that stands on the screen was typed, and not sent.
const isOnScreen = id => received(id) === 0 && plain().split('\n').some(row => row.includes(`[muxbus ${id}`) || /^zq\d+t/.test(id) && row.includes(id))

async function round(name) {
	const step = steps[name]
	const moment = pick(['before', 'while', 'after', 'after', 'after'])
	const count = pick([1, 1, 2, 3])
	const ids = []
	const delays = Array.from({ length: count }, () => moment === 'while' ? between(0.2, 4) : 0.1)
	process.stdout.write(`# ${agent} ${number} (${Number(start) + number}): ${name}; ${count} ${moment}`)
	const all = async () => {
		for (const delay of delays)
			ids.push(await post(delay))
	}
	if (moment !== 'after')
		await all()
	await step.enter()
	if (moment === 'after') {
		await sleep(0.8)
		await all()
	}
	await sleep(between(1, 8))
	const early = ids.filter(id => received(id)).length
	const broken = []
	const held = step.holds?.()
	if (held)
		broken.push(held)
	const shown = plain()
	if (ids.some(isOnScreen) && !stopped.length) { // what came just before the stop stands until the agent goes on
		await sleep(10)
		const list = await receipts()
		for (const id of ids.filter(id => isOnScreen(id) && list.get(id)?.state !== 'failed'))
			broken.push(`${id} was typed, and not sent`)
	}
	const leaving = Date.now()
	await step.leave()
	const mine = [...notices].filter(([, one]) => one.number === number).map(([id]) => id)
	// A person who types at the same moment: the receipt says that the line is left to them, and they take it back.
	const isLeft = id => !received(id) && list.get(id)?.state === 'failed' && list.get(id).delivery.result === 'typed' &&
		(moment !== 'after' || Date.parse(list.get(id).delivery.time) >= leaving)
	const left = Date.now()
	let list
	try {
		await until(async () => {
			if (/^\W*\[m\w*$/m.test(plain())) // a part of a line of ours, which they erased while it came
				await wipe(20)
			list = await receipts()
			return mine.every(id => received(id) || isLeft(id) ||
				isExcused(id, list.get(id)) && hasEnded(list.get(id)))
		}, BOUND_SEC, 'all notices have arrived')
	} catch {
		const missing = mine.filter(id => !received(id) && !isLeft(id))
		if (missing.length > 0)
			await give(`go ${number} on`).catch(error => error)
		const rested = agent === 'codex' && interrupted === number
		if (rested)
			await until(() => missing.every(received), 20, 'its queue is read').catch(error => error)
		for (const id of missing.filter(id => !rested || !received(id)))
			broken.push(`${id} has not arrived${received(id) ? ', but by the next prompt' : ''}: ` +
				`${list.get(id)?.state} ${JSON.stringify(list.get(id)?.delivery)}`)
	}
	await until(() => !isRunning(), 40, 'the model rests')
	if (mine.some(id => isLeft(id))) {
		for (const [, one] of typed())
			one.isFused = true
		await wipe(200)
		process.stdout.write('; left to the person')
	}
	await sleep(2)
	for (let tries = 0; tries < 8 && (await faults()).length > 0; tries++)
		await sleep(1)
	broken.push(...await faults())
	console.log(`; ${early} early, ${((Date.now() - left) / 1000).toFixed(0)} s`)
	return { broken, shown }
}

const bad = screen => screen.trimEnd().split('\n').slice(-16).map(row => `#     | ${row}`).join('\n')
let laws = 0, failures = 0
sitDown()
console.log(`# a walk of ${rounds} rounds, seed ${start}`)
for (; number < Number(rounds) && failures < 6; number++) {
	seed(Math.imul(Number(start) + number, 0x9e3779b1))
	const name = pick(usable)
	try {
		if (!life || life.rounds++ >= ROUNDS_OF_LIFE) {
			close()
			await begin()
		}
		seed(~Math.imul(Number(start) + number, 0x9e3779b1)) // the same in an old life and in a new one
		const { broken, shown } = await round(name)
		if (broken.length === 0)
			continue
		laws += broken.length
		for (const one of broken) {
			console.log(`# BROKEN, round ${number}, ${name}: ${one}`)
			told.add(one)
		}
		console.log(`${bad(shown)}\n#     now:\n${bad(plain())}`)
	} catch (error) { // the walk itself lost its way
		console.log(`\n# lost, round ${number}, ${name}: ${error.message}`)
		if (pane)
			console.log(bad(plain()))
		failures++
	}
	// What was broken, or lost, is left behind with the agent.
	if (pane)
		close()
	life = undefined
	stopped = []
	rmSync(ran, { force: true })
	for (const [mark] of typed())
		lines.delete(mark)
	for (const [id, one] of notices)
		if (one.number === number)
			notices.delete(id)
}
standUp()
console.log(`# ${agent}: ${number} rounds, ${notices.size} notices, ${laws} broken laws, ${failures} rounds lost`)
process.exit(laws > 0 || failures * 3 > Number(rounds) ? 1 : 0)
