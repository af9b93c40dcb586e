// SPDX-License-Identifier: ISC
// A plugin for opencode: reports to muxbusd whether a session is idle, busy or asking, so that it
// knows when to type a notification. Copy it into ~/.config/opencode/plugin.
import { spawn } from "node:child_process"

// Events of opencode, and the events of `muxbus hook` with the same state that hand nothing over.
const edges = {
  "session.idle": "SessionStart",
  "permission.asked": "PermissionRequest",
  "permission.updated": "PermissionRequest",
  "permission.replied": "PreToolUse",
}

function edgeOf(event) {
  const isBusy = event.type === "session.status" && event.properties?.status?.type === "busy"
  return isBusy ? "PreToolUse" : edges[event.type]
}

export const Muxbus = async () => ({
  event: async ({ event }) => {
    const edge = edgeOf(event)
    if (!edge || !process.env.TMUX_PANE) return
    const session = event.properties?.sessionID
    const hook = spawn("muxbus", ["hook", "opencode", edge], { stdio: ["pipe", "ignore", "ignore"] })
    hook.on("error", () => {}) // muxbus is not installed
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ session_id: session }))
  },
})
