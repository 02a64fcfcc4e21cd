/*
 * OpenCode's bus: what has happened. Nobody waits for these, so nothing here can refuse; what a
 * verdict asks for is done by calls.
 */
import { messagesToOurs } from "./messages.js"
import { errorOf, usageOf } from "./sessions.js"

/* The end of a run, told up to twice: as a status and as an event of its own. */
async function idle(all, session) {
  if (!session.busy) return
  session.busy = false
  await all.host.emit("session.idle", session, {})
  if (session.aborted) session.aborted = false
  else await stopped(all, session)
}

/* It has nothing left to do. Who was aborted has, and is not to be kept going. */
async function stopped({ host }, session) {
  const verdict = await host.emit("agent.stop", session, {
    messages: messagesToOurs(await host.messages(session), (id) => session.internal.has(id)),
    usage: session.usage,
    continuations: session.continuations,
    todos: session.todos,
    status: { type: "idle" },
    response: session.response,
  })
  if (verdict.callback === "compact") void host.compact(session)
  const texts = verdict.stop ? [] : (verdict.follow_up_messages ?? [])
  if (!texts.length) return
  session.continuations++
  const { agent, model } = session.user ?? {}
  const parts = texts.map((text) => ({ type: "text", text }))
  void host.prompt(session, parts, {
    agent,
    model: model && { providerID: model.providerID, modelID: model.modelID },
    variant: model?.variant,
  })
}

function isAbort(error) {
  return error?.name === "MessageAbortedError"
}

async function status(all, session, { status }) {
  const retry = status.type === "retry"
  if (status.type === "busy") session.busy = true
  const verdict = await all.host.emit("session.status", session, {
    status: retry ? { ...status, error: errorOf({ message: status.message }, session.last) } : status,
  })
  if (verdict.model) void all.host.fallback(session, verdict.model)
  if (status.type === "idle") await idle(all, session)
}

async function failed({ host }, session, { error }) {
  const data = { error: errorOf(error, session.last) }
  session.aborted ||= isAbort(error)
  const verdict = await host.emit("session.error", session, data)
  if (!isAbort(error)) await host.emit("agent.error", session, data)
  if (verdict.model) void host.fallback(session, verdict.model)
}

/* One assistant message is one turn: a request and its tools. */
async function messageUpdated({ host }, session, { info }) {
  if (info?.role !== "assistant") return
  session.last = info
  if (!info.time?.completed || session.finished.has(info.id)) return
  session.finished.add(info.id)
  session.usage = usageOf(info, session.limit) ?? session.usage
  const updated = await host.emit("message.updated", session, {
    message: { id: info.id, role: info.role },
    usage: session.usage,
    provider: info.providerID,
    model: info.modelID,
    error: errorOf(info.error, info),
  })
  if (updated.model) void host.fallback(session, updated.model)
  session.aborted ||= session.busy && isAbort(info.error)
  if (info.error || info.summary) return
  session.ended++ /* the next turn may have begun by now */
  const verdict = await host.emit("turn.after", { ...session, turn: session.ended }, {
    turn: session.ended,
    tools_used: session.tools,
    response: session.response,
    usage: session.usage,
  })
  if (verdict.stop) void host.abort(session)
  if (verdict.callback === "compact") void host.compact(session)
}

/*
 * The hook after a tool is not called for one that failed. What it printed can't be changed where
 * OpenCode keeps it, only on its way to the model: see hideFailures().
 */
async function toolFailed({ host }, session, part) {
  if (part?.type !== "tool" || part.state?.status !== "error" || session.failed.has(part.callID)) return
  session.failed.set(part.callID, part.state.error)
  const verdict = await host.emit("tool.execute.after", session, {
    tool: part.tool,
    call_id: part.callID,
    args: part.state.input,
    output: part.state.error,
    success: false,
  })
  const withheld = verdict.decision === "block" ? (verdict.reason ?? "withheld by a hook") : undefined
  session.failed.set(part.callID, withheld ?? verdict.replace?.output ?? part.state.error)
  if (verdict.stop) void host.abort(session)
}

/* The parts of the last message may not have been told of yet: nobody waits for the bus. */
export async function hideFailures(all, session, messages) {
  await all.sessions.inOrder(session, async () => {
    for (const part of messages.at(-1)?.parts ?? []) await toolFailed(all, session, part)
  })
  for (const part of messages.flatMap(({ parts }) => parts ?? []))
    if (part.state?.status === "error" && session.failed.has(part.callID))
      part.state.error = session.failed.get(part.callID)
}

async function created({ host }, session, { info }) {
  session.parent = info?.parentID
  session.agent ??= info?.agent
  if (session.known) return
  await host.created(session, { source: session.parent ? "subagent" : "startup" })
  if (session.parent)
    await host.emit("subagent.session.created", session, { agent: session.agent, parent: session.parent })
}

/* While the person is asked, hooks may answer for them. */
async function permissionAsked({ host }, session, asked) {
  const tool = asked.permission ?? asked.type
  const why = asked.title ?? asked.patterns?.join(" ")
  await host.emit("notification", session, { kind: "permission", message: `${tool}${why ? `: ${why}` : ""}` })
  const verdict = await host.emit("permission.ask", session, {
    tool,
    call_id: asked.tool?.callID ?? asked.callID,
    args: asked.metadata,
    why,
  })
  if (verdict.decision === "allow") void host.replyPermission(session.id, asked.id, "once")
  if (verdict.decision === "block") void host.replyPermission(session.id, asked.id, "reject")
}

const TOLD = {
  "session.created": created,
  "session.status": status,
  "session.idle": idle,
  "session.error": failed,
  "session.compacted": ({ host }, session) => host.emit("session.compacted", session, {}),
  "message.updated": messageUpdated,
  "message.part.updated": (all, session, { part }) => toolFailed(all, session, part),
  "permission.asked": permissionAsked,
  "permission.updated": permissionAsked,
  "question.asked": ({ host }, session, asked) =>
    host.emit("notification", session, { kind: "question", message: asked.questions?.[0]?.question ?? "" }),
  "todo.updated": async (_all, session, { todos }) => {
    session.todos = todos
  },
  "session.deleted": async ({ host, sessions }, session) => {
    await host.emit("session.deleted", session, {})
    sessions.forget(session.id)
  },
}

/* Parts change with every word the model says: those that tell nothing are not lined up. */
function tellsNothing(type, { part, info }) {
  if (type === "message.part.updated") return part?.type !== "tool" || part.state?.status !== "error"
  return type === "message.updated" && info?.role !== "assistant"
}

export function makeBus(all) {
  return async ({ event }) => {
    const work = TOLD[event?.type]
    const properties = event?.properties ?? {}
    const id = properties.sessionID ?? properties.info?.sessionID ?? properties.part?.sessionID ?? properties.info?.id
    if (!work || !id || tellsNothing(event.type, properties)) return
    const session = all.sessions.get(id)
    await all.sessions.inOrder(session, () => work(all, session, properties))
  }
}
