import { BOUNDS } from "../../../src/model/histogram.ts";
import type { Points } from "../../../src/store/store.ts";
import { LOAD_TEST_ID } from "../../samples/import-and-read.ts";
import { batchOf, type LabelledSample, published, sample } from "../../support/batches.ts";

const CHECKOUT = "POST /checkout";
const SECOND = 1_795_257_000;

const QUALITY = {
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 2,
  windowSeconds: 1,
  rejectedRows: 0,
} as const;

/**
 * Adds requests without a response time, requests with only an average, and files of earlier programs, which
 * invented distributions.
 */
export async function addWhatIsNotMeasured(points: Points): Promise<void> {
  await addUntimed(points);
  await addAveraged(points);
  const many = Array.from({ length: 12 }, (_, index) => 1000 * 2 ** index);
  await addEarlier(points, "locust-history", times("locust", 0, [1000, 2000]));
  await addEarlier(points, "locust-history", times(CHECKOUT, 3, [3000, 4000]));
  await addEarlier(points, "artillery-json", [
    ...times("artillery 2", 10, [5000, 7000, 9000]),
    ...times("artillery 2", 20, [0, 0]).map((each) => ({ ...each, failed: true })),
  ]);
  await addEarlier(points, "artillery-json", [
    ...times("artillery 1", 30, many),
    ...times("artillery 1", 40, [1000]),
  ]);
  await addEarlier(points, "jmeter-line-protocol", [
    ...times("merged", 50, [1000, 2000]),
    ...times("merged", 60, [4000]),
  ]);
}

function times(label: string, second: number, micros: readonly number[]): LabelledSample[] {
  const name = label === CHECKOUT ? label : `${label} /products`;
  return micros.map((each) => sample(name, SECOND + second, each));
}

/** A second with two untimed requests, and one with a timed and an untimed request. */
async function addUntimed(points: Points): Promise<void> {
  const samples = [...times(CHECKOUT, 70, [0, 0]), ...times(CHECKOUT, 71, [8000])];
  const batch = batchOf(samples, { loadTestId: LOAD_TEST_ID, sourceId: "untimed" });
  const untimed = Float64Array.of(2, 1);
  await points.append({
    ...batch,
    points: {
      ...batch.points,
      requests: Float64Array.of(2, 2),
      untimedRequests: untimed,
      untimedFailedRequests: untimed,
      failedRequests: untimed,
      minMicros: Float64Array.of(BOUNDS.none.min, 8000),
      maxMicros: Float64Array.of(BOUNDS.none.max, 8000),
      bucketsFrom: Uint32Array.of(0, 0, 1),
      bucket: batch.points.bucket.slice(1),
      bucketCount: Float64Array.of(1),
    },
  });
}

async function addAveraged(points: Points): Promise<void> {
  const about = { loadTestId: LOAD_TEST_ID, sourceId: "averaged", visibility: "staged" } as const;
  const batch = batchOf(times("averaged", 80, [1000, 2000]), about);
  await points.append({
    ...batch,
    points: {
      ...batch.points,
      minMicros: Float64Array.of(BOUNDS.unknown.min),
      maxMicros: Float64Array.of(BOUNDS.unknown.max),
      bucketsFrom: Uint32Array.of(0, 0),
      bucket: new Uint16Array(0),
      bucketCount: new Float64Array(0),
    },
  });
  const source = { ...published("averaged", LOAD_TEST_ID), format: "locust-history" };
  await points.publish({ ...source, quality: QUALITY });
}

/** Windows of several requests are 10 s long. */
async function addEarlier(
  points: Points,
  format: string,
  samples: readonly LabelledSample[],
): Promise<void> {
  const sourceId = `earlier ${samples[0]?.label}`;
  const about = { loadTestId: LOAD_TEST_ID, sourceId, visibility: "staged" } as const;
  const batch = batchOf(samples, about);
  const windowSeconds = Uint16Array.from(batch.points.requests, (count) => (count > 1 ? 10 : 1));
  await points.append({ ...batch, points: { ...batch.points, windowSeconds } });
  await points.publish({ ...published(sourceId, LOAD_TEST_ID), format });
}
