import type { ImportTarget } from "../import/ensure-load-test.ts";
import { withoutLabels } from "../import/kept-rows.ts";
import { mergeUsers } from "../model/active-users.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import { TooManyLabels } from "../model/label.ts";
import { NO_FAILURES } from "../model/failures.ts";
import { mergePoints } from "../model/merge-points.ts";
import { addRowQuality } from "../model/quality/row-quality.ts";
import { NO_MEASURES, type UnstoredValues } from "../model/measures/measure-table.ts";
import type { Appended, PointBatch, Points } from "../store/store.ts";

/** For a batch that only says what became of rows. */
export const NO_MEASUREMENTS: MeasurementBatch = {
  labels: [],
  points: mergePoints([]),
  failures: NO_FAILURES,
  users: mergeUsers([]),
};

/** What became of a live batch that is numbered by the digest of its bytes. */
export interface AppendedBatch {
  readonly duplicate: boolean;
  /** Requests that were left out, and why. */
  readonly requests: number;
  readonly refusal: string | undefined;
  /** Of measures. */
  readonly unstored: UnstoredValues;
}

/** Hex digits that number a batch: 52 bits fit a number. */
const SEQUENCE_HEX_DIGITS = 13;

/** The number of a batch by a digest in hex. */
export function sequenceOf(digest: string): number {
  return Number.parseInt(digest.slice(0, SEQUENCE_HEX_DIGITS), 16);
}

/** Appends the rows whose labels fit, and counts the others as rejected, so that a flood of labels does not affect existing ones. Throws what the store throws. */
export async function appendFitting(
  store: ImportTarget,
  batch: PointBatch & MeasurementBatch,
): Promise<AppendedBatch> {
  try {
    const { duplicate, unstored = [] } = await appendOnce(store, batch);
    const { unstored: sent } = batch.measures ?? NO_MEASURES;
    const series = unstored.reduce((sum, { values }) => sum + values, sent.series);
    return { duplicate, requests: 0, refusal: undefined, unstored: { ...sent, series } };
  } catch (error) {
    if (!(error instanceof TooManyLabels)) throw error;
    const { rest, requests } = withoutLabels(batch, error.labels);
    if (requests === 0 && rest.measures === batch.measures) throw error;
    const quality = addRowQuality([batch.quality, { rejectedRows: requests }]);
    const appended = await appendFitting(store, { ...batch, ...rest, quality });
    return { ...appended, requests: appended.requests + requests, refusal: error.message };
  }
}

/** A used number means the same bytes, even if they decoded differently at first: they are a duplicate. */
export async function appendOnce(
  { points }: { readonly points: Pick<Points, "append" | "liveSources"> },
  batch: PointBatch,
): Promise<Appended> {
  try {
    return await points.append(batch);
  } catch (error) {
    const isUsed = error instanceof UserError && error.code === "sequence-reused";
    const live = isUsed ? await points.liveSources(batch.loadTestId) : [];
    if (live.some(({ sourceId }) => sourceId === batch.sourceId)) return { duplicate: true };
    throw error;
  }
}
