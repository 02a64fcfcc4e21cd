// What the usual dispatcher costs: twenty hooks as async functions, awaited one after the other,
// with no receipt. Beside bench_chain's rows.
const HOOKS = 20;
const SAMPLES = 31;
const SAMPLE_NS = 5_000_000n;

const hooks = Array.from({ length: HOOKS }, () => async (event) => {
  event.seen++;
});

async function dispatch(event) {
  for (const hook of hooks) await hook(event);
}

async function sample(event, rounds) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) await dispatch(event);
  return process.hrtime.bigint() - start;
}

const event = { tool: "bash", args: { command: "ls" }, seen: 0 };
let rounds = 1;
while ((await sample(event, rounds)) < SAMPLE_NS) rounds *= 2;
const times = [];
for (let i = 0; i < SAMPLES; i++) times.push(Number(await sample(event, rounds)) / rounds);
times.sort((x, y) => x - y);
console.log(`chain-node\t${times[SAMPLES >> 1].toFixed(0)}`);
if (event.seen === 0) process.exitCode = 1;
