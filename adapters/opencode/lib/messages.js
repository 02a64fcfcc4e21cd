/*
 * OpenCode's messages in hooke's words, and what a hook made of them back into OpenCode's objects.
 *
 * OpenCode keeps references to its arrays and objects, so everything is changed in place. Each
 * message and part carries `ref`, its place in the original: what comes back without one is new.
 */

const TAG = "hooke"

function outputOf(state) {
  return state?.status === "completed" ? state.output : state?.status === "error" ? state.error : undefined
}

function partToOurs(part, ref) {
  const ours = { ref, type: part.type }
  if (part.type === "text" || part.type === "reasoning") ours.text = part.text
  if (part.type === "tool") {
    ours.type = part.state?.status === "pending" || part.state?.status === "running" ? "tool_call" : "tool_result"
    ours.call_id = part.callID
    ours.tool = part.tool
    ours.args = part.state?.input
    ours.output = outputOf(part.state)
  }
  if (part.type === "file") ours.text = part.filename
  if (part.synthetic) ours.synthetic = true
  if (typeof part.metadata?.[TAG] === "string") ours.tag = part.metadata[TAG]
  return ours
}

export function messagesToOurs(messages, isInternal = () => false) {
  return messages.map(({ info, parts }, ref) => {
    const ours = { ref, id: info?.id, role: info?.role, content: (parts ?? []).map(partToOurs) }
    if (isInternal(info?.id)) ours.internal = true
    return ours
  })
}

/* A text part of ours in the message `info`; `n` tells the parts of one message apart. */
export function newPart(info, text, { n, tag, after }) {
  return {
    /* parts are kept in the order of their ids: this one comes right after `after` */
    id: `${after ?? `prt_${info.id ?? ""}`}h${n}`,
    sessionID: info.sessionID,
    messageID: info.id,
    type: "text",
    text,
    synthetic: true,
    metadata: { [TAG]: tag ?? TAG },
  }
}

function textOf(content) {
  if (typeof content === "string") return content
  return (content ?? []).map((part) => part.text ?? "").join("\n")
}

function applyParts(info, parts, content) {
  const given = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
  let after
  const next = given.map((part, n) => {
    const old = parts[part.ref]
    if (!old) return newPart(info, part.text ?? "", { n, tag: part.tag, after })
    after = old.id
    if ("text" in part && part.text !== old.text && (old.type === "text" || old.type === "reasoning"))
      old.text = part.text
    if (old.type === "tool" && old.state?.status === "completed" && part.output !== old.state.output)
      old.state.output = part.output
    return old
  })
  parts.splice(0, parts.length, ...next)
}

function newMessage(like, message, n) {
  const info = {
    ...like,
    id: `${like?.id ?? "msg_"}h${n}`,
    role: message.role === "assistant" ? "assistant" : "user",
  }
  const parts = []
  applyParts(info, parts, typeof message.content === "string" ? message.content : textOf(message.content))
  return { info, parts }
}

export function applyMessages(messages, changed) {
  let like = messages.findLast?.(({ info }) => info?.role === "user")?.info ?? messages[0]?.info
  const next = changed.map((message, n) => {
    const old = messages[message.ref]
    if (!old) return newMessage(like, message, n)
    if (old.info?.role === "user") like = old.info
    applyParts(old.info ?? {}, old.parts, message.content)
    return old
  })
  messages.splice(0, messages.length, ...next)
}

/* What the user wrote, without what was added to it. */
export function typedText(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n")
}

/* The same names and values in an object that somebody else holds on to. */
export function assignAll(target, source) {
  for (const key of Object.keys(target)) if (!(key in source)) delete target[key]
  return Object.assign(target, source)
}
