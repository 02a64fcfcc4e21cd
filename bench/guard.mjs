/* The check of bench/answer.py in JavaScript. */
import { readFileSync } from "node:fs"

const { command } = JSON.parse(readFileSync(0, "utf8")).tool_input
for (const word of ["rm -rf /", "git push --force", "mkfs", "chmod 777", "curl http"])
  if (command.includes(word)) {
    console.error(`not allowed: ${word}`)
    process.exit(2)
  }
