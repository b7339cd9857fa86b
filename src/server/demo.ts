import { hash, randomBytes } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ServeRequest, CommandContext } from "../cli/command-context.ts";
import type { TakeLink } from "../http/routes/access/sign-in.ts";
import { makeDirectory } from "../data-directory/make-directory.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import type { Store } from "../store/store.ts";

/** The bundled demo run, and a key for it. */
export interface Demo {
  readonly loadTestId: string;
  readonly key: string;
  /** Where the key is kept. */
  readonly keyFile: string;
  /** Signs a browser on this machine in, once; `undefined` if others reach the server, too. */
  readonly link: DemoLink | undefined;
}

interface DemoLink {
  readonly code: string;
  readonly take: TakeLink;
}

interface DemoDependencies {
  readonly store: Store;
  readonly keyRing: KeyRing;
  readonly context: CommandContext;
  readonly request: ServeRequest;
  /** The recording. */
  readonly file: string;
}

const LOAD_TEST = { id: "demo", name: "Web shop, recorded with JMeter" };
const KEY_FILE = "demo-key";

/**
 * Imports the demo run and creates its key, unless an earlier start did; `undefined` if none is asked for. A file that only
 * its owner can read has the key.
 */
export async function bringDemo({
  store,
  keyRing,
  context,
  request,
  file,
}: DemoDependencies): Promise<Demo | undefined> {
  if (!request.isDemo) return undefined;
  await context.imports.importResults(store, {
    loadTest: LOAD_TEST,
    name: path.basename(file),
    sizeBytes: statSync(file).size,
    chunks: createReadStream(file),
    decodeOptions: { timeZone: "UTC" },
  });
  const keyPath = path.join(request.directory, KEY_FILE);
  const key = (await usableKey(keyPath, keyRing)) ?? (await makeKey(keyPath, keyRing, context));
  const link = isLoopback(request.http.host) ? createLink(key) : undefined;
  return { loadTestId: LOAD_TEST.id, key, keyFile: keyPath, link };
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.|::1$)/.test(host);
}

function createLink(key: string): DemoLink {
  const code = randomBytes(16).toString("base64url");
  const wanted = hash("sha256", code);
  let isUsed = false;
  return {
    code,
    take(given) {
      if (isUsed || hash("sha256", given) !== wanted) return undefined;
      isUsed = true;
      return { key, path: `/t/${LOAD_TEST.id}` };
    },
  };
}

async function usableKey(keyPath: string, keyRing: KeyRing): Promise<string | undefined> {
  const text = await readFile(keyPath, "utf8").catch(() => "");
  const key = text.trim();
  return (await keyRing.authenticate(key)).accepted ? key : undefined;
}

async function makeKey(
  keyPath: string,
  keyRing: KeyRing,
  context: CommandContext,
): Promise<string> {
  // A revoked key keeps its name, so a new key needs another.
  const name = `demo ${new Date(context.now()).toISOString()}`;
  const key = await keyRing.create({ name, scopes: ["read", "write"], expiresAtMs: undefined });
  makeDirectory(path.dirname(keyPath));
  await writeFile(keyPath, `${key}\n`, { mode: 0o600 });
  return key;
}
