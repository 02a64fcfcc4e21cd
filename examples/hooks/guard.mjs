#!/usr/bin/env node
// Lock files are written by the package manager; who edits package.json is told to run it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const { point, data } = JSON.parse(readFileSync(0, "utf8"));
const name = basename(data.args?.path ?? data.args?.file_path ?? "");

if (point === "tool.execute.before" && /^(package-lock\.json|yarn\.lock)$/.test(name)) {
  console.error(`${name} is generated: edit package.json and install`);
  process.exitCode = 2;
} else if (point === "tool.execute.after" && name === "package.json") {
  const text = "package.json has changed: install before you run anything.";
  console.log(JSON.stringify({ inject: [{ id: "install", text, place: "message" }] }));
}
