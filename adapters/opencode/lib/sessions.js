/*
 * What is known of each session: OpenCode tells several of its hooks neither session nor agent nor
 * purpose, so they are remembered from those that say.
 */
export class Sessions {
  constructor() {
    this.all = new Map()
  }

  get(id) {
    let session = this.all.get(id)
    if (!session) {
      session = {
        id,
        turn: 0,
        ended: 0 /* turns that are over */,
        continuations: 0,
        internal: new Set() /* ids of messages that nobody typed */,
        expected: [] /* texts of those that are on their way */,
        tools: 0 /* calls of this turn */,
        finished: new Set() /* assistant messages that were told of */,
        failed: new Map() /* calls that were told of, and what the model reads of each */,
        done: Promise.resolve() /* its bus events, in order */,
      }
      this.all.set(id, session)
    }
    return session
  }

  forget(id) {
    this.all.delete(id)
  }

  /* Bus events arrive without anybody waiting: one after the other, and never a rejection. */
  inOrder(session, work) {
    session.done = session.done.then(work).catch(() => {})
    return session.done
  }

  /* When all events that came were told, or after so long. */
  settled(ms) {
    const all = Promise.all([...this.all.values()].map((session) => session.done))
    return Promise.race([all, new Promise((resolve) => setTimeout(resolve, ms).unref())])
  }
}

export function usageOf(info, limit) {
  const tokens = info?.tokens
  if (!tokens) return undefined
  const usage = {
    input_tokens: tokens.input ?? 0,
    output_tokens: tokens.output ?? 0,
    reasoning_tokens: tokens.reasoning ?? 0,
    cache_read_tokens: tokens.cache?.read ?? 0,
    cache_write_tokens: tokens.cache?.write ?? 0,
  }
  usage.current_context_window = Object.values(usage).reduce((sum, n) => sum + n, 0)
  if (limit) usage.max_context_window = limit
  return usage
}

/* As the daemon classifies it: by status, then by body, then by words. */
export function errorOf(error, info) {
  if (!error) return undefined
  const data = error.data ?? {}
  return {
    name: error.name,
    message: data.message ?? error.message ?? String(error.name ?? error),
    status: data.statusCode,
    body: data.responseBody,
    provider: info?.providerID,
    model: info?.modelID,
  }
}

export function modelName(model) {
  if (!model) return undefined
  if (typeof model === "string") return model
  return `${model.providerID}/${model.modelID ?? model.id}`
}

export function modelOf(name) {
  const at = name.indexOf("/")
  return at > 0 ? { providerID: name.slice(0, at), modelID: name.slice(at + 1) } : undefined
}
