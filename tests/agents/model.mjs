// SPDX-License-Identifier: ISC
// Stands in for the models' APIs on loopback, so that real agents can be driven without a network.
//
// The last prompt scripts the "model": each `DO tool {arguments} DONE` is one tool call, in that
// order; when all have their results the model ends its turn with `FINISHED`. A prompt without a
// call is answered with `HEARD` and the prompt's end. A model that was told `It reads the details.`
// also makes the calls of next_notification that a notice names. The model has no memory: it reads
// the conversation that comes with each request.
//
// `SAY name.` in the prompt makes the text of the file LOG-FILE.say/name the reply, `CALL name.` calls the
// tool with the args of that file, {"tool", "args"}, `WAIT 3.` makes the model think for three seconds first, and `STREAM 3.` makes the reply take three seconds.
//
//   node model.mjs PORT-FILE LOG-FILE
//
// writes the port it listens at, and one line of JSON for each request of a turn. LOG-FILE.states has
// a line for the begin and the end of each response.
import { createServer } from 'node:http'
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const [portFile, logFile] = process.argv.slice(2)

// One conversation, from any API.

// A step of a conversation is { prompt }, { result } or { context }, oldest first.
function next(steps, tools) {
	const last = steps.findLastIndex(step => step.prompt !== undefined)
	const prompt = last < 0 ? '' : steps[last].prompt
	const results = steps.slice(last + 1).filter(step => step.result !== undefined)
	const told = steps.map(step => step.prompt ?? step.context ?? '').join('\n')
	const wanted = [...prompt.matchAll(/\bDO (\w+) (\{.*?\}) DONE/g)].map(match => match.slice(1))
	const call = prompt.match(/\bCALL (\w+)\./)?.[1]
	if (call) {
		const { tool, args } = JSON.parse(readFileSync(`${logFile}.say/${call}`, 'utf8'))
		wanted.push([tool, JSON.stringify(args)])
	}
	if (told.includes('It reads the details.'))
		wanted.push(...details(prompt))
	const turn = { prompt, results: results.map(step => step.result), tools }
	// Notices of the whole conversation, wherever the agent puts them, and the name of the agent.
	// Claude Code quotes the text of its Stop hook a second time, as an error of the hook: that is no second notice.
	const quote = /^Stop hook blocking error from command: "[^"]*": /
	const lines = told.split('\n')
	turn.heard = lines.filter(line => line.includes('[muxbus ') &&
		!(quote.test(line) && lines.includes(line.replace(quote, ''))))
	turn.name = told.match(/\bI am (\w+)\./)?.[1]
	// The lines of the whole conversation that a person has typed in a walk, each with a mark of its own.
	turn.typed = told.split('\n').filter(line => /\bzq\d/.test(line))
	// Ids of requests, wherever the model reads them.
	const read = told + steps.map(step => step.result ?? '').join('\n')
	turn.ids = [...new Set(read.match(/\b[A-Z][A-Z0-9]{3}\b/g))]
	if (results.length < wanted.length) {
		const [name, args] = wanted[results.length]
		turn.call = { name: fullName(name, tools), args: JSON.parse(args) }
	} else {
		turn.text = wanted.length > 0 ? `FINISHED ${wanted.length} calls` :
			`HEARD ${prompt.slice(-300).replace(/\s+/g, ' ')}`
		const said = prompt.match(/\bSAY (\w+)\./)?.[1]
		if (said)
			turn.text = readFileSync(`${logFile}.say/${said}`, 'utf8')
		turn.stream = Number(prompt.match(/\bSTREAM ([\d.]*\d)\./)?.[1] ?? 0)
	}
	if (results.length === 0)
		turn.wait = Number(prompt.match(/\bWAIT ([\d.]*\d)\./)?.[1] ?? 0)
	return turn
}

// The text of a turn in the pieces that it is streamed in.
function pieces(turn) {
	const size = turn.stream ? Math.ceil(turn.text.length / 20) : turn.text.length
	return turn.text.match(new RegExp(`[^]{1,${Math.max(size, 1)}}`, 'gu')) ?? ['']
}

// The calls that the notices of a prompt name.
function details(prompt) {
	const calls = []
	for (const [, after, id] of prompt.matchAll(/\bnext_notification (?:after=(\d+)|([A-Z][A-Z0-9]{3})\b)/g))
		calls.push(['next_notification', JSON.stringify(after ?
			{ after: Number(after), timeout_sec: 0 } : { id, timeout_sec: 0 })])
	return calls
}

// Each agent decorates the names of tools in its own way, and some agents show only some tools.
function fullName(name, tools) {
	const shown = tools.find(tool => tool === name) ??
		tools.find(tool => tool.includes('muxbus') && tool.endsWith(name))
	const prefix = tools.find(tool => tool.includes('muxbus'))?.match(/^.*muxbus(__|_|-)/)?.[0]
	return shown ?? (prefix ?? '') + name
}

function log(api, turn) {
	appendFileSync(logFile, JSON.stringify({ at: new Date().toISOString(), api, ...turn }) + '\n')
}

const id = () => Math.random().toString(36).slice(2, 12)
const asText = value => typeof value === 'string' ? value : JSON.stringify(value)

// Anthropic: /v1/messages.

function readAnthropic(body) {
	const steps = []
	for (const message of body.messages) {
		const blocks = typeof message.content === 'string' ?
			[{ type: 'text', text: message.content }] : message.content
		const results = blocks.filter(block => block.type === 'tool_result')
		const texts = blocks.filter(block => block.type === 'text').map(block => block.text)
		if (message.role === 'system') // a newer agent puts events into the middle
			steps.push({ context: texts.join('\n') })
		if (message.role !== 'user')
			continue
		for (const block of results)
			steps.push({ result: asText(block.content) })
		// Behind a refused call the person's next prompt comes with its result.
		if (results.length === 0 || texts.some(text => /\b(SAY|CALL) \w+\./.test(text)))
			steps.push({ prompt: texts.join('\n') })
		else
			steps.push({ context: texts.join('\n') })
	}
	return steps
}

function anthropic(body, response) {
	const tools = (body.tools ?? []).map(tool => tool.name)
	const turn = tools.length > 0 ? next(readAnthropic(body), tools) : { text: 'ok' }
	if (tools.length > 0)
		log('anthropic', turn)
	const block = turn.call ?
		{ type: 'tool_use', id: `toolu_${id()}`, name: turn.call.name, input: turn.call.args } :
		{ type: 'text', text: turn.text }
	const stop = turn.call ? 'tool_use' : 'end_turn'
	const message = {
		id: `msg_${id()}`, type: 'message', role: 'assistant', model: body.model, content: [],
		stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 },
	}
	if (!body.stream)
		return json(response, { ...message, content: [block], stop_reason: stop })
	const deltas = turn.call ?
		[{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }] :
		pieces(turn).map(text => ({ type: 'text_delta', text }))
	const begin = turn.call ? { ...block, input: {} } : { ...block, text: '' }
	stream(response, [
		{ type: 'message_start', message },
		{ type: 'content_block_start', index: 0, content_block: begin },
		...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
		{ type: 'content_block_stop', index: 0 },
		{ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null },
			usage: { output_tokens: 5 } },
		{ type: 'message_stop' },
	], turn)
}

// Gemini: :streamGenerateContent and :generateContent.

function readGemini(body) {
	const steps = []
	for (const content of body.contents ?? []) {
		if (content.role !== 'user')
			continue
		const parts = content.parts ?? []
		for (const part of parts.filter(part => part.functionResponse))
			steps.push({ result: asText(part.functionResponse.response) })
		const texts = parts.filter(part => part.text !== undefined).map(part => part.text)
		if (texts.length > 0)
			steps.push({ prompt: texts.join('\n') })
	}
	return steps
}

function gemini(body, response, isStream) {
	const tools = (body.tools ?? []).flatMap(tool => tool.functionDeclarations ?? [])
		.map(tool => tool.name)
	const turn = tools.length > 0 ? next(readGemini(body), tools) : { text: plainGemini(body) }
	if (tools.length > 0)
		log('gemini', turn)
	const parts = turn.call ? [{ functionCall: { name: turn.call.name, args: turn.call.args } }] :
		pieces(turn).map(text => ({ text }))
	const answer = (part, finishReason) => ({
		candidates: [{ content: { role: 'model', parts: [part] }, finishReason, index: 0 }],
		usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 },
	})
	const last = parts.length - 1
	if (isStream)
		stream(response, parts.map((part, at) => answer(part, at === last ? 'STOP' : undefined)), turn)
	else
		json(response, answer(turn.call ? parts[0] : { text: turn.text }, 'STOP'))
}

// Beside the conversation the agent asks for the model to use, and for the next speaker.
function plainGemini(body) {
	if (/next_speaker/.test(JSON.stringify(body.generationConfig ?? {})))
		return '{"reasoning":"done","next_speaker":"user"}'
	return '{"reasoning":"simple","model_choice":"flash","complexity_score":1}'
}

// OpenAI: /v1/responses and /v1/chat/completions.

function readResponses(body) {
	const steps = []
	for (const item of body.input ?? []) {
		if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
			steps.push({ result: asText(item.output) })
		else if (item.role === 'user' || item.role === 'developer')
			steps.push({ [item.role === 'user' ? 'prompt' : 'context']:
				(item.content ?? []).map(part => part.text ?? '').join('\n') })
	}
	return steps
}

// Tools may be in namespaces; a call then names both.
function responsesTools(body) {
	return (body.tools ?? []).flatMap(tool => tool.type === 'namespace' ?
		tool.tools.map(inner => ({ name: inner.name, namespace: tool.name })) : [{ name: tool.name }])
}

function responses(body, response) {
	const tools = responsesTools(body)
	const names = tools.map(tool => tool.name ?? '')
	const turn = tools.length > 0 ? next(readResponses(body), names) : { text: 'ok' }
	if (tools.length > 0)
		log('responses', turn)
	const namespace = tools.find(tool => tool.name === turn.call?.name)?.namespace
	const item = turn.call ? {
		type: 'function_call', id: `fc_${id()}`, call_id: `call_${id()}`, name: turn.call.name,
		arguments: JSON.stringify(turn.call.args), status: 'completed', ...(namespace && { namespace }),
	} : {
		type: 'message', id: `msg_${id()}`, role: 'assistant', status: 'completed',
		content: [{ type: 'output_text', text: turn.text, annotations: [] }],
	}
	const whole = {
		id: `resp_${id()}`, object: 'response', status: 'completed', model: body.model, output: [item],
		usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1,
			output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 11 },
	}
	const deltas = turn.stream ? pieces(turn).map(delta => ({ type: 'response.output_text.delta',
		item_id: item.id, output_index: 0, content_index: 0, delta })) : []
	stream(response, [
		{ type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
		{ type: 'response.output_item.added', output_index: 0,
			item: turn.stream ? { ...item, content: [] } : item },
		...deltas,
		{ type: 'response.output_item.done', output_index: 0, item },
		{ type: 'response.completed', response: whole },
	], turn)
}

function readChat(body) {
	const steps = []
	for (const message of body.messages ?? []) {
		const text = typeof message.content === 'string' ? message.content :
			(message.content ?? []).map(part => part.text ?? '').join('\n')
		if (message.role === 'tool')
			steps.push({ result: text })
		else if (message.role === 'user')
			steps.push({ prompt: text })
	}
	return steps
}

function chat(body, response) {
	const tools = (body.tools ?? []).map(tool => tool.function?.name ?? '')
	const turn = tools.length > 0 ? next(readChat(body), tools) : { text: 'ok' }
	if (tools.length > 0)
		log('chat', turn)
	const message = turn.call ? {
		role: 'assistant', content: null, tool_calls: [{ index: 0, id: `call_${id()}`, type: 'function',
			function: { name: turn.call.name, arguments: JSON.stringify(turn.call.args) } }],
	} : { role: 'assistant', content: turn.text }
	const deltas = turn.call || !turn.stream ? [message] :
		pieces(turn).map(content => ({ role: 'assistant', content }))
	const head = { id: `chatcmpl-${id()}`, created: 1, model: body.model }
	const finish_reason = turn.call ? 'tool_calls' : 'stop'
	const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
	if (!body.stream)
		return json(response, { ...head, object: 'chat.completion', usage,
			choices: [{ index: 0, message, finish_reason }] })
	const chunk = { ...head, object: 'chat.completion.chunk' }
	stream(response, [
		...deltas.map(delta => ({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })),
		{ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
	], turn, true)
}

// HTTP.

function json(response, value, status = 200) {
	response.writeHead(status, { 'content-type': 'application/json' })
	response.end(JSON.stringify(value))
}

const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000))

// Sends events; those of a turn at the pace of the turn, with its begin and end in the log of states.
async function stream(response, events, turn = {}, hasDone = false) {
	const note = what => turn.tools && appendFileSync(`${logFile}.states`, JSON.stringify({ at: Date.now(),
		what, name: turn.name, call: turn.call?.name,
		prompt: what === 'begin' && turn.results.length === 0 ? turn.prompt.slice(-4000) : undefined }) + '\n')
	note('begin')
	if (turn.wait)
		await pause(turn.wait)
	if (!response.headersSent)
		response.writeHead(200, { 'content-type': 'text/event-stream' })
	for (const event of events) {
		response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
		if (turn.stream)
			await pause(turn.stream / events.length)
	}
	response.end(hasDone ? 'data: [DONE]\n\n' : '')
	note('end')
}

function answer(path, body, response) {
	if (/\/messages\/count_tokens$/.test(path))
		json(response, { input_tokens: 10 })
	else if (/\/messages$/.test(path))
		anthropic(body, response)
	else if (/:streamGenerateContent$/.test(path))
		gemini(body, response, true)
	else if (/:generateContent$/.test(path))
		gemini(body, response, false)
	else if (/:countTokens$/.test(path))
		json(response, { totalTokens: 10 })
	else if (/\/chat\/completions$/.test(path))
		chat(body, response)
	else if (/\/responses$/.test(path))
		responses(body, response)
	else if (/\/models$/.test(path))
		json(response, { object: 'list', data: [{ id: 'stand-in', object: 'model' }], models: [] })
	else
		json(response, { error: { message: `there is no ${path} here` } }, 404)
}

const server = createServer((request, response) => {
	const chunks = []
	request.on('data', chunk => chunks.push(chunk))
	request.on('end', () => {
		const path = new URL(request.url, 'http://localhost').pathname
		const text = Buffer.concat(chunks).toString()
		try {
			answer(path, text ? JSON.parse(text) : {}, response)
		} catch (error) {
			log('broken', { path, error: String(error.stack) })
			if (!response.headersSent)
				json(response, { error: { message: String(error) } }, 500)
		}
	})
})

server.listen(0, '127.0.0.1', () => {
	writeFileSync(`${portFile}.new`, `${server.address().port}\n`)
	renameSync(`${portFile}.new`, portFile)
})
