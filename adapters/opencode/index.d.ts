/* What follows the plugin's name in opencode.json. */
export interface HookeOptions {
  /** What to start when no daemon listens; false: nothing. */
  program?: string | false
  /** Where the daemon listens. */
  socket?: string
  /** Refuse prompts and tool calls while the daemon cannot be asked. */
  required?: boolean
}

declare const plugin: {
  id: "hooke"
  server(input: { client: any; directory: string }, options?: HookeOptions): Promise<Record<string, (...args: any[]) => Promise<void>>>
}
export default plugin
