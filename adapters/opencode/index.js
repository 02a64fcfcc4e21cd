/*
 * The OpenCode plugin of hooke: every hook of OpenCode's plugin API becomes an event of the daemon
 * (`hooke serve`), and its verdict is applied the way OpenCode needs.
 *
 *     { "plugin": ["hooke-opencode"] }                                       in opencode.json
 *     { "plugin": [["hooke-opencode", { "required": true }]] }
 *
 * Nothing but the default export: OpenCode takes every other export for a plugin, too.
 */
import { makePlugin } from "./lib/plugin.js"

export default { id: "hooke", server: makePlugin }
