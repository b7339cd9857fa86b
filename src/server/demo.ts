import { hash, randomBytes } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ServeRequest, CommandContext } from "../cli/command-context.ts";
import { openThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import { BASELINE_TAG } from "../catalogue/baseline.ts";
import type { TakeLink } from "../http/routes/access/sign-in.ts";
import { makeDirectory } from "../data-directory/directory.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import { samplesOf } from "../import/decode-settings.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import type { Store } from "../store/store.ts";

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
  /** Folder of the recordings. */
  readonly folder: string;
}

const NAME = "Web shop";

/** In order of their starts; the last one is slower at one endpoint. */
const RECORDINGS = [
  { id: "demo-1", file: "shop-1.jtl.gz" },
  { id: "demo-2", file: "shop-2.jtl.gz" },
  { id: "demo-3", file: "shop-3.jtl.gz" },
  { id: "demo-4", file: "shop-4.jtl.gz" },
  { id: "demo-5", file: "shop-5.jtl.gz" },
  { id: "demo", file: "shop.jtl.gz" },
] as const;

const SHOWN = "demo";

const THRESHOLDS = { thresholds: [{ failIf: ["errors > 5%", "each: p95 grows > 10%"] }] };
const KEY_FILE = "demo-key";

/**
 * Imports the demo runs with thresholds and a baseline, and creates their key, unless an earlier start did; `undefined` if none
 * are asked for. A file that only its owner can read has the key.
 */
export async function bringDemo({
  store,
  keyRing,
  context,
  request,
  folder,
}: DemoDependencies): Promise<Demo | undefined> {
  if (!request.isDemo) return undefined;
  let isNew = false;
  for (const { id, file } of RECORDINGS) {
    const recording = path.join(folder, file);
    const { alreadyImported } = await context.imports.importResults(store, {
      loadTest: { id, name: NAME },
      name: file,
      sizeBytes: statSync(recording).size,
      chunks: createReadStream(recording),
      decodeOptions: {
        timeZone: "UTC",
        samples: samplesOf(request.http.sampleBytesMax ?? SAMPLE_BYTES_DEFAULT, undefined),
      },
    });
    isNew ||= !alreadyImported;
  }
  if (isNew) {
    await openThresholdsByName(store.thresholds, context.now).keep(NAME, THRESHOLDS);
    await store.loadTests.update(RECORDINGS[0].id, { addedTags: [BASELINE_TAG] });
    // They are judged at once: nothing more will come.
    const finishedAtMs = context.now();
    for (const { id } of RECORDINGS) await store.loadTests.update(id, { finishedAtMs });
  }
  const keyPath = path.join(request.directory, KEY_FILE);
  const key = (await usableKey(keyPath, keyRing)) ?? (await makeKey(keyPath, keyRing, context));
  const link = isLoopback(request.http.host) ? createLink(key) : undefined;
  return { loadTestId: SHOWN, key, keyFile: keyPath, link };
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
      return { key, path: `/t/${SHOWN}` };
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
