// SPDX-License-Identifier: ISC
// Tasks with marks that are shortcuts at an empty prompt of some agent: each must reach the model once, as it was sent.
//
//   node marks.mjs SETTINGS.json
import { ask, model, open, pane, plain, settings, sleep, until } from './person.mjs'

const marks = process.env.MUXBUS_AGENT_MARKS
const texts = marks.includes('|') ? marks.split('|') : ['? what is this', 'is it ok? yes', 'is it ok to go on?', 'Stop! touch MARK', 'it is done!', 'why?! say it']

await open(`exec ${settings.start}`)
const { agent, error } = await ask('ensure_agent', { pane, startup_timeout_sec: 60 })
if (!agent)
	throw new Error(JSON.stringify(error))
let wrong = 0
for (const text of texts) {
	const before = model().length
	const answer = await ask('send_task', { agent, text, progress: false, timeout_sec: 60 })
	const asked = () => model().slice(before).filter(row => row.what === 'begin' && row.prompt !== undefined)
	await until(() => asked().length > 0, 10, 'the model is asked').catch(() => {})
	await sleep(1.5) // a second time would come soon
	const got = asked().map(row => row.prompt.trimEnd().split('\n').at(-1)).filter(row => row.endsWith(text.slice(-4)))
	const isRight = answer.outcome === 'ready' && got.length === 1 && got[0] === text
	wrong += !isRight
	console.log(`# ${settings.agent}, ${JSON.stringify(text)}: ${answer.outcome ?? JSON.stringify(answer.error)}, ${JSON.stringify(asked().map(row => row.prompt.slice(-80)))}`)
	if (!isRight)
		console.log(plain().trimEnd().split('\n').slice(-16).map(row => `#     | ${row}`).join('\n'))
	if (answer.outcome !== 'ready')
		break
}
process.exit(wrong > 0 ? 1 : 0)
