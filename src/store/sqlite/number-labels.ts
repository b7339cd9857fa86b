import { compareLabels } from "../../model/label.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import { requireNumbers, requireRoom } from "../label-limit.ts";
import { usedLabels } from "../labels.ts";
import type { PointBatch } from "../store.ts";
import type { SqliteFile } from "./file.ts";
import type { LoadTestRow } from "./load-test-rows.ts";

/** Labels that get a number in one write: some milliseconds. */
const LABELS_AT_ONCE = 1000;

/**
 * Endpoint numbers by the indexes of labels in the batch; labels not seen yet get one. Throws
 * `too-many-labels` before any got one where all of a live batch will not find room, so that a flood
 * of such batches leaves nothing behind.
 */
export async function numberLabels(
  file: SqliteFile,
  { number: loadTest, endpoints }: LoadTestRow,
  batch: PointBatch,
): Promise<ReadonlyMap<number, number>> {
  const { reading, writing, queue, labelLimit } = file;
  const used = usedLabels(batch);
  let unknown = unknownOf(used, reading.endpoints.known(loadTest));
  const { loadTestId, visibility } = batch;
  if (visibility === "live" && endpoints + unknown.length > labelLimit.max) {
    // Another process may have numbered some of them, and they may be among the others.
    reading.endpoints.catchUp(loadTest);
    unknown = unknownOf(used, reading.endpoints.known(loadTest));
    requireRoom(labelLimit, loadTestId, { others: endpoints, added: unknown });
  }
  // In the order of labels, as each write numbers its own.
  const sorted = unknown.toSorted(compareLabels);
  for (let from = 0; from < sorted.length; from += LABELS_AT_ONCE) {
    const labels = sorted.slice(from, from + LABELS_AT_ONCE);
    const numbers = await queue.write(() => {
      if (writing.loadTests.get(loadTest) === undefined) throw unknownLoadTest(loadTestId);
      const given = writing.endpoints.number(loadTest, labels);
      const numbered = writing.endpoints.count(loadTest);
      requireNumbers(labelLimit, loadTestId, { numbered, labels });
      return given;
    });
    reading.endpoints.remember(loadTest, numbers);
  }
  const numbers = reading.endpoints.known(loadTest);
  return new Map([...used].map(([index, label]) => [index, numbers.get(label) as number]));
}

function unknownOf(
  used: ReadonlyMap<number, string>,
  known: ReadonlyMap<string, number>,
): readonly string[] {
  const unknown = new Set<string>();
  for (const label of used.values()) if (!known.has(label)) unknown.add(label);
  return [...unknown];
}
