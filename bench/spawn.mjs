// What starting a command hook costs through node's child_process.spawn: feed the child 4 KB, read
// its answer, wait for its end; from a small process and from one with 500 MB in use. Beside
// bench_proc's rows.
//   node bench/spawn.mjs CHILD
import { spawn } from "node:child_process";

const WARM_UP = 5;
const input = Buffer.alloc(4096, " ");
const child = process.argv[2];

function runOnce() {
  return new Promise((resolve, reject) => {
    const started = spawn(child, [], { stdio: "pipe" });
    let answer = "";
    started.on("error", reject);
    started.stdout.on("data", (piece) => (answer += piece));
    started.on("close", (code) =>
      code === 0 && answer === "{}" ? resolve() : reject(new Error("no answer")));
    started.stdin.end(input);
  });
}

async function measure(name, runs) {
  const times = [];
  for (let i = 0; i < WARM_UP + runs; i++) {
    const began = process.hrtime.bigint();
    await runOnce();
    if (i >= WARM_UP) times.push(Number(process.hrtime.bigint() - began));
  }
  times.sort((x, y) => x - y);
  console.log(`${name}\t${times[runs >> 1]}`);
}

await measure("spawn-node", 100);
const ballast = Buffer.alloc(500 << 20, 1);
await measure("spawn-node-500m", 40);
if (ballast[0] !== 1) process.exitCode = 1;
