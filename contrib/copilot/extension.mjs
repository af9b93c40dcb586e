// SPDX-License-Identifier: ISC
// The extension of muxbus for Copilot CLI. It follows the notifications of its pane and sends each
// one to the session as a message, so that nothing is typed. It also reports to muxbusd what the
// session asks and what it said. Copilot CLI loads extensions with its option --experimental. `muxbus setup copilot --write` installs it.
import { spawn } from "node:child_process"
import { joinSession } from "@github/copilot-sdk/extension"

const muxbus = "muxbus"
const RETRY_MS = 5000
const DROP_MS = 1000 // from the end of a turn by Escape to a look at what is left

const session = await joinSession()
const waiting = [] // notifications that the session has not got yet
const handed = [] // messages that it got, and that the model may not have read
let isSending = false
let follower

// Events of the session, and the events of `muxbus hook` with the same state that hand nothing over;
// that of a message has no state, as the hooks of Copilot CLI report begin and end of a turn.
const edges = {
  "permission.requested": "PermissionRequest",
  "permission.completed": "PreToolUse",
  "user_input.requested": "PermissionRequest",
  "user_input.completed": "PreToolUse",
  "elicitation.requested": "PermissionRequest",
  "elicitation.completed": "PreToolUse",
  "assistant.message": "assistantMessage",
  "session.idle": "SessionStart",
}
let reported = Promise.resolve() // one report after the other
let reply // the last message of the turn
let hasAsked = false // in this turn: the end of it may overtake the report of an answer

function onEvent(event) {
  const edge = edges[event.type]
  if (!edge || event.agentId) return // of a subagent
  if (event.type === "session.idle" && !hasAsked) return
  hasAsked = event.type !== "session.idle" && (hasAsked || edge !== "assistantMessage")
  if (event.type === "assistant.message") reply = event.data?.content || reply
  const input = JSON.stringify({ session_id: session.sessionId, last_assistant_message: reply })
  reported = reported.then(() => new Promise((done) => {
    const hook = spawn(muxbus, ["hook", "copilot", edge], { stdio: ["pipe", "ignore", "ignore"] })
    hook.on("error", done) // muxbus is not installed
    hook.on("close", done)
    hook.stdin.on("error", () => {})
    hook.stdin.end(input)
  }))
}

// One message for all of them; during a turn the session keeps it until the turn has ended.
async function handOver() {
  if (isSending || waiting.length === 0) return
  const message = { notes: waiting.splice(0), isRead: false }
  message.prompt = message.notes.map(({ notice }) => notice).join("\n")
  isSending = true
  handed.push(message)
  try {
    message.id = await session.send({ prompt: message.prompt })
    isSending = false
    handOver()
  } catch {
    handed.splice(handed.indexOf(message), 1)
    waiting.unshift(...message.notes)
    setTimeout(() => {
      isSending = false
      handOver()
    }, RETRY_MS)
  }
}

// A message is read when the session has taken it into its conversation, and confirmed when the model
// answers after that: Copilot CLI may quit before, with messages that it has kept.
function confirm({ type, data, agentId }) {
  if (agentId) return // of a subagent
  if (type === "user.message")
    for (const message of handed)
      message.isRead ||= message.prompt === data?.content || (message.id && message.id === data?.messageId)
  if (!/^assistant\.(message|reasoning|tool_call|usage)/.test(type)) return
  for (const message of handed.filter(({ isRead }) => isRead)) {
    handed.splice(handed.indexOf(message), 1)
    follower.stdin.write(message.notes.map(({ seq }) => `${seq}\n`).join(""))
  }
}

// Escape in a turn drops the messages that Copilot CLI keeps until its end: they are sent again.
function recover({ type, agentId }) {
  if (type !== "abort" || agentId) return // of a subagent
  setTimeout(async () => {
    const queue = await session.rpc?.queue?.pendingItems().catch(() => undefined)
    if (!queue) return // an older Copilot CLI
    const kept = [queue.withdrawableTurnMessageId, ...queue.items.map(({ messageId }) => messageId)]
    for (const message of handed.filter(({ id, isRead }) => id && !isRead && !kept.includes(id))) {
      handed.splice(handed.indexOf(message), 1)
      waiting.push(...message.notes)
    }
    handOver()
  }, DROP_MS)
}

// While it runs, muxbusd types nothing. It ends with this program or with its pane.
function follow() {
  let rest = ""
  follower = spawn(muxbus, ["follow", "--json", "--confirm"], { stdio: ["pipe", "pipe", "ignore"] })
  follower.on("error", () => {}) // muxbus is not installed: muxbusd types
  follower.stdin.on("error", () => {})
  follower.stdout.setEncoding("utf8")
  follower.stdout.on("data", (text) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop()
    waiting.push(...parts.map((line) => JSON.parse(line)))
    handOver()
  })
}

if (process.env.TMUX_PANE) {
  session.on(onEvent)
  session.on(confirm)
  session.on(recover)
  follow()
}
