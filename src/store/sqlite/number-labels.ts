import { compareLabels } from "../../model/label.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import { countedLabels, requireNumbers } from "../label-limit.ts";
import { type NumbersOfLabels, storedLabel, usedIndexes } from "../labels.ts";
import type { PointBatch } from "../store.ts";
import type { SqliteFile } from "./file.ts";
import { requireRoomAhead } from "./label-room.ts";
import type { LoadTestRow } from "./load-test-rows.ts";

/** Labels that get a number in one write: some milliseconds. */
const LABELS_AT_ONCE = 1000;

/**
 * The endpoint numbers of the batch; labels not seen yet get one. Throws
 * `too-many-labels` before any got one where not all of the batch will find room, so that a flood of
 * such batches leaves nothing behind.
 */
export async function numberLabels(
  file: SqliteFile,
  row: LoadTestRow,
  batch: PointBatch,
): Promise<NumbersOfLabels> {
  const { number: loadTest } = row;
  const { reading, writing, queue, labelLimit } = file;
  const used = usedIndexes(batch);
  const table = reading.endpoints.tableOf(loadTest, batch.labels);
  const others = used.filter((index) => !table.knows(index, batch.labels[index]));
  const texts = Array.from(others, (index) => storedLabel(batch, index));
  requireRoomAhead(file, row, batch, texts);
  const unknown = unknownOf(texts, reading.endpoints.known(loadTest));
  // In the order of labels, as each write numbers its own.
  const sorted = unknown.toSorted(compareLabels);
  for (let from = 0; from < sorted.length; from += LABELS_AT_ONCE) {
    const labels = sorted.slice(from, from + LABELS_AT_ONCE);
    const numbers = await queue.write(() => {
      if (writing.loadTests.get(loadTest) === undefined) throw unknownLoadTest(batch.loadTestId);
      const given = writing.endpoints.number(loadTest, labels);
      const known = reading.endpoints.known(loadTest);
      const has = (label: string): boolean => known.has(label) || given.has(label);
      const numbered = countedLabels(writing.endpoints.count(loadTest), has);
      requireNumbers(labelLimit, batch.loadTestId, { numbered, labels: sorted.slice(from) });
      return given;
    });
    reading.endpoints.remember(loadTest, numbers);
  }
  const numbers = reading.endpoints.known(loadTest);
  for (const [at, text] of texts.entries()) {
    const index = others[at] as number;
    table.learn(index, batch.labels[index], numbers.get(text) as number);
  }
  return { used, numbers: table.numbers };
}

function unknownOf(
  labels: readonly string[],
  known: ReadonlyMap<string, number>,
): readonly string[] {
  const unknown = new Set<string>();
  for (const label of labels) if (!known.has(label)) unknown.add(label);
  return [...unknown];
}
