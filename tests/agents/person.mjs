// SPDX-License-Identifier: ISC
// A person at one real agent (imported by record.mjs and walk.mjs): chance by a seed, the keys, the daemon,
// and what the scripted model has logged. The first argument of the program is the file of settings that
// states.sh writes.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'

export const settings = JSON.parse(readFileSync(process.argv[2], 'utf8'))
export const { dir, log } = settings
mkdirSync(`${log}.say`, { recursive: true })

// Chance.

let state = 0
export const seed = number => { state = Number(number) }
export function random() { // mulberry32
	state = (state + 0x6d2b79f5) | 0
	let bits = Math.imul(state ^ (state >>> 15), 1 | state)
	bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
	return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
}
export const between = (low, high) => low + random() * (high - low)
export const pick = list => list[Math.floor(random() * list.length)]

const words = `the parser reads a line and then waits for more input why does this test fail on older
	releases please look at src/main.c around 120 and say which branch leaks it was 3 of 14 yes no
	1. 2) > $ # % maybe ask whether to proceed? écrire größe 日本語 ok {"a": 1} --force`.split(/\s+/)
export const sentence = length => Array.from({ length }, () => pick(words)).join(' ')

// tmux, the daemon, the model.

export const sleep = seconds => new Promise(done => setTimeout(done, seconds * 1000))
const ofTmux = (server, ...words) =>
	execFileSync('tmux', ['-S', `${dir}/${server}`, '-f', '/dev/null', ...words], { encoding: 'utf8' })
export const tmux = (...words) => ofTmux('tmux', ...words)
export let pane = ''
let seat = () => ['tmux', pane]
const at = (command, ...words) => ofTmux(seat()[0], command, '-t', seat()[1], ...words)
export const keys = (...names) => at('send-keys', ...names)
export const send = text => at('send-keys', '-l', '--', text)
export function paste(text) {
	ofTmux(seat()[0], 'set-buffer', '-b', 'person', '--', text)
	at('paste-buffer', '-p', '-d', '-b', 'person')
}
// From now on keys come from a client, as those of a person do: the pane of another tmux has it.
export function sitDown() {
	ofTmux('tmux', 'set-option', '-s', 'escape-time', '20')
	ofTmux('seat', 'new-session', '-d', '-s', 'seat', '-x', '220', '-y', '60',
		`env -u TMUX tmux -S '${dir}/tmux' attach-session -t main`)
	ofTmux('seat', 'set-option', '-s', 'escape-time', '20')
	seat = () => ['seat', 'seat:']
}
export const standUp = () => ofTmux('seat', 'kill-server')
// As a person types, or agents take it for a paste, or lose some of it.
export async function type(text) {
	for (const part of text.match(/.{1,30}/gu)) {
		send(part)
		await sleep(0.12)
	}
}
export const plain = () => tmux('capture-pane', '-p', '-t', pane)

export function ask(method, params) {
	return new Promise(done => {
		const peer = connect(settings.socket)
		let text = ''
		peer.setEncoding('utf8').on('error', () => done({})).on('close', () => done({}))
		peer.on('data', piece => {
			text += piece
			if (!text.includes('\n'))
				return
			peer.destroy()
			const answer = JSON.parse(text.slice(0, text.indexOf('\n')))
			done(answer.result ?? { error: answer.error })
		})
		peer.write(JSON.stringify({ method, params, id: 1 }) + '\n')
	})
}

// The responses of the model, as it has logged them.
export function model() {
	const path = `${log}.states`
	return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : []
}
export async function until(test, seconds, what) {
	for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(0.1)) {
		const value = await test()
		if (value)
			return value
	}
	throw new Error(`not within ${seconds} s: ${what}`)
}

export const isRunning = () => model().filter(row => row.what === 'begin').length !==
	model().filter(row => row.what === 'end').length

// The question of a first start that is shown, and the key for it.
export const firstRule = text => settings.first.find(([shown]) => text.includes(shown))

let isAsked = settings.first.length === 0 // the questions of the first start are answered

// Starts the agent in the shell of its pane, and waits until it is ready.
export async function launch(command) {
	send(`. '${dir}/env'; clear; ${command}`)
	keys('Enter')
	let looks = 0 // Codex asks its question a while after its prompt is there
	await until(async () => {
		const rule = firstRule(plain())
		if (rule)
			keys(rule[1])
		isAsked ||= rule === settings.first[0]
		looks = !rule && isAsked && new RegExp(settings.ready, 'm').test(plain()) ? looks + 1 : 0
		await sleep(0.9)
		return looks === 6
	}, 240, 'the agent is ready')
}

// open COMMAND COLUMNS ROWS: starts the agent in a window of its own.
export async function open(command = settings.start, columns = 120, rows = 40) {
	pane = tmux('new-window', '-P', '-F', '#{pane_id}', '-t', 'main:', '-c', settings.project,
		'exec bash --norc -i').trim()
	tmux('resize-window', '-t', pane, '-x', String(columns), '-y', String(rows))
	await sleep(0.5)
	await launch(command)
	if (settings.adopts)
		await ask('ensure_agent', { pane, startup_timeout_sec: 5 })
}

// Gives a prompt; returns the number of the row of the model that begins its turn.
export async function give(text) {
	await until(() => !isRunning(), 30, 'the model rests')
	const before = model().length
	const end = text.slice(-12)
	await type(text)
	await until(() => plain().includes(text.slice(-4)), 20, 'the prompt is shown')
	await sleep(0.8)
	for (let tries = 0; tries < 4; tries++) {
		keys('Enter')
		try {
			return await until(() => model().findIndex((row, at) => at >= before && row.prompt?.includes(end)) + 1,
				8, 'the model is asked') - 1
		} catch {}
	}
	throw new Error('the model is not asked')
}

// Closes the window of the agent.
export function close() {
	if (pane)
		tmux('kill-window', '-t', pane)
	pane = ''
}
