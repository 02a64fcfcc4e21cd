/*
 * As much of OpenCode as a plugin sees: reads steps as JSON from standard input, a line each, calls the
 * hook with its input and output, and writes what became of the output, or of the error. Calls that
 * the plugin makes of the client are written by the step {"calls":true}.
 */
import { createInterface } from "node:readline"

const [, , module, directory, options] = process.argv
const calls = []
const replies = { messages: [] }

function record(name) {
  return async (request) => {
    calls.push({ name, ...request })
    return { data: replies[name] }
  }
}

const session = {}
for (const name of ["abort", "promptAsync", "messages", "summarize", "get"]) session[name] = record(name)
const client = {
  session,
  tui: { showToast: record("showToast") },
  app: { log: record("log") },
  postSessionIdPermissionsPermissionId: record("permission"),
}

const input = { client, directory, worktree: directory, project: {} }
const plugin = (await import(module)).default
const hooks = await plugin.server(input, JSON.parse(options))

/* The same plugin from another place is a module of its own. */
async function loadAgain(options) {
  return Object.keys(await (await import(module + "?again")).default.server(input, options))
}

async function run(step) {
  if (step.calls) return { calls: calls.splice(0) }
  if (step.reply) return Object.assign(replies, step.reply)
  if (step.hooks) return { id: plugin.id, hooks: Object.keys(hooks) }
  if (step.again) return { hooks: await loadAgain(step.again) }
  const { output } = step
  if (step.late) return void hooks[step.hook](step.input) /* as OpenCode calls it: nobody waits */
  /* OpenCode keeps its own references: what is not changed in place is not changed */
  const kept = output && Object.fromEntries(Object.entries(output))
  try {
    await hooks[step.hook](step.input ?? {}, output)
    return { output, kept }
  } catch (error) {
    return { error: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const got = await run(JSON.parse(line))
  /* calls that nobody waits for have begun by then */
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.stdout.write(JSON.stringify(got ?? {}) + "\n")
}
await hooks.dispose()
