/*
 * The hooks of OpenCode, each an event of the daemon.
 *
 * Without a daemon everything goes on as if there were no hooks, with one warning; with the option
 * `required` nothing that hooks could refuse goes on. A block is an Error that is thrown: that is how
 * OpenCode refuses a prompt or a tool call. docs/agents/opencode.md says what becomes of what.
 */
import { hideFailures, makeBus } from "./bus.js"
import { Connection, socketPath } from "./connection.js"
import { Host } from "./host.js"
import { applyMessages, assignAll, messagesToOurs, newPart, typedText } from "./messages.js"
import { Sessions, modelName, modelOf } from "./sessions.js"

/* How long the end of an instance waits for what has happened to be told. */
const DISPOSE_MS = 2000

/* Text that is to stay with the message or output in hand; the daemon keeps the rest for later. */
function persistent(verdict, place) {
  return (verdict.inject ?? [])
    .filter((one) => one.class === "persistent" && one.place === place)
    .map((one) => one.text)
}

function refuseIf(host, session, verdict) {
  if (verdict.stop) {
    host.abort(session)
    throw new Error(verdict.stop)
  }
  if (verdict.decision === "block") throw new Error(verdict.reason ?? "refused by a hook")
}

/* What a request is refused for nobody would read: to OpenCode it is an unknown error. */
function refuseRequestIf(host, session, verdict) {
  const reason = verdict.stop ?? (verdict.decision === "block" ? verdict.reason : undefined)
  if (reason) host.tell(reason, "error")
  refuseIf(host, session, verdict)
}

/* Chat ----------------------------------------------------------------------------------------- */

function chatMessage({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    const { message, parts } = output
    const text = typedText(parts)
    const expected = session.expected.indexOf(text)
    await session.done
    if (expected >= 0) {
      session.expected.splice(expected, 1)
      session.internal.add(message.id)
    } else session.continuations = 0
    session.agent = input.agent ?? message.agent ?? session.agent
    session.model = modelName(input.model ?? message.model) ?? session.model
    session.user = { agent: session.agent, model: message.model ?? input.model }
    session.busy = true
    session.aborted = false
    session.turn = 0
    session.ended = 0
    if (!session.known) await host.resumed(session)
    const verdict = await host.emit("chat.message", session, {
      message: {
        id: message.id,
        text,
        parts: parts.map(({ type, text, synthetic }) => ({ type, text, synthetic })),
        variant: message.model?.variant ?? input.variant,
        model: session.model,
        internal: expected >= 0,
      },
    })
    refuseRequestIf(host, session, verdict)
    applyChatMessage(verdict, message, parts)
  }
}

function applyChatMessage(verdict, message, parts) {
  const changed = verdict.replace?.message
  if (changed) {
    const own = parts.filter((part) => part.type === "text" && !part.synthetic)
    if (typeof changed.text === "string" && changed.text !== typedText(parts) && own.length) {
      own[0].text = changed.text
      for (const part of own.slice(1)) parts.splice(parts.indexOf(part), 1)
    }
    if (changed.model && modelOf(changed.model)) Object.assign((message.model ??= {}), modelOf(changed.model))
    if (changed.variant !== undefined && message.model) message.model.variant = changed.variant
  }
  persistent(verdict, "message").forEach((text, n) =>
    parts.push(newPart({ id: message.id, sessionID: message.sessionID }, text, { n, after: parts.at(-1)?.id })),
  )
}

function messagesTransform(all) {
  const { host, sessions } = all
  return async (_input, output) => {
    const info = output.messages?.findLast?.((message) => message.info?.sessionID)?.info
    if (!info) return
    const session = sessions.get(info.sessionID)
    const user = output.messages.findLast((message) => message.info?.role === "user")?.info
    session.agent = user?.agent ?? session.agent
    session.rendered = session.compacting ? "compaction" : "main"
    session.compacting = false
    if (session.rendered === "main") {
      session.turn++
      session.tools = 0
    }
    await hideFailures(all, session, output.messages)
    const verdict = await host.emit("experimental.chat.messages.transform", session, {
      messages: messagesToOurs(output.messages, (id) => session.internal.has(id)),
      purpose: session.rendered,
    })
    refuseRequestIf(host, session, verdict)
    if (verdict.replace?.messages) applyMessages(output.messages, verdict.replace.messages)
  }
}

/*
 * OpenCode does not say what a request is for. Requests for a title run beside the others and are
 * told by how OpenCode's prompt for them begins; whoever has another is told by what is missing:
 * messages that were shown before.
 */
function purposeOf(session, system) {
  if (/^You are a title generator\b/.test(system[0] ?? "")) return "title"
  const purpose = session.rendered ?? "title"
  session.rendered = undefined
  return purpose
}

function systemTransform({ host, sessions }) {
  return async (input, output) => {
    if (!input.sessionID) return
    const session = sessions.get(input.sessionID)
    const purpose = purposeOf(session, output.system)
    session.limit = input.model?.limit?.context ?? session.limit
    const verdict = await host.emit("experimental.chat.system.transform", session, {
      system: [...output.system],
      model: modelName(input.model),
      purpose,
      todos: session.todos,
    })
    const system = verdict.replace?.system
    if (Array.isArray(system)) output.system.splice(0, output.system.length, ...system)
    output.system.push(...persistent(verdict, "system"))
  }
}

const PARAMS = { temperature: "temperature", top_p: "topP", top_k: "topK", max_output_tokens: "maxOutputTokens" }

function chatParams({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    const params = {}
    for (const [ours, theirs] of Object.entries(PARAMS)) params[ours] = output[theirs]
    session.limit = input.model?.limit?.context ?? session.limit
    const verdict = await host.emit("chat.params", session, { model: modelName(input.model), params })
    const changed = verdict.replace?.params ?? {}
    for (const [ours, theirs] of Object.entries(PARAMS)) if (ours in changed) output[theirs] = changed[ours]
  }
}

function chatHeaders({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    const verdict = await host.emit("chat.headers", session, {
      provider: input.model?.providerID ?? input.provider?.id,
      model: modelName(input.model),
      sdk: input.model?.api?.npm,
      message: { id: input.message?.id, internal: session.internal.has(input.message?.id) },
      headers: { ...output.headers },
    })
    if (verdict.replace?.headers) assignAll(output.headers, verdict.replace.headers)
  }
}

function textComplete({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    const verdict = await host.emit("experimental.text.complete", session, { text: output.text })
    if (typeof verdict.replace?.text === "string") output.text = verdict.replace.text
    session.response = output.text
  }
}

function sessionCompacting({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    session.compacting = true
    const verdict = await host.emit("experimental.session.compacting", session, {
      context: [...output.context],
      prompt: output.prompt,
      trigger: "auto",
    })
    refuseIf(host, session, verdict)
    const { context, prompt } = verdict.replace ?? {}
    if (Array.isArray(context)) output.context.splice(0, output.context.length, ...context)
    if (typeof prompt === "string") output.prompt = prompt
  }
}

/* Tools ---------------------------------------------------------------------------------------- */

function toolDefinition({ host, sessions }) {
  return async (input, output) => {
    const verdict = await host.emit("tool.definition", sessions.get("tools"), {
      tool: input.toolID,
      description: output.description,
      parameters: output.jsonSchema,
    })
    const { description, parameters } = verdict.replace ?? {}
    if (typeof description === "string") output.description = description
    if (parameters && "jsonSchema" in output) output.jsonSchema = parameters
  }
}

function toolBefore({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    session.tools++
    const verdict = await host.emit("tool.execute.before", session, {
      tool: input.tool,
      call_id: input.callID,
      args: output.args,
    })
    refuseIf(host, session, verdict)
    if (verdict.decision === "ask")
      throw new Error(`${verdict.reason ?? "a hook wants somebody to be asked"} (OpenCode cannot ask here)`)
    if (verdict.replace?.args) assignAll(output.args, verdict.replace.args)
  }
}

/* What the model reads: a text, or the texts of an MCP result. */
function readOutput(output) {
  if (typeof output.output === "string") return output.output
  if (!Array.isArray(output.content)) return undefined
  return output.content.filter((part) => part.type === "text").map((part) => part.text).join("\n")
}

function writeOutput(output, text) {
  if (typeof output.output === "string" || !Array.isArray(output.content)) output.output = text
  else {
    const rest = output.content.filter((part) => part.type !== "text")
    output.content.splice(0, output.content.length, { type: "text", text }, ...rest)
  }
}

function toolAfter({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID)
    const before = output ? readOutput(output) : undefined
    const verdict = await host.emit("tool.execute.after", session, {
      tool: input.tool,
      call_id: input.callID,
      args: input.args,
      title: output?.title,
      output: before,
      metadata: output?.metadata,
      success: Boolean(output),
    })
    if (!output) return /* a subtask that failed: there is nothing to change */
    let text = verdict.replace?.output ?? before
    if (verdict.decision === "block") text = verdict.reason ?? "withheld by a hook"
    for (const more of persistent(verdict, "output")) text = text ? `${text}\n\n${more}` : more
    if (typeof text === "string" && text !== before) writeOutput(output, text)
    if (typeof verdict.replace?.title === "string") output.title = verdict.replace.title
    if (verdict.replace?.metadata) output.metadata = verdict.replace.metadata
    if (verdict.stop) host.abort(session)
  }
}

function shellEnv({ host, sessions }) {
  return async (input, output) => {
    const session = sessions.get(input.sessionID ?? "shell")
    const verdict = await host.emit("shell.env", session, { cwd: input.cwd, env: { ...output.env } })
    if (verdict.replace?.env) assignAll(output.env, verdict.replace.env)
  }
}

/* OpenCode has not called it since 2026; older versions do. */
function permissionAsk({ host, sessions }) {
  return async (input, output) => {
    const verdict = await host.emit("permission.ask", sessions.get(input.sessionID), {
      tool: input.type ?? input.permission,
      call_id: input.callID ?? input.tool?.callID,
      args: input.metadata,
      why: input.title,
    })
    if (verdict.decision === "allow") output.status = "allow"
    if (verdict.decision === "block") output.status = "deny"
  }
}

/* ---------------------------------------------------------------------------------------------- */

/* Not here, since no point stands for them: config, tool, auth, provider, command.execute.before,
 * experimental.compaction.autocontinue, experimental.provider.small_model. */
/*
 * One for each instance of OpenCode, whose client says which it is: the file of the user, that of a
 * workspace and a name in opencode.json may all be there, each a module of its own.
 */
const hosts = (globalThis[Symbol.for("hooke.opencode.hosts")] ??= new WeakMap())

export async function makePlugin({ client, directory }, options = {}) {
  if (hosts.has(client)) {
    if (options.required === true) hosts.get(client).required = true
    return {}
  }
  const env = options.env ?? process.env
  const connection = new Connection({
    path: options.socket ?? socketPath(env),
    program: options.program ?? "hooke",
    env,
    hello: { version: 1, cwd: directory, dialect: "opencode", env: { ...env } },
  })
  const sessions = new Sessions()
  const host = new Host({ client, connection, directory, required: options.required === true })
  hosts.set(client, host)
  const all = { host, sessions }

  return {
    event: makeBus(all),
    "chat.message": chatMessage(all),
    "chat.params": chatParams(all),
    "chat.headers": chatHeaders(all),
    "permission.ask": permissionAsk(all),
    "tool.definition": toolDefinition(all),
    "tool.execute.before": toolBefore(all),
    "tool.execute.after": toolAfter(all),
    "shell.env": shellEnv(all),
    "experimental.chat.messages.transform": messagesTransform(all),
    "experimental.chat.system.transform": systemTransform(all),
    "experimental.session.compacting": sessionCompacting(all),
    "experimental.text.complete": textComplete(all),
    dispose: async () => {
      await sessions.settled(DISPOSE_MS)
      connection.close()
    },
  }
}
