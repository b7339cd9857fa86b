#!/usr/bin/env node
// A checkout runs its sources as they are; the package has them compiled.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

enableCompileCache();
const compiled = new URL("../dist/main.js", import.meta.url);
const sources = new URL("../src/main.ts", import.meta.url);
await import(existsSync(sources) ? sources.href : compiled.href);
