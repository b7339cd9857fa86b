#!/usr/bin/env node
// A checkout runs its sources as they are; the package has them compiled. Written so that an old
// Node gets as far as the sentence that refuses it.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";

const WANTED = [22, 23];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

const sources = new URL("../src/main.ts", import.meta.url);
const compiled = new URL("../dist/main.js", import.meta.url);
const isCheckout = existsSync(sources);

if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1])) {
  const cure = isCheckout
    ? "this checkout brings its own: npm ci && npx node bin/tachograph.js"
    : "install Node 24 from https://nodejs.org/en/download";
  console.error(
    `error: Node ${WANTED.join(".")} or later is needed, this is ${process.versions.node}; ${cure}`,
  );
  process.exit(78);
}

// Node 22 says in each process that its SQLite is experimental. Other warnings are for people.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning, ...more) => {
  if (String(warning).startsWith("SQLite is an experimental feature")) return;
  emitWarning(warning, ...more);
};
nodeModule.enableCompileCache();
// For the threads of this process, too.
process.env.NODE_COMPILE_CACHE ??= nodeModule.getCompileCacheDir();
await import(isCheckout ? sources.href : compiled.href);
