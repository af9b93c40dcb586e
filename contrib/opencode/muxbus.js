// SPDX-License-Identifier: ISC
// A plugin of opencode that tells muxbusd when a session is idle, busy or asking: only then is it
// known when a notification may be typed. To be put into ~/.config/opencode/plugin.
import { spawn } from "node:child_process"

// What opencode calls it, and the event of `muxbus hook` that means the same and hands nothing over.
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
    hook.on("error", () => {}) // without muxbus there is nobody to tell
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ session_id: session }))
  },
})
