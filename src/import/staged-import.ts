import { randomUUID } from "node:crypto";
import { UserError } from "../model/errors.ts";
import type { NewLoadTest } from "../model/load-test.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { type ImportTarget, ensureLoadTest } from "./ensure-load-test.ts";
import { ImportSpan } from "./import-span.ts";
import { addRowQuality, otherFacetsText, type RowQuality } from "../model/quality/row-quality.ts";
import { OverflowLabels } from "./overflow-labels.ts";
import type { PublishedSource } from "../store/snapshot.ts";

const FULL_OF_SERIES =
  "the run has as many series as it may have (--facet-combinations-max, --facet-series-max)";

/** A source being imported, invisible until it is published. */
export class StagedImport {
  readonly span = new ImportSpan();
  readonly overflow: OverflowLabels;
  readonly #target: ImportTarget;
  readonly #loadTest: NewLoadTest;
  readonly sourceId = `import-${randomUUID()}`;
  /** What the store had no room for: values by measure, and requests by label. */
  #left: Partial<RowQuality> = {};
  #sequence = 0;
  #hasCreated = false;
  #hasWritten = false;

  /** See `OverflowLabels` for `labelsMax`. */
  constructor(target: ImportTarget, loadTest: NewLoadTest, labelsMax?: number) {
    this.#target = target;
    this.#loadTest = loadTest;
    this.overflow = new OverflowLabels({ labelsMax });
  }

  get batches(): number {
    return this.#sequence;
  }

  /** Creates the load test if missing. Call once, first. */
  async begin(): Promise<void> {
    const { createdAtMs } = this.#loadTest;
    if (await ensureLoadTest(this.#target, this.#loadTest, createdAtMs)) this.#hasCreated = true;
  }

  async append(measured: MeasurementBatch): Promise<void> {
    this.span.add(measured);
    const about = {
      loadTestId: this.#loadTest.id,
      sourceId: this.sourceId,
      visibility: "staged",
      sequence: this.#sequence++,
    } as const;
    await this.overflow.append(measured, async (merged) => {
      const appended = this.#write(() => this.#target.points.append({ ...about, ...merged }));
      const { unstored = [], otherFacets } = await appended;
      this.#left = { ...addRowQuality([this.#left, { unreadValues: unstored, otherFacets }]) };
      for (const { values } of unstored) this.span.addUnplaced(values);
    });
  }

  notes(): readonly string[] {
    const { otherFacets } = this.#left;
    const full = otherFacets && `${otherFacetsText(otherFacets)}: ${FULL_OF_SERIES}`;
    return [...this.span.notes(), ...(full === undefined ? [] : [full])];
  }

  /** Publishes it. Returns whether the same bytes already existed. */
  async publish(
    about: Omit<PublishedSource, "loadTestId" | "sourceId">,
    replaces: readonly string[],
  ): Promise<boolean> {
    const rows = addRowQuality([about.quality, this.#left]);
    const quality = { ...about.quality, ...rows };
    const source = { ...about, quality, loadTestId: this.#loadTest.id, sourceId: this.sourceId };
    const { duplicate } = await this.#write(() =>
      this.#target.points.publish(source, replaces, this.#sequence),
    );
    return duplicate;
  }

  discard(): Promise<void> {
    return this.#target.points.discard(this.#loadTest.id, this.sourceId);
  }

  /** Rolls back everything, including a load test created for it. Never throws: what cannot be deleted is invisible anyway. */
  async takeBack(): Promise<void> {
    try {
      await this.discard();
      // Another import may have used it meanwhile.
      if (this.#hasCreated) await this.#target.loadTests.deleteUnused(this.#loadTest.id);
    } catch {
      // The error that ended the import is more useful than this one.
    }
  }

  /** Creates the load test again if a failed import that created it has deleted it before the first write. */
  async #write<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      const isGone = error instanceof UserError && error.code === "unknown-load-test";
      if (!isGone || this.#hasWritten) throw error;
      await this.begin();
      return await write();
    } finally {
      this.#hasWritten = true;
    }
  }
}
