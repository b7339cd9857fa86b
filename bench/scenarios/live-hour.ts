import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { runChild } from "../frame/child.ts";
import type { BenchContext, Candidate, Scenario } from "../frame/scenario.ts";
import { atMost } from "../frame/targets.ts";

const HOUR_SECONDS = 3600;
const THOUSAND = "1 sender of 1,000 endpoints";
const CHILD = path.join(import.meta.dirname, "live-hour-child.ts");

export const liveHour: Scenario = {
  name: "live-hour",
  title: "An hour of live batches: what is written and stored",
  about: `
Batches of one second of each sender, with histograms (14 requests a data point), appended to the store one after the other as fast
as it takes them, each a durable commit of its own as at the pace of a real test, while the clock of the store runs an hour (six
minutes for ten senders). Sealing, and the burial of what is sealed, are in it. Written is what the kernel counts for the
process (\`write_bytes\`); the payload is the data points in the packed form of the store, which no batch could do with
less than; stored is the file in the end, everything included.`,
  columns: [
    { key: "written", title: "written / payload", better: "less" },
    { key: "payload", title: "payload, bytes a point", better: "less" },
    { key: "stored", title: "stored, bytes a point", better: "less" },
    { key: "p50", title: "append: p50, ms", better: "less" },
    { key: "p99", title: "p99, ms", better: "less" },
    { key: "points", title: "points/s", better: "more" },
  ],
  targets: [
    atMost({
      text: "bytes written over an hour / payload",
      isHeadline: true,
      candidate: THOUSAND,
      column: "written",
      limit: 8,
      unit: "x",
    }),
  ],
  candidates: (context) => [
    appending(THOUSAND, [1, 1000, HOUR_SECONDS], context),
    appending("10 senders of 100 endpoints", [10, 100, HOUR_SECONDS / 10], context),
  ],
};

type Shape = readonly [senders: number, endpoints: number, seconds: number];

function appending(
  name: string,
  [senders, endpoints, seconds]: Shape,
  { scratch, isQuick }: BenchContext,
): Candidate {
  const shape = [senders, endpoints, isQuick ? seconds / 60 : seconds];
  return {
    name,
    // What is written and stored is the same in each round, but for the moment of compaction.
    roundsMax: 2,
    open: () => ({
      async measure() {
        const folder = mkdtempSync(path.join(scratch, "hour-"));
        const words = [CHILD, folder, ...shape.map(String)];
        const { out } = await runChild({ program: process.execPath, words });
        rmSync(folder, { recursive: true });
        return { figures: JSON.parse(out) as Record<string, number> };
      },
    }),
  };
}
