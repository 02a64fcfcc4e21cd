/*
 * Both sides of the plugin: events to the daemon, and what verdicts ask for back to OpenCode.
 *
 * Calls to OpenCode that change anything are never awaited by a hook: some of them end in another hook
 * of this session.
 */
import { modelOf } from "./sessions.js"

/* Where something can be refused; without the daemon it is, when it is required. */
const GATES = new Set(["chat.message", "tool.execute.before", "permission.ask"])

/* Commands of OpenCode that have a terminal and no screen to show toasts on. */
const PLAIN = new Set(["run", "serve", "web", "acp", "github", "pr"])

function hasScreen() {
  return process.stdout.isTTY && !process.argv.slice(2).some((word) => PLAIN.has(word))
}

export class Host {
  constructor({ client, connection, directory, required }) {
    Object.assign(this, { client, connection, directory, required })
    this.warned = false
    /* Points with hooks that must not be passed over, as the daemon has said: built-in guards are there
     * unless somebody has put them off. */
    this.critical = new Set(["tool.execute.before"])
  }

  /* The verdict; an empty one where the daemon has none to give. */
  async emit(point, session, data) {
    try {
      const result = await this.connection.call("emit", {
        point,
        turn: session.turn,
        session: { id: session.id, parent: session.parent, agent: session.agent, usage: session.usage },
        data,
      })
      this.warned = false
      if (result.critical) this.critical.add(point)
      else this.critical.delete(point)
      if (result.verdict.say) this.toast(result.verdict.say, "info")
      return result.verdict
    } catch (error) {
      if (!this.connection.closed) this.warn(error)
      if (GATES.has(point)) this.refuseUnseen(point, error)
      return {}
    }
  }

  /* What was being looked at when the daemon went, or failed, is no more allowed than refused. */
  refuseUnseen(point, error) {
    if (this.required) throw new Error(`hooke is required and cannot be asked: ${error.message}`)
    if (error.asked && this.critical.has(point))
      throw new Error(`the safety-critical hooks of hooke have not seen this (${error.message}): try it again`)
  }

  created(session, { source, agent }) {
    session.known = true
    return this.emit("session.created", session, { source, agent })
  }

  /* One that an earlier process has begun: whose child it is nobody has told this one. */
  async resumed(session) {
    const info = await this.ask(() => this.client.session.get({ path: { id: session.id } }))
    session.parent ??= info?.parentID
    await this.created(session, { source: "resume" })
  }

  warn(error) {
    if (this.warned) return
    this.warned = true
    this.tell(`hooks do not run: ${error.message}`, "warning")
  }

  /* To the person, also where nothing shows toasts. */
  tell(message, variant) {
    this.toast(message, variant)
    if (!hasScreen()) process.stderr.write(`hooke: ${message}\n`)
  }

  /* OpenCode ------------------------------------------------------------------------------------ */

  /* Call it and forget it: a host without the call, or one that fails, is no reason to fail. */
  async ask(call) {
    try {
      return (await call())?.data
    } catch {
      return undefined
    }
  }

  toast(message, variant) {
    void this.ask(() => this.client.tui?.showToast({ body: { title: "hooke", message, variant } }))
  }

  abort(session) {
    session.aborted = true
    return this.ask(() => this.client.session.abort({ path: { id: session.id } }))
  }

  async messages(session) {
    return (await this.ask(() => this.client.session.messages({ path: { id: session.id } }))) ?? []
  }

  /* A message nobody typed. */
  prompt(session, parts, { agent, model, variant } = {}) {
    const text = parts.filter((part) => part.type === "text").map((part) => part.text)
    session.expected.push(text.join("\n"))
    return this.ask(() =>
      this.client.session.promptAsync({ path: { id: session.id }, body: { agent, model, variant, parts } }),
    )
  }

  /* Go on with another model: the request that waits or failed is given up, its message sent again. */
  async fallback(session, name) {
    const model = modelOf(name)
    if (!model) return
    const last = (await this.messages(session)).findLast((message) => message.info?.role === "user")
    const parts = last?.parts
      .filter((part) => (part.type === "text" && !part.synthetic) || part.type === "file")
      .map(({ type, text, mime, filename, url }) => ({ type, text, mime, filename, url }))
    if (!parts?.length) return
    await this.abort(session)
    await this.prompt(session, parts, { agent: last.info.agent ?? session.agent, model })
  }

  compact(session) {
    const model = modelOf(session.model ?? "")
    if (model) return this.ask(() => this.client.session.summarize({ path: { id: session.id }, body: model }))
  }

  replyPermission(sessionID, permissionID, response) {
    return this.ask(() =>
      this.client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID }, body: { response } }),
    )
  }
}
