// The node side of bench_json: the same files, the same operation, the same rows.
//   node bench/json.mjs FILE...
// The text is a JavaScript string before the clock starts: decoding UTF-8 is not counted.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const SAMPLES = 31;
const SAMPLE_NS = 5_000_000n;

let sink = 0;

function parseAndRead(text) {
  const doc = JSON.parse(text);
  const last = doc.messages[doc.messages.length - 1];
  sink += doc.model.length + last.role.length + doc.usage.input_tokens;
  return doc;
}

function plain(text) {
  sink += JSON.stringify(parseAndRead(text)).length;
}

function edit(text) {
  const doc = parseAndRead(text);
  doc.temperature = 1;
  sink += JSON.stringify(doc).length;
}

function sample(run, text, rounds) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) run(text);
  return process.hrtime.bigint() - start;
}

function measure(run, text) {
  let rounds = 1;
  while (sample(run, text, rounds) < SAMPLE_NS) rounds *= 2;
  const times = [];
  for (let i = 0; i < SAMPLES; i++) times.push(Number(sample(run, text, rounds)) / rounds);
  return times.sort((x, y) => x - y)[SAMPLES >> 1];
}

for (const file of process.argv.slice(2)) {
  const size = basename(file, ".json").replace("conversation-", "");
  const text = readFileSync(file, "utf8");
  console.log(`json-${size}\t${measure(plain, text).toFixed(0)}`);
  console.log(`json-edit-${size}\t${measure(edit, text).toFixed(0)}`);
}
if (sink === 0) process.exitCode = 1;
