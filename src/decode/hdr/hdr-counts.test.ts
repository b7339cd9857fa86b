import { deflateSync } from "node:zlib";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { MeasurementCollector } from "../../import/measurement-collector.ts";
import { hdrLog, readHdrCounts } from "./hdr-log.ts";

/** Version 2, with a count of 1 in each range. */
function filled(ranges: number, digits = 3): string {
  const head = Buffer.alloc(40);
  head.writeUInt32BE(0x1c849313, 0);
  head.writeUInt32BE(ranges, 4);
  head.writeUInt32BE(digits, 12);
  head.writeBigInt64BE(1n, 16);
  const deflated = deflateSync(Buffer.concat([head, Buffer.alloc(ranges, 2)]));
  const outer = Buffer.alloc(8);
  outer.writeUInt32BE(0x1c849314, 0);
  outer.writeUInt32BE(deflated.length, 4);
  return Buffer.concat([outer, deflated]).toString("base64");
}

test("a short line that inflates to millions of values is refused before it fills the memory", () => {
  let ranges = 0;
  readHdrCounts(filled(262_144), () => (ranges += 1));
  expect(ranges).toBe(262_144);
  expect(() => readHdrCounts(filled(262_145), () => {})).toThrow(
    "it has more than 262144 values that differ",
  );
});

test("short lines that inflate to millions of values together take little memory, and all of them count", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const histogram = filled(262_144, 5);
  const lines = Array.from({ length: 20 }, (_, at) => `${at}.000,1.000,0.019,${histogram}\n`);
  const bytes = Buffer.from(`#[Histogram log format version 1.3]\n${lines.join("")}`);
  expect(bytes.length).toBeLessThan(16_000);
  const collector = new MeasurementCollector();
  const decoder = hdrLog.open(collector, { timeZone: "UTC", valueUnit: "us" });
  collect();
  const before = process.memoryUsage().heapUsed;
  decoder.push(bytes);
  collect();
  // Took 335 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  decoder.end();
  const points = collector.flush(decoder)?.points;
  expect(points?.requests).toEqual(new Float64Array(20).fill(262_144));
  const counted = points?.bucketCount.reduce((sum, count) => sum + count, 0);
  expect(counted).toBe(20 * 262_144);
});
