// SPDX-License-Identifier: ISC
// The extension of muxbus for Copilot CLI. It follows the notifications of its pane and sends each
// one to the session as a message, so that nothing is typed. Copilot CLI loads extensions with its
// option --experimental. `muxbus setup copilot --write` installs it.
import { spawn } from "node:child_process"
import { joinSession } from "@github/copilot-sdk/extension"

const muxbus = "muxbus"
const RETRY_MS = 5000

const session = await joinSession()
const lines = [] // of notifications that the session has not got yet
let isSending = false

// One message for all lines; during a turn the session keeps it until the turn has ended.
async function handOver() {
  if (isSending || lines.length === 0) return
  const taken = lines.splice(0)
  isSending = true
  try {
    await session.send({ prompt: taken.join("\n") })
    isSending = false
    handOver()
  } catch {
    lines.unshift(...taken)
    setTimeout(() => {
      isSending = false
      handOver()
    }, RETRY_MS)
  }
}

// While it runs, muxbusd types nothing. It ends with this program or with its pane.
function follow() {
  let rest = ""
  const follower = spawn(muxbus, ["follow"], { stdio: ["ignore", "pipe", "ignore"] })
  follower.on("error", () => {}) // muxbus is not installed: muxbusd types
  follower.stdout.setEncoding("utf8")
  follower.stdout.on("data", (text) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop()
    lines.push(...parts)
    handOver()
  })
}

if (process.env.TMUX_PANE) follow()
