import { expect, test } from "vitest";
import { decodeNative } from "./native-reader.ts";
import { NativeBlockWriter } from "./native-writer.ts";
import { plainColumns } from "../read/point-columns.ts";
import { POINT_SUMS } from "../schema/names.ts";
import { narrowTypesIn } from "../compaction/compaction-queries.ts";

function extent(most: readonly bigint[]) {
  const block = new NativeBlockWriter();
  for (const [at, name] of POINT_SUMS.entries()) {
    block.unsigned64(`a_most_${name}`).appendBigints(BigUint64Array.of(most[at] ?? 0n));
  }
  return decodeNative(Buffer.concat(block.finish()));
}

test("a column is requested in the smallest type that holds its largest number", () => {
  const most = [255n, 256n, 2n ** 16n - 1n, 2n ** 16n, 2n ** 32n - 1n, 2n ** 32n];
  const narrow = narrowTypesIn(extent(most));
  expect(POINT_SUMS.map((name) => narrow.get(name))).toEqual([
    "UInt8",
    "UInt16",
    "UInt16",
    "UInt32",
    "UInt32",
    undefined,
    "UInt8",
    "UInt8",
  ]);
  expect(plainColumns("sums", narrow)).toBe(
    "toUInt8(requests) AS a_requests, toUInt16(elapsed_micros) AS a_elapsed_micros, " +
      "toUInt16(received_bytes) AS a_received_bytes, toUInt32(failed_requests) AS a_failed_requests, " +
      "toUInt32(failed_elapsed_micros) AS a_failed_elapsed_micros, " +
      "failed_received_bytes AS a_failed_received_bytes, " +
      "toUInt8(untimed_requests) AS a_untimed_requests, " +
      "toUInt8(untimed_failed_requests) AS a_untimed_failed_requests, window_seconds AS a_window_seconds",
  );
});
