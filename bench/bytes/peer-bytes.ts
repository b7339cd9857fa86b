/** What peers take for the same points, histogram included. */

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { DataPoints } from "../../src/model/data-points.ts";
import type { BenchContext } from "../frame/scenario.ts";
import { writeLines } from "../reads/write-lines.ts";
import { startInfluxDb } from "../servers/influxdb.ts";
import type { PointSet } from "./point-sets.ts";

/** InfluxDB 1: a field for each column, the histogram as text; after all of it was compacted. */
export async function influxDbBytes(set: PointSet, { scratch }: BenchContext): Promise<number> {
  const folder = path.join(scratch, `influxdb-${set.name}`);
  const { url, stop } = await startInfluxDb(folder, {
    INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION: "1s",
    INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION: "1s",
  });
  try {
    for (const body of influxLines(set)) {
      await writeLines(`${url}/write?db=bench&precision=s`, body);
    }
    return await settledBytes(path.join(folder, "data"), path.join(folder, "wal"));
  } finally {
    await stop();
  }
}

const SUMS = [
  "requests",
  "elapsedMicros",
  "receivedBytes",
  "failedRequests",
  "failedElapsedMicros",
  "failedReceivedBytes",
  "minMicros",
  "maxMicros",
] as const;

const LINES_AT_ONCE = 5000;

function* influxLines({ labels, batches }: PointSet): Generator<string> {
  let lines: string[] = [];
  for (const points of batches) {
    for (let point = 0; point < points.second.length; point++) {
      const fields = SUMS.map((name) => `${name}=${points[name][point]}i`).join(",");
      const { bucket, count } = bucketsOf(points, point);
      const histogram = Array.from(bucket, (each, index) => `${each}:${count[index]}`).join(" ");
      const label = (labels[points.endpoint[point] as number] as string).replaceAll(
        /[ ,=]/g,
        (special) => `\\${special}`,
      );
      lines.push(
        `points,endpoint=${label} ${fields},histogram="${histogram}" ${points.second[point]}`,
      );
      if (lines.length < LINES_AT_ONCE) continue;
      yield lines.join("\n");
      lines = [];
    }
  }
  yield lines.join("\n");
}

function bucketsOf(points: DataPoints, point: number) {
  const [from, until] = [points.bucketsFrom[point], points.bucketsFrom[point + 1]];
  return {
    bucket: points.bucket.subarray(from, until),
    count: points.bucketCount.subarray(from, until),
  };
}

const LOOK_EVERY_MS = 1000;
const LOOKS_THE_SAME = 8;
const LOOKS_AT_MOST = 60;

/** Bytes of `data` once its log is empty and nothing changes any more. */
async function settledBytes(data: string, log: string): Promise<number> {
  let [bytes, same] = [0, 0];
  for (let look = 0; look < LOOKS_AT_MOST && same < LOOKS_THE_SAME; look++) {
    await delay(LOOK_EVERY_MS);
    const now = bytesBelow(data);
    same = now === bytes && bytesBelow(log) === 0 ? same + 1 : 0;
    bytes = now;
  }
  return bytes;
}

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + takenBytes(path.join(parentPath, name)), 0);
}

/** On the disk: some files are made long before they are full. */
function takenBytes(file: string): number {
  const { blocks, size } = statSync(file);
  return Math.min(size, blocks * 512);
}
