/**
 * Writes `operations.ts` and `answers.ts` in `src/client/generated/` and `_operations.py` of the Python client, which git ignores, from the OpenAPI document of the
 * service. Installing, checking, testing and packing run it:
 *
 *     npm run task build:client
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pythonText } from "./python-text.ts";
import { answersText, type ApiDocument, operationsText } from "./operations-text.ts";

const root = path.join(import.meta.dirname, "../..");

/** Where the client imports its operations from. */
export const OPERATIONS_FILE = path.join(root, "src/client/generated/operations.ts");

/** What a server of this checkout, started for it, answers at `/openapi.json`. */
async function readDocument(): Promise<ApiDocument> {
  const data = mkdtempSync(path.join(tmpdir(), "tachograph-client-"));
  // Settings of this machine are not meant for it.
  const settings = Object.keys(process.env).filter((name) => name.startsWith("TACHOGRAPH_"));
  const unset = Object.fromEntries(settings.map((name) => [name, undefined]));
  const words = ["bin/tachograph.js", "serve", "--host", "127.0.0.1", "--port", "0"];
  const server = spawn(process.execPath, [...words, "--data", data], {
    cwd: root,
    env: { ...process.env, ...unset },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "exit");
  try {
    let log = "";
    server.stderr.on("data", (piece) => (log += String(piece)));
    const url = await addressIn(server.stdout);
    if (url === undefined) throw new Error(`the service for /openapi.json did not start: ${log}`);
    const response = await fetch(`${url}/openapi.json`);
    return (await response.json()) as ApiDocument;
  } finally {
    server.kill();
    await ended;
    rmSync(data, { recursive: true });
  }
}

async function addressIn(output: AsyncIterable<Buffer>): Promise<string | undefined> {
  let text = "";
  for await (const piece of output) {
    text += String(piece);
    const [url] = /http:\/\/\S+(?=\n)/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  return undefined;
}

if (import.meta.main) {
  const document = await readDocument();
  const folder = path.dirname(OPERATIONS_FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(OPERATIONS_FILE, operationsText(document));
  writeFileSync(path.join(folder, "answers.ts"), answersText(document));
  writeFileSync(
    path.join(root, "clients/python/src/tachograph/_operations.py"),
    pythonText(document),
  );
}
