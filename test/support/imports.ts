/** Imports small files into a load test. */

import type { LabelChoice } from "../../src/decode/decoder.ts";
import { heyCsv } from "../../src/decode/tables/hey-oha-ab.ts";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import type { ImportReport } from "../../src/model/import-report.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { decodeFile, decodePoints } from "../../src/import/decode-points.ts";
import { type ImportRequest, importResults } from "../../src/import/import-results.ts";
import type { Store } from "../../src/store/store.ts";
import { endpointsOf } from "./batches.ts";

export const HEADER = "timeStamp,elapsed,label,success,bytes\n";
export const FIRST = "1700000000000,100,cart,true,10\n1700000001000,300,cart,false,30\n";
export const SECOND = "1700000001500,200,pay,true,20\n1700000001900,500,cart,true,50\n";

/** In chunks of 7 bytes. */
export async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.slice(at, at + 7);
}

/** Imports `a.jtl` into the load test `run`. */
export function importInto(
  store: Store,
  content: string | Uint8Array,
  options: {
    chunks?: AsyncIterable<Uint8Array>;
    format?: string;
    startedAtMs?: number;
    isEmptyAllowed?: true;
    encoding?: string;
    timestampFormat?: string;
    choice?: LabelChoice;
    keep?: ImportRequest["keep"];
    file?: ImportRequest["file"];
    isOnlyNew?: boolean;
    id?: string;
  } = {},
): Promise<ImportReport> {
  const { chunks = inChunks(Buffer.from(content)), format, isEmptyAllowed, ...others } = options;
  const { keep, file, isOnlyNew, id = "run", ...decoding } = others;
  const request = {
    loadTest: { id, name: "Run" },
    name: "a.jtl",
    chunks,
    format,
    isEmptyAllowed,
    keep,
    file,
    isOnlyNew,
    decodeOptions: { timeZone: "UTC", ...decoding },
  };
  return importResults(request, {
    store,
    formats: [jmeterCsv, heyCsv],
    decodePoints,
    decodeFile,
    now: () => 1_800_000_000_000,
  });
}

/** Requests and failures that readers see, by `label second`. */
export async function seen(store: Store): Promise<Record<string, string>> {
  const snapshot = await store.points.snapshot("run");
  if (snapshot === undefined) return {};
  const points: Record<string, string> = {};
  for await (const { endpoint, columns } of snapshot.read(
    await endpointsOf(snapshot),
    ALL_SECONDS,
    "sums",
  )) {
    for (const [at, second] of columns.second.entries()) {
      points[`${endpoint.label} ${second}`] =
        `${columns.requests[at]} requests, ${columns.failedRequests[at]} failed`;
    }
  }
  snapshot.release();
  return points;
}
