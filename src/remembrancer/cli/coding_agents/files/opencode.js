// Written by `remembrancer install opencode`; `remembrancer uninstall opencode` removes it.
// It gives OpenCode its memories, and records its sessions. An error never stops the agent.

import { spawn } from 'node:child_process'

const COMMAND = ["remembrancer", "hook", "opencode"]
const MILLISECONDS = 5000

// Runs the hook with an event; returns what the agent reads, or '' after an error.
const hook = (event) =>
  new Promise((resolve) => {
    const [command, ...args] = COMMAND
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: MILLISECONDS })
    let text = ''
    child.stdout.on('data', (piece) => {
      text += piece
    })
    child.on('error', () => resolve(''))
    child.on('close', (code) => resolve(code === 0 ? text.trim() : ''))
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(event))
  })

// Only what was said: not the text that a program has put in.
const textOf = (parts) =>
  parts
    .filter((part) => part.type === 'text' && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join('\n')

export const Remembrancer = async ({ client, directory, worktree }) => {
  const cwd = worktree && worktree !== '/' ? worktree : directory
  const started = new Map()
  const forPrompt = new Map()

  const record = async (id) => {
    const { data } = await client.session.messages({ path: { id } })
    const messages = (data ?? [])
      .filter(({ info }) => !info.summary)
      .map(({ info, parts }) => ({
        role: info.role,
        text: textOf(parts),
        key: info.id,
        at: new Date(info.time.created).toISOString(),
      }))
    await hook({ hook_event_name: 'Stop', session_id: id, cwd, messages })
  }

  return {
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      try {
        if (event.type === 'session.idle') await record(id)
        if (event.type === 'session.deleted') await hook({ hook_event_name: 'SessionEnd', session_id: id, cwd })
      } catch {
        // The next event records what this one could not.
      }
    },
    'chat.message': async ({ sessionID }, { parts }) => {
      if (!started.has(sessionID)) {
        started.set(sessionID, hook({ hook_event_name: 'SessionStart', session_id: sessionID, cwd }))
      }
      const prompt = textOf(parts)
      forPrompt.set(sessionID, hook({ hook_event_name: 'UserPromptSubmit', session_id: sessionID, cwd, prompt }))
    },
    'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
      const texts = await Promise.all([started.get(sessionID), forPrompt.get(sessionID)])
      system.push(...texts.filter(Boolean))
    },
    'experimental.session.compacting': async ({ sessionID }, { context }) => {
      const text = await hook({ hook_event_name: 'SessionStart', session_id: sessionID, cwd })
      if (text) context.push(text)
    },
  }
}
