/** The segment of a block of failures (docs/internals/formats/block.md, "Failures"). */

import type { FailureTable } from "../../model/failures.ts";
import { beginSegment, openSegment, closeSegment } from "./envelope.ts";
import { readPacked, writePacked } from "./packed-column.ts";
import { runLengths, runStarts, spreadRuns, startsOf } from "./row-runs.ts";
import { readSeconds, writeSeconds } from "./seconds-column.ts";
import { readText, writeText } from "./directory.ts";

/** Encodes a table returned by `mergeFailures`. */
export function encodeFailures({ kinds, counts }: FailureTable): Uint8Array {
  const { endpoint, kind, second, requests } = counts;
  const stray = requests.find((count) => !(count >= 1 && Number.isSafeInteger(count)));
  if (stray !== undefined) throw new Error(`BUG: ${stray} failures of one kind in one second`);
  const writer = beginSegment("failures");
  writer.varint(kinds.length);
  for (const { code, message } of kinds) {
    writeText(writer, code);
    writeText(writer, message);
  }
  const starts = runStarts(second.length, [endpoint, kind]);
  const gaps = Float64Array.from(starts, (row, run) => {
    const before = run === 0 ? 0 : (endpoint[row - 1] as number);
    return (endpoint[row] as number) - before;
  });
  writer.varint(starts.length);
  writePacked(writer, gaps);
  writePacked(
    writer,
    Float64Array.from(starts, (row) => kind[row] as number),
  );
  writePacked(writer, runLengths(starts, second.length));
  writeSeconds(writer, second, starts);
  writePacked(writer, requests);
  return closeSegment(writer);
}

/** Decodes it. Throws `damaged-store`, `store-too-new`. */
export function decodeFailures(segment: Uint8Array): FailureTable {
  const { reader } = openSegment("failures", segment);
  const kinds = Array.from({ length: reader.varint() }, () => ({
    code: readText(reader),
    message: readText(reader),
  }));
  const runs = reader.varint();
  const endpoints = readPacked(reader, runs);
  for (let run = 1; run < runs; run++) {
    endpoints[run] = (endpoints[run] as number) + (endpoints[run - 1] as number);
  }
  const kindOfRun = readPacked(reader, runs);
  const { starts, rows } = startsOf(readPacked(reader, runs));
  const second = readSeconds(reader, rows, starts);
  const counts = {
    endpoint: spreadRuns(endpoints, starts, rows),
    kind: spreadRuns(kindOfRun, starts, rows),
    second,
    requests: readPacked(reader, rows),
  };
  return { kinds, counts };
}
