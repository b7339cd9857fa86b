import {
  storedFailures,
  storedReported,
  storedUsers,
  type FittingMeasures,
  fittingMeasures,
  storedMeasures,
  storedRoles,
} from "../stored-details.ts";
import type { Appended, PointBatch } from "../store.ts";
import { type BatchContents, digestOf } from "../batch-digest.ts";
import { bytesIn, type EncodedBlock } from "./blocks/block-rows.ts";
import { encodeBatch } from "./blocks/encode-blocks.ts";
import type { SqliteFile } from "./file.ts";
import type { LoadTestRow } from "./catalogue/load-test-rows.ts";
import { type LabelNumbering, numberingOf, numberLabels } from "./endpoints/number-labels.ts";
import { numberPoints } from "../numbered-points.ts";
import { isLarge } from "./compaction/compaction-plan.ts";
import { type Tally, tallyOf } from "./catalogue/tally.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import type { MeasureTable } from "../../model/measures/measure-table.ts";
import { namedRequests } from "../../model/point-facts.ts";
import { addMeasurements, addRowQuality } from "../../model/quality/row-quality.ts";
import { keyOfSeries } from "../../model/measures/merge-measures.ts";

/** Batches with fewer points per endpoint make blocks that cost more than their content. */
const SPARSE_POINTS = 64;

export interface PreparedBatch {
  readonly batch: PointBatch;
  readonly left: Omit<Appended, "duplicate">;
  readonly loadTest: number;
  readonly contents: BatchContents;
  readonly digest: Uint8Array;
  readonly tally: Tally;
  readonly blocks: readonly EncodedBlock[];
  readonly bytes: number;
  /** Initial level of its blocks; `undefined` if final. */
  readonly level: 0 | undefined;
}

/** Does the work that needs no lock: numbering, which batches may share, and encoding. */
export function prepareBatch(
  file: SqliteFile,
  row: LoadTestRow,
  batch: PointBatch,
): Promise<PreparedBatch> {
  return prepareNumbered(batch, {
    loadTest: row.number,
    numbering: numberingOf(file, row, batch),
    roomForMeasures: (measures) => roomForMeasures(file, row, measures),
  });
}

interface BatchPlace {
  readonly loadTest: number;
  readonly numbering: LabelNumbering;
  /** Returns what fits into the limit of series, whose places are taken from then on. */
  readonly roomForMeasures: (measures: MeasureTable) => Promise<Room>;
}

export type Room = Omit<FittingMeasures, "added">;

export async function prepareNumbered(
  batch: PointBatch,
  { loadTest, numbering, roomForMeasures: roomFor }: BatchPlace,
): Promise<PreparedBatch> {
  const numbers = await numberLabels(batch, numbering);
  const contents = {
    points: numberPoints(batch.points, numbers.numbers),
    failures: storedFailures(batch, numbers),
    users: storedUsers(batch),
    roles: storedRoles(batch, numbers),
    reported: storedReported(batch, numbers),
    measures: storedMeasures(batch, numbers),
  };
  const { measures, unstored = [] } = await roomFor(contents.measures);
  const { merged } = numbers;
  const otherFacets = addMeasurements(
    merged?.size ? namedRequests(batch.points, (label) => merged.get(label)) : [],
  );
  const { columns, runs } = contents.points;
  // A live batch usually has few seconds per endpoint, to be compacted later.
  const isToCompact =
    batch.visibility === "live" && !isLarge(columns.second.length, runs.endpoint.length);
  // So does a staged batch with very many endpoints.
  const isSparse = columns.second.length < SPARSE_POINTS * runs.endpoint.length;
  const blocks = await encodeBatch(
    { ...contents, measures },
    {
      sourceId: batch.sourceId,
      arrangement: isToCompact || (batch.visibility === "staged" && isSparse) ? "mixed" : "grouped",
    },
  );
  const bytes = blocks.reduce((sum, { segments }) => sum + bytesIn(segments), 0);
  const tally = tallyOf({ ...contents, measures }, blocks.length);
  const digest = digestOf(contents);
  // Publishing decides which blocks of a staged source stay.
  const level = isToCompact || batch.visibility === "staged" ? 0 : undefined;
  const quality = addRowQuality([batch.quality, { unreadValues: unstored, otherFacets }]);
  return {
    batch: { ...batch, quality },
    left: {
      ...(unstored.length > 0 && { unstored }),
      ...(otherFacets.length > 0 && { otherFacets }),
    },
    loadTest,
    contents,
    digest,
    tally,
    blocks,
    bytes,
    level,
  };
}

/** Returns what fits into the limit of series, whose places are taken from then on. */
async function roomForMeasures(
  { reading, writing, queue }: SqliteFile,
  { number, id }: LoadTestRow,
  measures: MeasureTable,
): Promise<Room> {
  const keys = measures.series.map(keyOfSeries);
  if (reading.measureSeries.knowsAll(number, keys)) return { measures };
  const fitting = await queue.write(() => {
    if (writing.loadTests.get(number) === undefined) throw unknownLoadTest(id);
    const taken = fittingMeasures(measures, writing.measureSeries.keys(number));
    writing.measureSeries.add(number, taken.added);
    return taken;
  });
  reading.measureSeries.learn(number, fitting.added);
  return fitting;
}
