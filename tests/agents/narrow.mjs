// SPDX-License-Identifier: ISC
// Notices for one real agent whose pane is narrow and low, so that what is typed wraps over many rows, or over
// more than there are. What the scripted model has received decides: each text reaches it once, and no draft does.
//
//   node narrow.mjs SETTINGS.json 'COLUMNSxROWS ...'
import { readFileSync } from 'node:fs'
import { ask, give, keys, log, open, pane, plain, settings, sitDown, sleep, standUp, tmux, type, until } from './person.mjs'

const sizes = process.argv[3].split(' ')
const only = process.env.MUXBUS_WALK_STEP ?? ''
const turns = () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
const times = mark => Math.max(0, ...turns().map(turn => [...turn.heard ?? [], ...turn.typed ?? []].filter(line =>
	new RegExp(`\\b${mark}\\b`).test(line)).length))
const filler = length => 'some words of a text that wraps over many rows of a pane '.repeat(9).slice(0, length - 8)
const shown = () => plain().trimEnd().split('\n').map(row => `#     | ${row}`).join('\n')
const resize = size => tmux('resize-window', '-t', pane, '-x', size.split('x')[0], '-y', size.split('x')[1])
let number = 0
let cases = 0
const counts = [] // [mark, how often it must come, what it is]
let broken = 0
let agent
const say = text => console.log(`# ${new Date().toISOString().slice(11, 19)} ${text}`)

// Each posts one text, or several that come in one line, and returns what tells it apart.
const posts = {
	async notice() {
		const { id } = await ask('post_notification', { pane, text: 'reminder' })
		return [[id, id]]
	},
	async 'long notice'() {
		const { id } = await ask('post_notification', { pane, text: filler(150) })
		return [[id, id]]
	},
	async 'six notices'() {
		const ids = []
		for (let at = 0; at < 6; at++)
			ids.push((await ask('post_notification', { pane, text: filler(60) })).id)
		return ids.map(id => [id, id])
	},
	async task() {
		const mark = `zq9t${number++}`
		const { task } = await ask('send_task', { agent, text: `${mark} ${filler(100)}`, wait: false })
		return [[mark, task]]
	},
	async 'long task'() {
		const mark = `zq9t${number++}`
		const { task } = await ask('send_task', { agent, text: `${mark} ${filler(400)}`, wait: false })
		return [[mark, task]]
	},
}

async function one(size, name, hasDraft) {
	const mark = `zq8d${number++}`
	cases += hasDraft
	const draft = `${mark} ${filler(cases % 2 ? 140 : 11)}`.trim() // of a row, and of many
	const isSent = cases % 4 < 2
	const what = `${settings.agent} ${size}, ${name}${hasDraft ? `, a draft of ${draft.length} ${isSent ? 'sent' : 'wiped'}` : ''}`
	const began = Date.now()
	const fault = text => {
		broken++
		console.log(`# BROKEN: ${what}: ${text}\n${shown()}`)
	}
	resize(size)
	await sleep(1.5)
	if (hasDraft) {
		await type(draft)
		await sleep(1)
	}
	const marks = await posts[name]()
	const isThere = () => marks.every(([one]) => times(one) > 0)
	if (hasDraft) {
		await sleep(8)
		if (times(mark) > 0)
			fault(`the draft was sent: ${draft}`)
		if (isSent) {
			for (let tries = 0; tries < 4 && times(mark) === 0; tries++) {
				keys('Enter')
				await until(() => times(mark), 6, '').catch(() => 0)
			}
			if (times(mark) !== 1)
				fault(`the draft came ${times(mark)} times`)
		} else {
			keys('End')
			keys('-N', String(draft.length + 10), 'BSpace')
			if (settings.agent === 'opencode')
				keys('-N', String(draft.length + 10), 'DC')
		}
	}
	let late = ''
	await until(isThere, Number(process.env.MUXBUS_AGENT_PATIENCE ?? 90), '').catch(async () => {
		const { notifications = [] } = await ask('list_notifications', { limit: 256 })
		say(`not there: ${what}: ${marks.map(([one, id]) => `${times(one)} ${JSON.stringify(notifications.find(note => note.id === id)?.delivery)}`)}\n${shown()}`)
		late = ', not before the pane was wide'
	})
	if (late) {
		resize('100x30')
		await until(isThere, 60, '').catch(() => fault('it has not come'))
		resize(size)
	}
	for (const [one] of marks)
		counts.push([one, 1, what])
	if (hasDraft)
		counts.push([mark, Number(isSent), what])
	await sleep(2)
	const { notifications = [] } = await ask('list_notifications', { limit: 256 })
	const ways = marks.map(([, id]) => notifications.find(note => note.id === id)).map(note => `${note?.state} ${note?.delivery?.result ?? ''} ${note?.delivery?.enters ?? ''}`)
	say(`${what}: ${((Date.now() - began) / 1000).toFixed(0)} s, ${marks.map(([one]) => times(one))}${late}; ${[...new Set(ways)]}`)
	// What is left behind is the next one's draft.
	if (late || broken) {
		keys('End')
		keys('-N', '500', 'BSpace')
		await sleep(1)
	}
}

sitDown()
process.on('exit', standUp)
await open(settings.start, 100, 30)
agent = (await ask('ensure_agent', { pane, startup_timeout_sec: 5 })).agent
await give('I am life1. Hello.')
for (const size of sizes)
	for (const name of Object.keys(posts))
		for (const hasDraft of [false, true])
			if (`${name}${hasDraft ? ', a draft' : ''}`.match(only))
				await one(size, name, hasDraft)
await sleep(20) // a line that is taken for not taken is typed again by then
for (const [mark, count, what] of counts)
	if (times(mark) !== count) {
		broken++
		console.log(`# BROKEN: ${what}: ${mark} has come ${times(mark)} times`)
	}
say(`${broken} broken laws`)
process.exit(broken > 0 ? 1 : 0)
