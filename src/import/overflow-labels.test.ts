import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  batchOf,
  expectedSeries,
  type LabelledSample,
  published,
  sample,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../test/support/batches.ts";
import { failuresIn } from "../../test/support/details.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { failureTable } from "../../test/support/plain-details.ts";
import { pointsOf } from "../../test/support/plain-points.ts";
import { UserError } from "../model/errors.ts";
import type { Role } from "../model/role.ts";
import { reportedPercentiles, rowsOf } from "../model/reported-percentiles.ts";
import { TooManyLabels } from "../model/label.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { overflowNote, OverflowLabels } from "./overflow-labels.ts";
import { randomCases } from "../../test/support/random-cases.ts";

/** In source order. */
const LABELS = ["f", "a", "e", "b", "d", "c", "t1", "t2", "(other)", "s"];
const ROLES: readonly Role[] = LABELS.map((label) => {
  if (label.startsWith("t")) return "transaction";
  return label === "s" ? "subresult" : "request";
});
const OTHER_OF = { transaction: "(other transactions)", subresult: "(other sub-results)" } as const;

function otherOf(label: string): string {
  const role = ROLES[LABELS.indexOf(label)];
  return role === "transaction" || role === "subresult" ? OTHER_OF[role] : "(other)";
}

async function openLimited(max: number): Promise<Store> {
  const store = openMemoryStore({ labelLimit: { max } });
  await store.loadTests.create(loadTest("run"));
  return store;
}

function partOf(samples: readonly LabelledSample[], labels = LABELS) {
  const points = pointsOf(
    samples.map((each) => ({ ...each, endpoint: labels.indexOf(each.label) })),
  );
  return { labels, roles: ROLES, points, failures: failureTable([]) };
}

const anySample: fc.Arbitrary<LabelledSample> = fc.record({
  label: fc.constantFrom(...LABELS),
  second: fc.integer({ min: 1, max: 3 }),
  elapsedMicros: fc.nat({ max: 5_000_000 }),
  receivedBytes: fc.nat({ max: 1000 }),
  failed: fc.boolean(),
});

/** Returns the expected contents: in each batch, the first labels get the remaining room. */
function placed(
  stretches: readonly (readonly LabelledSample[])[],
  there: readonly string[],
  max: number,
): LabelledSample[] {
  const kept = new Set(there);
  return stretches.flatMap((samples) => {
    const used = LABELS.filter((label) => samples.some((each) => each.label === label));
    for (const label of used) if (kept.size < max && label !== "(other)") kept.add(label);
    return samples.map((each) =>
      kept.has(each.label) ? each : { ...each, label: otherOf(each.label) },
    );
  });
}

test.each(["live", "staged"] as const)(
  "labels over the limit count under (other), and all others are unchanged: %s",
  async (visibility) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anySample, { maxLength: 8 }), { maxLength: 5 }),
        fc.subarray(["a", "t1", "z"]),
        fc.integer({ min: 3, max: 9 }),
        async (stretches, there, max) => {
          const store = await openLimited(max);
          const before = there.map((label) => sample(label, 1));
          await store.points.append(batchOf(before, { sourceId: "before" }));
          const overflow = new OverflowLabels();
          for (const [sequence, samples] of stretches.entries()) {
            const about = { loadTestId: "run", sourceId: "file", visibility, sequence };
            await overflow.append(partOf(samples), (part) =>
              store.points.append({ ...about, ...part }),
            );
          }
          if (visibility === "staged") await store.points.publish(published("file"));
          const expected = placed(stretches, there, max);
          expect(await stored(store)).toEqual(expectedSeries([...before, ...expected]));
          const moved = expected.filter(({ label }, at) => label !== stretches.flat()[at]?.label);
          expect(overflow.report()?.requests ?? 0).toBe(moved.length);
          const used = new Set(stretches.flat().map(({ label }) => label));
          const endpoints = new Set(expected.map(({ label }) => label));
          expect(used.size - overflow.endpointsFewer).toBe(endpoints.size);
        },
      ),
      { numRuns: randomCases(200) },
    );
  },
);

test("reported percentiles stay with their labels; those of labels that are merged are dropped", async () => {
  const store = await openLimited(2);
  const samples = ["f", "a", "e"].map((label) => sample(label, 1));
  const reported = reportedPercentiles(
    [undefined, 0, 1, 2].map((label) => ({
      label,
      window: undefined,
      percentiles: [[1, label ?? 9]],
    })),
  );
  const found: unknown[] = [];
  await new OverflowLabels().append({ ...partOf(samples), reported }, async (part) => {
    const about = { loadTestId: "run", sourceId: "file", visibility: "live", sequence: 0 } as const;
    await store.points.append({ ...about, ...part });
    for (const { endpoint, micros } of rowsOf(part.reported)) {
      found.push([part.labels[endpoint - 1], micros]);
    }
  });
  expect(found).toEqual([
    [undefined, 9],
    ["f", 0],
    ["a", 1],
  ]);
});

test("reported percentiles of a label over the limit are dropped, also if the label has no requests in the batch", async () => {
  const store = await openLimited(1);
  await store.points.append(batchOf([sample("a", 1)]));
  const window = { second: 1, windowSeconds: 1 };
  const reported = reportedPercentiles(
    [0, 1].map((label) => ({ label, window, percentiles: [[0.95, 1000]] as const })),
  );
  const given = { ...partOf([sample("a", 2)], ["a", "b"]), roles: undefined, reported };
  const kept: unknown[] = [];
  await new OverflowLabels().append(given, async (part) => {
    await store.points.append({ ...batchOf([], { sequence: 1 }), ...part });
    kept.push(
      ...rowsOf(part.reported ?? reported).map(({ endpoint }) => part.labels[endpoint - 1]),
    );
  });
  expect(kept).toEqual(["a"]);
});

test("labels over the limit of the source go to its (other) labels", async () => {
  const store = await openLimited(9);
  // The source's own `(other)` does not count.
  const overflow = new OverflowLabels({ labelsMax: 1 });
  const about = { loadTestId: "run", sourceId: "file", visibility: "live" } as const;
  const labels = ["(other)", "x", "(other)", "(other transactions)"];
  const endpoints = [0, 1, 2, 2, 3];
  const points = pointsOf(
    endpoints.map((endpoint) => ({ ...sample("", 1), endpoint, elapsedMicros: endpoint })),
  );
  const roles: readonly Role[] = ["request", "request", "request", "transaction"];
  const part = { labels, roles, points, failures: failureTable([]) };
  await overflow.append(part, (fitting) =>
    store.points.append({ ...about, sequence: 0, ...fitting }),
  );
  expect(await stored(store)).toEqual(
    expectedSeries([
      sample("(other)", 1, 0),
      sample("(other)", 1, 2),
      sample("(other)", 1, 2),
      sample("(other transactions)", 1, 3),
      sample("x", 1, 1),
    ]),
  );
  const snapshot = await snapshotOf(store);
  expect((await endpointsOf(snapshot)).map(({ role }) => role)).toEqual([
    "transaction",
    undefined,
    undefined,
  ]);
  expect(overflow.report()).toEqual({ requests: 3, labels: undefined, labelsMax: 1 });
  expect(overflow.endpointsFewer).toBe(1);
});

test("(other) has at most 100 failure kinds, however many labels it contains", async () => {
  const store = await openLimited(1);
  const labels = Array.from({ length: 300 }, (_, label) => `label ${label}`);
  const overflow = new OverflowLabels();
  for (const sequence of [0, 1]) {
    const failures = failureTable(
      labels.map((_, endpoint) => ({
        endpoint,
        code: "500",
        message: `${endpoint}`,
        second: 1,
        requests: 1,
      })),
    );
    const points = pointsOf(
      labels.map((_, endpoint) => ({ ...sample("", 1), endpoint, failed: true })),
    );
    const about = { loadTestId: "run", sourceId: "file", visibility: "live", sequence } as const;
    await overflow.append({ labels, points, failures }, (part) =>
      store.points.append({ ...about, ...part }),
    );
  }
  const [other, kept] = await failuresIn(await snapshotOf(store));
  expect(kept).toEqual({ label: "label 0", rows: [["500", "0", 1, 2]] });
  expect(other?.rows).toHaveLength(101);
  expect(other?.rows).toContainEqual(["", "(other)", 1, 2 * 199]);
  expect(other?.rows.reduce((sum, [, , , requests]) => sum + requests, 0)).toBe(2 * 299);
});

test("a refusal that names no label of the batch is passed on", async () => {
  const refusal = new TooManyLabels(["somebody else's"], 3, "too many");
  const overflow = new OverflowLabels();
  const part = partOf([sample("a", 1)]);
  await expect(overflow.append(part, () => Promise.reject(refusal))).rejects.toBe(refusal);
  const full = new UserError("storage-full", "full");
  await expect(overflow.append(part, () => Promise.reject(full))).rejects.toBe(full);
  expect(overflow.report()).toBeUndefined();
});

test.each([
  [
    { requests: 12_345, labels: 67, labelsMax: 1_000_000 },
    "12,345 requests of 67 labels beyond the 1,000,000 that a load test may have (--labels-max) count under (other)",
  ],
  [
    { requests: 1, labels: 1, labelsMax: 3 },
    "1 request of 1 label beyond the 3 that a load test may have (--labels-max) counts under (other)",
  ],
  [
    { requests: 2000, labels: undefined, labelsMax: 3 },
    "2,000 requests of labels beyond the 3 that a load test may have (--labels-max) count under (other)",
  ],
])("the note states requests and labels: %o", (other, note) => {
  expect(overflowNote(other)).toBe(note);
});
