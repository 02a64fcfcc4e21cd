#!/usr/bin/env node
// A resident hook: tells the model when a tool takes much longer than it usually does here. The
// times are in this process's memory: they last as long as it does.
import { createInterface } from "node:readline";

const began = new Map(); // call id -> milliseconds
const usual = new Map(); // tool -> milliseconds, smoothed

const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));

const points = {
  "tool.execute.before": ({ call_id }) => {
    began.set(call_id, performance.now());
    return {};
  },
  "tool.execute.after": ({ call_id, tool }) => {
    const took = performance.now() - began.get(call_id);
    const before = usual.get(tool);
    began.delete(call_id);
    if (Number.isNaN(took)) return {};
    usual.set(tool, before === undefined ? took : 0.8 * before + 0.2 * took);
    if (before === undefined || took < 1000 || took < 10 * before) return {};
    const seconds = (took / 1000).toFixed(1);
    return { inject: [{ id: "slow", text: `${tool} took ${seconds} s, much longer than usual.` }] };
  },
};

const methods = {
  initialize: () => ({
    name: "slow-tools",
    subscriptions: Object.keys(points).map((point) => ({ point })),
  }),
  event: ({ point, data }) => points[point]?.(data) ?? {},
  shutdown: () => null,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "exit") break;
  if (id !== undefined && methods[method]) send({ id, result: methods[method](params) });
}
