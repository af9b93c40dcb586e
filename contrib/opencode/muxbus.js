// SPDX-License-Identifier: ISC
// The plugin of muxbus for opencode. It follows the notifications of its pane and hands each one to
// the session as a prompt when the session is idle, so that nothing is typed. It also reports to
// muxbusd whether the session is idle, busy or asking. `muxbus setup opencode --write` installs it.
import { spawn } from "node:child_process"

const muxbus = "muxbus"
const RETRY_MS = 5000

// Events of opencode, and the events of `muxbus hook` with the same state that hand nothing over.
const edges = {
  "session.idle": "SessionStart",
  "permission.asked": "PermissionRequest",
  "permission.updated": "PermissionRequest",
  "permission.replied": "PreToolUse",
  "question.asked": "PermissionRequest",
  "question.replied": "PreToolUse",
  "question.rejected": "PreToolUse",
}

function edgeOf(event) {
  const isBusy = event.type === "session.status" && event.properties?.status?.type === "busy"
  return isBusy ? "PreToolUse" : edges[event.type]
}

// One report after the other: that of an end has the last message, which is asked for first.
let reported = Promise.resolve()
let lastReport = ""

function report(edge, session, client) {
  if (edge === "PreToolUse" && lastReport === edge + session) return // busy, as before
  lastReport = edge + session
  reported = reported.then(async () => {
    const isEnd = edge === "SessionStart"
    const last_assistant_message = isEnd ? await readReply(session, client) : undefined
    const input = JSON.stringify({ session_id: session, last_assistant_message })
    await new Promise((done) => {
      const hook = spawn(muxbus, ["hook", "opencode", edge], { stdio: ["pipe", "ignore", "ignore"] })
      hook.on("error", done) // muxbus is not installed
      hook.on("close", done)
      hook.stdin.on("error", () => {})
      hook.stdin.end(input)
    })
  })
}

async function readReply(session, client) {
  try {
    const { data } = await client.session.messages({ path: { id: session } })
    const last = data.filter(({ info }) => info.role === "assistant").pop()
    return last.parts.filter(({ type }) => type === "text").map(({ text }) => text).join("")
  } catch {
    return undefined
  }
}

// The sessions of subagents: they have a parent, and end with the session of the user.
const children = new Set()
// The user's session: its id and client, and the agent and model of its last prompt.
const current = { id: null, client: null, agent: undefined, model: undefined, isIdle: false }
const waiting = [] // notifications that the session has not got yet
// Those that it got, and the ids of its messages: theirs, and the answer to it. They are confirmed
// when the model has begun to answer: opencode may quit before.
const handed = { notes: [], prompt: null, answer: null }
let follower = null

// One prompt for all of them, with the agent and the model that the user has chosen.
async function handOver() {
  if (!current.isIdle || waiting.length === 0) return
  const taken = waiting.splice(0)
  current.isIdle = false
  Object.assign(handed, { notes: [...handed.notes, ...taken], prompt: null, answer: null })
  try {
    const { agent, model } = current
    const body = { parts: [{ type: "text", text: taken.map(({ notice }) => notice).join("\n") }], agent, model }
    const answer = await current.client.session.promptAsync({ path: { id: current.id }, body })
    if (answer?.error) throw answer.error
  } catch {
    handed.notes = handed.notes.filter((note) => !taken.includes(note))
    waiting.unshift(...taken)
    setTimeout(() => {
      current.isIdle = true
      handOver()
    }, RETRY_MS)
  }
}

function confirm({ type, properties }) {
  const { info, part } = properties ?? {}
  if (!handed.prompt) return
  if (type === "message.updated" && info?.role === "assistant") handed.answer = info.id
  if (type !== "message.part.updated" || !part || part.messageID !== handed.answer) return
  follower?.stdin.write(handed.notes.map(({ seq }) => `${seq}\n`).join(""))
  Object.assign(handed, { notes: [], prompt: null, answer: null })
}

// Follows the notifications of this pane: while it runs, muxbusd types nothing.
function follow() {
  if (follower) return
  let rest = ""
  follower = spawn(muxbus, ["follow", "--json", "--confirm"], { stdio: ["pipe", "pipe", "ignore"] })
  follower.on("error", () => {})
  follower.stdin.on("error", () => {})
  follower.on("close", () => (follower = null))
  follower.stdout.setEncoding("utf8")
  follower.stdout.on("data", (text) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop()
    waiting.push(...parts.map((line) => JSON.parse(line)))
    handOver()
  })
}

function onEvent(event, client) {
  const info = event.properties?.info
  const session = event.properties?.sessionID
  if (/^session\.(created|updated)$/.test(event.type) && info?.parentID) children.add(info.id)
  if (event.type === "session.deleted") children.delete(info?.id)
  const edge = edgeOf(event)
  if (!children.has(session ?? info?.sessionID ?? event.properties?.part?.sessionID)) confirm(event)
  if (!edge || !session || children.has(session)) return
  report(edge, session, client)
  if (current.id !== session) Object.assign(current, { id: session, agent: undefined, model: undefined })
  current.client = client
  current.isIdle = event.type === "session.idle"
  follow()
  handOver()
}

export const Muxbus = async ({ client }) => {
  globalThis.muxbusPlugin ??= import.meta.url // a project may have another copy of this file
  if (!process.env.TMUX_PANE || globalThis.muxbusPlugin !== import.meta.url) return {}
  return {
    event: async ({ event }) => onEvent(event, client),
    "chat.message": async (input, { message }) => {
      if (children.has(input.sessionID)) return
      if (handed.notes.length > 0) handed.prompt ??= message.id
      Object.assign(current, { id: input.sessionID, client, isIdle: false })
      Object.assign(current, { agent: message.agent, model: message.model })
    },
  }
}
