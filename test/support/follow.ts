/** Follows a file that the test writes, with a clock that only advances between polls. */

import { FORMATS } from "../../src/decode/formats.ts";
import type { ImportReport } from "../../src/model/import-report.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { followResults } from "../../src/live/follow-results.ts";
import { importResults } from "../../src/import/import-results.ts";
import type { ImportTarget } from "../../src/import/ensure-load-test.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { readFixture } from "../samples/fixtures.ts";
import { stored } from "./batches.ts";
import type { WrittenFile } from "./written-file.ts";

const LOAD_TEST = { id: "run", name: "Run" };
const NOW_MS = 1_800_000_000_000;
export const HEADER = "timeStamp,elapsed,label,success,bytes\n";
export const ROWS = Array.from({ length: 40 }, (_, row) => {
  const second = 1_700_000_000 + Math.floor(row / 4);
  return `${second}250,${100 + row},${row % 3 === 0 ? "pay" : "cart"},${row % 5 !== 0},${row}\n`;
});

/** k6 writes several lines per request; the last of them says whether it failed. */
export const K6 = Buffer.from(
  readFixture("k6-csv/gen-k6-1.8.1-main.csv").subarray(0, 6000),
).toString();

/** Runs at each poll that finds nothing new. After the last step the follower is told to stop. */
export type Step = () => void;

interface Following {
  readonly store?: Store;
  readonly target?: ImportTarget;
  readonly stillMs?: number;
  /** Stops on a signal after the last step, instead of when the file stops growing. */
  readonly isInterrupted?: boolean;
  readonly warned?: string[];
}

/** Follows `file` during the steps and returns the reports. */
export async function follow(
  file: WrittenFile,
  steps: readonly Step[],
  {
    store = openMemoryStore(),
    target = store,
    stillMs = 30_000,
    isInterrupted = true,
    warned,
  }: Following,
): Promise<readonly ImportReport[]> {
  const reports: ImportReport[] = [];
  const interruption = new AbortController();
  const left = [...steps];
  let clockMs = 0;
  await followResults(
    {
      loadTest: LOAD_TEST,
      name: "a.jtl",
      decodeOptions: { timeZone: "UTC" },
      open: async () => file.open(),
      stillMs,
    },
    {
      target,
      formats: FORMATS,
      now: () => NOW_MS,
      clockMs: () => clockMs,
      async wait(ms) {
        clockMs += ms;
        const step = left.shift();
        if (step !== undefined) step();
        else if (isInterrupted) interruption.abort();
      },
      warn: (message) => void warned?.push(message),
      interrupted: interruption.signal,
      report: async (report) => void reports.push(report),
    },
  );
  return reports;
}

export function importWhole(store: ImportTarget, bytes: Uint8Array): Promise<ImportReport> {
  const request = {
    loadTest: LOAD_TEST,
    name: "a.jtl",
    chunks: (async function* chunks() {
      yield bytes;
    })(),
    decodeOptions: { timeZone: "UTC" },
  };
  return importResults(request, { store, formats: FORMATS, decodePoints, now: () => NOW_MS });
}

/** What is stored after a plain import of the same bytes. */
export async function storedByImport(bytes: Uint8Array): Promise<unknown> {
  const store = openMemoryStore();
  await importWhole(store, bytes);
  return stored(store);
}

/** Steps that do nothing, until the last bytes written are due for a batch. */
export const PAUSE: readonly Step[] = Array.from({ length: 6 }, () => () => undefined);
