import { expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import {
  batchOf,
  type LabelledSample,
  published,
  requestsByLabel,
  sample,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

/** A sample per label. */
function of(...labels: readonly string[]): LabelledSample[] {
  return labels.map((label) => sample(label, 1));
}

async function labelsOf(store: Store): Promise<string[]> {
  return (await requestsByLabel(store)).map(([label]) => label);
}

export function labelLimitConforms(open: OpenEmptyStore): void {
  /** A store with the load test `run`, and how often it reported that it is nearly full. */
  async function openLimited(max: number) {
    const told: [string, number][] = [];
    const nearlyFull = (id: string, labels: number): void => void told.push([id, labels]);
    const store = await open({ labelLimit: { max, nearlyFull } });
    await store.loadTests.create(loadTest("run"));
    return { store, told };
  }

  test("a batch that would bring one label too many is refused whole, and names it", async () => {
    const { store } = await openLimited(3);
    await store.points.append(batchOf(of("a", "b")));
    const late = batchOf(of("d", "a", "c"), { sequence: 1 });
    await expect(store.points.append(late)).rejects.toMatchObject({
      code: "too-many-labels",
      labels: ["c"],
      message: expect.stringMatching(/label "c" into load test "run".* 3 labels .*labelsMax/),
    });
    expect(await requestsByLabel(store)).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  test("a load test that is full takes more of the labels it has, and others do not notice", async () => {
    const { store } = await openLimited(2);
    await store.loadTests.create(loadTest("other"));
    await store.points.append(batchOf(of("a", "b")));
    await expect(store.points.append(batchOf(of("c"), { sequence: 1 }))).rejects.toThrow("labels");
    await store.points.append(batchOf(of("b", "a"), { sequence: 1 }));
    await store.points.append(batchOf(of("x", "y"), { loadTestId: "other" }));
    expect(await requestsByLabel(store)).toEqual([
      ["a", 2],
      ["b", 2],
    ]);
    expect(await requestsByLabel(store, "other")).toHaveLength(2);
  });

  test("a batch that is there already is a duplicate, however full the load test is", async () => {
    const { store } = await openLimited(2);
    const batch = batchOf(of("a", "b"));
    await store.points.append(batch);
    expect(await store.points.append(batch)).toEqual({ duplicate: true });
  });

  test("sixteen senders at once fill it to the last label and no further", async () => {
    const { store } = await openLimited(100);
    const batches = Array.from({ length: 16 }, (_, sender) =>
      Array.from({ length: 5 }, (__, sequence) => {
        const labels = Array.from({ length: 5 }, (___, n) => `${sender} ${sequence} ${n}`);
        return batchOf(of("common", ...labels), { sourceId: `s${sender}`, sequence });
      }),
    );
    const outcomes = await Promise.allSettled(
      batches.flat().map((batch) => store.points.append(batch)),
    );
    const taken = outcomes.filter(({ status }) => status === "fulfilled").length;
    // 19 times five labels and the common one are 96: five more do not fit.
    expect(taken).toBe(19);
    expect(await labelsOf(store)).toHaveLength(96);
    const reasons = outcomes.flatMap((each) => (each.status === "rejected" ? each.reason : []));
    expect(new Set(reasons.map(({ code }) => code as string))).toEqual(
      new Set(["too-many-labels"]),
    );
    const last = batchOf(of("1", "2", "3", "4"), { sourceId: "last" });
    await store.points.append(last);
    expect(await labelsOf(store)).toHaveLength(100);
  });

  test("a flood that is refused leaves room for who comes later", async () => {
    const { store } = await openLimited(10);
    await store.points.append(batchOf(of("a")));
    for (let sequence = 1; sequence < 20; sequence++) {
      const flood = Array.from({ length: 15 }, (_, n) => `${sequence} ${n}`);
      const batch = batchOf(of(...flood), { sequence });
      await expect(store.points.append(batch)).rejects.toMatchObject({ code: "too-many-labels" });
    }
    const rest = Array.from({ length: 9 }, (_, n) => `late ${n}`);
    await store.points.append(batchOf(of(...rest), { sequence: 1 }));
    expect(await labelsOf(store)).toHaveLength(10);
  });

  test("a staged source with too many labels is refused as soon as it has them", async () => {
    const { store } = await openLimited(3);
    const about = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append(batchOf(of("a", "b"), about));
    const more = batchOf(of("c", "d"), { ...about, sequence: 1 });
    await expect(store.points.append(more)).rejects.toMatchObject({ code: "too-many-labels" });
  });

  test("a staged source is refused labels for which there is no room beside what is visible", async () => {
    const { store } = await openLimited(4);
    await store.points.append(batchOf(of("a", "b")));
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append(batchOf(of("z", "b"), staged));
    const late = batchOf(of("y", "a", "x", "z", "w"), { ...staged, sequence: 1 });
    await expect(store.points.append(late)).rejects.toMatchObject({
      code: "too-many-labels",
      labels: ["x", "w"],
    });
    await store.points.append(batchOf(of("y", "a", "z"), { ...staged, sequence: 1 }));
    expect(await store.points.publish(published("file"))).toEqual({ duplicate: false });
    expect(await labelsOf(store)).toEqual(["a", "b", "y", "z"]);
  });

  test("labels that were numbered for an import that failed find room as others do", async () => {
    const { store } = await openLimited(3);
    const staged = { sourceId: "failed", visibility: "staged" } as const;
    await store.points.append(batchOf(of("x", "y", "z"), staged));
    await store.points.discard("run", "failed");
    await store.points.append(batchOf(of("a", "b")));
    const again = { ...staged, sourceId: "again" };
    await expect(store.points.append(batchOf(of("z", "c", "y"), again))).rejects.toMatchObject({
      labels: ["c", "y"],
    });
    await store.points.append(batchOf(of("z"), again));
  });

  test("of two staged sources that were staged at once, the one is not shown that would be too much", async () => {
    const { store } = await openLimited(3);
    const staged = { visibility: "staged" } as const;
    await store.points.append(batchOf(of("a", "b"), { ...staged, sourceId: "one" }));
    await store.points.append(batchOf(of("b", "c", "d"), { ...staged, sourceId: "two" }));
    await store.points.publish(published("one"));
    await expect(store.points.publish(published("two"))).rejects.toMatchObject({
      code: "too-many-labels",
      labels: ["d"],
    });
    expect(await labelsOf(store)).toEqual(["a", "b"]);
    await store.points.withdraw("run", "one");
    expect(await store.points.publish(published("two"))).toEqual({ duplicate: false });
    expect(await labelsOf(store)).toEqual(["b", "c", "d"]);
  });

  test.each(["live", "staged"] as const)(
    "the labels of what there is no room for never count: %s",
    async (visibility) => {
      const { store } = await openLimited(2);
      const others = ["(other)", "(other transactions)", "(other sub-results)"];
      const about = { sourceId: "one", visibility };
      await store.points.append(batchOf(of("a", ...others), about));
      await expect(
        store.points.append(batchOf(of("b", "c", "(other)"), { ...about, sequence: 1 })),
      ).rejects.toMatchObject({ labels: ["c"] });
      await store.points.append(batchOf(of("b", "(other)"), { ...about, sequence: 1 }));
      if (visibility === "staged") await store.points.publish(published("one"));
      await store.points.append(batchOf(of("a", "(other)"), { sourceId: "two" }));
      await expect(
        store.points.append(batchOf(of("c"), { sourceId: "three" })),
      ).rejects.toMatchObject({ labels: ["c"] });
      const staged = { sourceId: "four", visibility: "staged" } as const;
      await store.points.append(batchOf(of("b", ...others), staged));
      await store.points.publish(published("four"));
      expect(await labelsOf(store)).toEqual([...others.toSorted(), "a", "b"]);
    },
  );

  test("what is staged and never shown has an end, too", async () => {
    const { store } = await openLimited(4);
    const append = (sourceId: string) => {
      const labels = Array.from({ length: 4 }, (_, n) => `${sourceId} ${n}`);
      return store.points.append(batchOf(of(...labels), { sourceId, visibility: "staged" }));
    };
    await append("one");
    await append("two");
    await expect(append("three")).rejects.toMatchObject({ code: "too-many-labels" });
    // Labels beyond the limit can still be counted under this one.
    const other = { sourceId: "three", visibility: "staged" } as const;
    await store.points.append(batchOf(of("(other)", "one 1", "two 3"), other));
    await store.points.publish(published("three"));
    expect(await labelsOf(store)).toEqual(["(other)", "one 1", "two 3"]);
  });

  test("what stands for labels beyond is not among those that it tells of", async () => {
    const { store, told } = await openLimited(5);
    await store.points.append(batchOf(of("(other)", "(other transactions)", "a", "b", "c")));
    await store.points.append(batchOf(of("(other sub-results)"), { sequence: 1 }));
    expect(told).toEqual([]);
    await store.points.append(batchOf(of("d", "e"), { sourceId: "import", visibility: "staged" }));
    await store.points.publish(published("import"));
    await store.points.append(batchOf(of("a"), { sequence: 2 }));
    expect(told).toEqual([["run", 5]]);
  });

  test("it tells once when four fifths are there", async () => {
    const { store, told } = await openLimited(10);
    await store.points.append(batchOf(of("a", "b", "c", "d", "e", "f", "g")));
    expect(told).toEqual([]);
    await store.points.append(batchOf(of("a", "h", "i"), { sequence: 1 }));
    await store.points.append(batchOf(of("j"), { sequence: 2 }));
    expect(told).toEqual([["run", 9]]);
  });
}
