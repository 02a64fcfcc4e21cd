/*
 * What OpenCode's plugin adds to each hook: there to the daemon and back, beside a plugin that does nothing and
 * the daemon's `ping`, which is as little as node can ask of it.
 *
 *     adapter.mjs HOOKE      prints "<row><TAB><nanoseconds, median>"; HOME is its own
 */
import { execFileSync } from "node:child_process"
import plugin from "../adapters/opencode/index.js"
import { Connection, socketPath } from "../adapters/opencode/lib/connection.js"

const ROUNDS = 400
const program = process.argv[2]
const directory = process.env.HOME
const session = { sessionID: "ses_1" }
const text = "grep -rn 'connection refused' src | head -50; " + "echo 'some long words'; ".repeat(150)

/* The arguments of each hook, anew for every call, since hooks may change them. Calls differ, or loop-guard
 * would refuse them. */
const CALLS = {
  "chat.message": (n) => [
    { ...session, agent: "build" },
    {
      message: { id: `msg_${n}`, ...session, role: "user", model: { providerID: "p", modelID: "m" } },
      parts: [{ id: "prt_1", messageID: `msg_${n}`, ...session, type: "text", text }],
    },
  ],
  "experimental.chat.messages.transform": (n) => [
    {},
    { messages: [{ info: { id: `msg_${n}`, ...session, role: "user" }, parts: [{ id: "prt_1", type: "text", text }] }] },
  ],
  "experimental.chat.system.transform": () => [
    { ...session, model: { providerID: "p", id: "m" } },
    { system: [text] },
  ],
  "chat.params": () => [{ ...session, model: { providerID: "p", id: "m" } }, { temperature: 0 }],
  "chat.headers": () => [{ ...session, model: { providerID: "p", id: "m" } }, { headers: {} }],
  "tool.definition": () => [{ toolID: "bash" }, { description: text }],
  "shell.env": () => [{ ...session, cwd: directory }, { env: { PATH: "/bin" } }],
  "experimental.text.complete": () => [session, { text }],
  "tool.execute.before": (n) => [
    { ...session, tool: "bash", callID: `c${n}` },
    { args: { command: `${text} # ${n}`, description: "look" } },
  ],
  "tool.execute.after": (n) => [
    { ...session, tool: "bash", callID: `c${n}`, args: { command: `ls # ${n}` } },
    { title: "ls", output: text, metadata: {} },
  ],
}

async function median(call) {
  const times = []
  for (let n = 0; n < ROUNDS; n++) {
    const input = call.input?.(n) ?? []
    const before = process.hrtime.bigint()
    await call.run(...input)
    times.push(Number(process.hrtime.bigint() - before))
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]
}

function print(row, figure) {
  process.stdout.write(`${row}\t${figure}\n`)
}

const nothing = async () => ({ data: undefined })
const client = {
  session: new Proxy({}, { get: () => nothing }),
  tui: { showToast: nothing },
  app: { log: nothing },
}
const hooks = await plugin.server({ client, directory, worktree: directory, project: {} }, { program })
try {
  for (const [name, input] of Object.entries(CALLS)) print(`adapter-${name}`, await median({ input, run: hooks[name] }))
  const { served } = JSON.parse(execFileSync(program, ["serve", "--status", "--json"]))
  const called = ROUNDS * Object.keys(CALLS).length
  if (served < called) throw new Error(`the daemon answered ${served} of ${called} calls`)
  print("noop", await median({ input: CALLS["tool.execute.before"], run: async () => {} }))
  const daemon = new Connection({ path: socketPath(process.env), program: false, hello: { version: 1, cwd: directory } })
  await daemon.call("ping")
  print("ping", await median({ run: () => daemon.call("ping") }))
  daemon.close()
} finally {
  await hooks.dispose()
  execFileSync(program, ["serve", "--stop"], { stdio: "ignore" })
}
