/** Imports a file and checks thresholds that it fails, with and without damage. */

import { checkThresholds } from "../../src/analysis/thresholds/check-thresholds.ts";
import { openStoreReader } from "../../src/analysis/load-test-reader.ts";
import { failsCheck, type Limit } from "../../src/analysis/check/limit.ts";
import { isMistake, parseLimit } from "../../src/analysis/check/parse-limit.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { importResults } from "../../src/import/import-results.ts";
import { UserError } from "../../src/model/errors.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { DAMAGES, damagedFile, FORMATS_DAMAGED } from "./damaged-rows.ts";

/** Of 200 requests, 10 fail after 5 s; the others take 0.1 s. So the loss of one passes most of them. */
const LIMITS = [
  "errors > 4.9%",
  "errors > 9",
  "requests > 199",
  "p96 > 1s",
  "max > 1s",
  "avg > 345ms",
];

const limits = LIMITS.map((text): Limit => {
  const limit = parseLimit(text);
  if (isMistake(limit)) throw new Error(limit.message);
  return limit;
});

/** The limits that pass; `undefined` if the file is refused. Throws what is no `UserError`. */
async function passedBy(bytes: Uint8Array, format: string): Promise<readonly string[] | undefined> {
  const store = openMemoryStore();
  const request = {
    loadTest: { id: "run", name: "run" },
    name: "damaged",
    format,
    chunks: (async function* chunks() {
      yield bytes;
    })(),
    decodeOptions: { timeZone: "UTC" },
  };
  try {
    await importResults(request, { store, formats: FORMATS, decodePoints, now: () => 0 });
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
  const part = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const later = { ...part, skipStartSeconds: 0, skipEndSeconds: 0 };
  const passed: string[] = [];
  const query = { later, base: undefined, history: undefined, limits };
  await checkThresholds(openStoreReader(store), query, (checked) => {
    if (!failsCheck(checked)) passed.push(checked.limit.text);
  });
  return passed;
}

export interface Complaint {
  readonly seed: number;
  readonly format: string;
  readonly damage: string;
  readonly passed: readonly string[];
}

/** Checks `files` damaged files, one of each format and kind after the other. Yields what passes although the whole file fails it. */
export async function* checkDamaged(seed: number, files: number): AsyncGenerator<Complaint> {
  const kinds = Object.entries(DAMAGES);
  for (let file = 0; file < files; file++) {
    const format = FORMATS_DAMAGED[file % FORMATS_DAMAGED.length];
    const [damage, change] = kinds[Math.floor(file / FORMATS_DAMAGED.length) % kinds.length] ?? [];
    if (format === undefined || damage === undefined || change === undefined) continue;
    const own = seed + file;
    const { whole, damaged } = damagedFile(format, change, own);
    const before = await passedBy(whole, format.name);
    if (before === undefined || before.length > 0) {
      throw new Error(`BUG: the whole file of ${format.name} passes ${before?.join(", ")}`);
    }
    const passed = await passedBy(damaged, format.name);
    if (passed !== undefined && passed.length > 0) {
      yield { seed: own, format: format.name, damage, passed };
    }
  }
}
