// A command hook that reads its event and consents.
import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ decision: event.data.tool === "bash" ? "allow" : "ask" }));
