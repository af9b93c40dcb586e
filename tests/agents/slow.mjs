// SPDX-License-Identifier: ISC
// Tasks for one real agent that reports nothing, at full speed and on a machine that is FACTOR times slower.
//
// All processes of its pane are stopped by SIGSTOP for most of the time. Only the model's log decides: a
// task must not end before the model has answered. A text without the model's reply, and other outcomes,
// are counted too.
//
//   node slow.mjs SETTINGS.json COUNT FACTOR
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { ask, dir, log, model, open, pane, settings, sleep, tmux, until } from './person.mjs'

const [, count, factor] = process.argv.slice(2)
const RUN_SEC = 0.1 // between two stops

const textOf = path => {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}
// Those below the pane's, and those that have gone elsewhere with its environment.
function processes() {
	const found = new Set([Number(tmux('display-message', '-p', '-t', pane, '#{pane_pid}'))])
	for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
		const environment = textOf(`/proc/${pid}/environ`)
		if (environment.includes(`TMUX_PANE=${pane}\0`) && environment.includes(`${dir}/`))
			found.add(Number(pid))
	}
	for (const pid of found)
		for (const child of textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean))
			found.add(Number(child))
	return [...found].filter(pid => !textOf(`/proc/${pid}/comm`).startsWith('muxbus'))
}

let isSlow = false
let found = []
function signal(name) {
	for (const pid of found)
		try {
			process.kill(pid, name)
		} catch {} // it has ended
}
process.on('exit', () => signal('SIGCONT'))
async function slow() {
	for (let rounds = 0; isSlow; rounds++) {
		if (rounds % 10 === 0)
			found = processes()
		signal('SIGSTOP')
		await sleep(RUN_SEC * (factor - 1))
		signal('SIGCONT')
		await sleep(RUN_SEC)
	}
}

const median = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]
let early = 0
async function give(agent, title) {
	const late = [], whole = [], counts = { early: 0, wrong: 0, other: 0 }
	for (let at = 0; at < Number(count); at++) {
		const name = `${title}${at}`, reply = `The reply to ${name} is ${Math.random().toString(36).slice(2, 8)}.`
		writeFileSync(`${log}.say/${name}`, reply)
		const began = Date.now()
		const answer = await ask('send_task', { agent, text: `Please SAY ${name}. number ${at}`, progress: false, timeout_sec: 180 })
		const now = Date.now()
		const isAsked = row => row.what === 'begin' && row.prompt?.includes(`SAY ${name}.`)
		const rows = model()
		const first = rows.findIndex(isAsked)
		const end = first < 0 ? undefined : rows.slice(first).find(row => row.what === 'end')
		const kind = answer.outcome !== 'ready' ? 'other' : !end ? 'early' :
			`${answer.text} ${answer.screen}`.includes(reply) ? 'right' : 'wrong'
		counts[kind]++
		if (end)
			late.push(now - end.at)
		whole.push(now - began)
		if (kind !== 'right')
			console.log(`# ${name}, ${kind}, ${end ? now - end.at : '-'} ms behind the model: ${JSON.stringify({ ...answer, text: '', screen: '' })}\n` +
				`${answer.screen ?? answer.text}`.trimEnd().split('\n').slice(-24).map(row => `#     | ${row}`).join('\n'))
		await until(() => model().some(isAsked), 60, 'the model is asked').catch(error => console.log(`# ${name}: ${error.message}`))
		await sleep(isSlow ? 6 : 1)
	}
	early += counts.early
	console.log(`# ${settings.agent}, ${title}: of ${count} tasks ${counts.early} early, ${counts.wrong} without the reply, ` +
		`${counts.other} not ready; ${median(late)} ms behind the model (at most ${Math.max(...late)}), ${median(whole)} ms in all`)
}

await open(`exec ${settings.start}`) // without a shell, which would see it stopped
const { agent, error } = await ask('ensure_agent', { pane, startup_timeout_sec: 60 })
if (!agent)
	throw new Error(JSON.stringify(error))
await give(agent, 'fast')
isSlow = true
slow()
await give(agent, 'slow')
isSlow = false
process.exit(early > 0 ? 1 : 0)
