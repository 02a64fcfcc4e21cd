/*
 * A connection to the daemon: JSON-RPC, one message a line. Made on first use, made again when it is
 * lost; a daemon that is missing is started. What cannot be had is refused with an Error, and the
 * next attempt waits a little, so that a host without a daemon is not slowed down by looking for one.
 */
import { spawn } from "node:child_process"
import { createConnection } from "node:net"
import { homedir } from "node:os"
import { join, resolve } from "node:path"

const RETRY_MS = 5000
const START_MS = 5000
const STEP_MS = 50
const GRACE_MS = 300

/* Where the daemon listens; undefined: HOOKE_SOCKET is empty, which means none is to be used. */
export function socketPath(env) {
  if (env.HOOKE_SOCKET !== undefined) return env.HOOKE_SOCKET || undefined
  if (env.XDG_RUNTIME_DIR?.startsWith("/")) return join(env.XDG_RUNTIME_DIR, "hooke/hooke.sock")
  const state = env.XDG_STATE_HOME?.startsWith("/")
    ? env.XDG_STATE_HOME
    : join(env.HOME ?? homedir(), ".local/state")
  return join(state, "hooke/hooke.sock")
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function open(path) {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    socket.once("connect", () => {
      socket.removeListener("error", reject)
      resolve(socket)
    })
    socket.once("error", reject)
  })
}

export class Connection {
  /* options: path, program (what to start; false: nothing), hello (its parameters), env */
  constructor(options) {
    this.options = options
    this.waiting = new Map()
    this.last = 0
    this.notBefore = 0
  }

  /*
   * The result of a request; rejects when there is no daemon or it answers with an error. What was
   * asked and not answered is marked as `asked`: hooks may have run, and it is not asked again.
   */
  async call(method, params) {
    await this.connect()
    try {
      return await this.send(method, params)
    } catch (error) {
      throw Object.assign(error, { asked: true })
    }
  }

  connect() {
    if (this.socket) return Promise.resolve()
    if (this.closed) return Promise.reject(new Error("closed"))
    if (!this.connecting && Date.now() < this.notBefore) return Promise.reject(this.failure)
    this.connecting ??= this.make().then(
      () => {
        this.connecting = undefined
      },
      (error) => {
        this.connecting = undefined
        this.failure = error
        this.notBefore = Date.now() + RETRY_MS
        throw error
      },
    )
    return this.connecting
  }

  async make() {
    if (!this.options.path) throw new Error("HOOKE_SOCKET is empty")
    const socket = await open(this.options.path).catch(() => this.start())
    this.attach(socket)
    await this.greet().catch((error) => {
      this.drop(error)
      throw error
    })
    socket.unref() /* an open connection must not keep the host from ending */
  }

  /* One that hangs would take the host with it. */
  async greet() {
    const { path, hello } = this.options
    let timer
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the daemon on '${path}' does not answer`)), START_MS)
    })
    await Promise.race([this.send("hello", hello), late]).finally(() => clearTimeout(timer))
  }

  async start() {
    if (!this.options.program) throw new Error(`no daemon listens on '${this.options.path}'`)
    let failed
    const child = spawn(this.options.program, ["serve", "--idle", "10m", "--socket", resolve(this.options.path)], {
      detached: true,
      stdio: "ignore",
      cwd: "/",
      env: this.options.env,
    })
    const words = `'${this.options.program} serve'`
    child.once("error", (error) => (failed = `${words} cannot be started: ${error.message}`))
    child.once("exit", (code, signal) => {
      failed = `${words} ended at once (${signal ?? `exit code ${code}`}): it says why in a terminal`
    })
    child.unref()
    let grace = GRACE_MS /* another daemon may have been faster, and is about to listen */
    for (let waited = 0; waited < START_MS && grace > 0; waited += STEP_MS) {
      const socket = await open(this.options.path).catch(() => undefined)
      if (socket) return socket
      await wait(STEP_MS)
      if (failed) grace -= STEP_MS
    }
    throw new Error(failed ?? `${words} was started but does not listen on '${this.options.path}'`)
  }

  attach(socket) {
    let rest = ""
    this.socket = socket
    socket.setEncoding("utf8")
    socket.on("data", (text) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop()
      for (const line of lines) this.take(line)
    })
    socket.on("error", () => {}) /* "close" follows */
    socket.on("close", () => {
      if (this.socket === socket) this.drop(new Error("the daemon has gone"))
    })
  }

  send(method, params) {
    const id = ++this.last
    const answered = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }))
    this.socket.ref() /* until it is answered */
    this.socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n")
    return answered
  }

  take(line) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return this.drop(new Error("the daemon does not speak JSON"))
    }
    const asked = this.waiting.get(message.id)
    this.waiting.delete(message.id)
    if (!this.waiting.size) this.socket?.unref()
    if (message.error) {
      const error = new Error(message.error.message)
      error.code = message.error.code
      asked?.reject(error)
    } else asked?.resolve(message.result)
  }

  drop(error) {
    const waiting = [...this.waiting.values()]
    this.socket?.destroy()
    this.socket = undefined
    this.waiting.clear()
    for (const { reject } of waiting) reject(error)
  }

  close() {
    this.closed = true
    this.drop(new Error("closed"))
  }
}
