import { randomUUID } from "node:crypto";
import type { LabelChoice } from "../decode/decoder.ts";
import { paced } from "../concurrency/yielder.ts";
import { ChosenLabels, seriesOfMeasured } from "../import/chosen-labels.ts";
import { UserError } from "../model/errors.ts";
import { labelOfSeries } from "../model/series/facets.ts";
import { type LoadTestSummary, requireLoadTest } from "../model/load-test.ts";
import { keyOfSeries } from "../model/measures/merge-measures.ts";
import { selectSeries } from "../model/measures/select-measures.ts";
import { addRowQuality } from "../model/quality/row-quality.ts";
import { choiceIn } from "../model/role.ts";
import type { SourceQuality } from "../model/source-quality.ts";
import { BATCH_ROWS, sourceBatches } from "../series/source-batches.ts";
import type { PublishedSource, SourceReading } from "../store/snapshot.ts";
import type { Points } from "../store/store.ts";

/**
 * Makes of labels what an import with this choice would have made of them; all others count as requests again. Each source is
 * replaced in one step; after an interruption, the same call again goes on. Throws `unknown-load-test`,
 * `load-test-growing` if a source that has such labels is not complete, and what the store throws.
 */
export async function chooseLabels(
  points: Points,
  loadTest: LoadTestSummary,
  choice: LabelChoice,
): Promise<void> {
  const { id } = loadTest;
  const { sources, release } = requireLoadTest(await points.snapshotBySource(id), id);
  try {
    const published = new Map((await points.sources(id)).map((each) => [each.sourceId, each]));
    const changed: (readonly [SourceReading, PublishedSource])[] = [];
    for (const source of sources) {
      if (!(await isChanged(source, new ChosenLabels(choice)))) continue;
      const known = published.get(source.sourceId);
      if (known === undefined) throw growing(id);
      changed.push([source, known]);
    }
    for (const [source, known] of changed) {
      await rewrite(points, { source, known, loadTest, chosen: new ChosenLabels(choice) });
    }
  } finally {
    release();
  }
}

async function isChanged(source: SourceReading, chosen: ChosenLabels): Promise<boolean> {
  for await (const { endpoint, role } of paced(await source.endpoints())) {
    if (choiceIn(role) !== chosen.choiceFor(endpoint.label)) return true;
  }
  return false;
}

function growing(id: string): UserError {
  return new UserError(
    "load-test-growing",
    `cannot choose labels of load test "${id}": a source that has them is still growing`,
  );
}

interface Rewriting {
  readonly source: SourceReading;
  readonly known: PublishedSource;
  readonly loadTest: LoadTestSummary;
  readonly chosen: ChosenLabels;
}

async function rewrite(
  points: Points,
  { source, known, loadTest, chosen }: Rewriting,
): Promise<void> {
  const about = { loadTestId: loadTest.id, sourceId: `import-${randomUUID()}` };
  const endpoints = await source.endpoints();
  const measured = endpoints
    .filter(({ role }) => choiceIn(role) === "measured")
    .map(({ endpoint }) => labelOfSeries(endpoint.label));
  const former = new Set(measured.map((name) => keyOfSeries(seriesOfMeasured(name))));
  try {
    let sequence = 0;
    for await (const contents of sourceBatches(source, loadTest, BATCH_ROWS)) {
      const measures =
        contents.measures &&
        selectSeries(contents.measures, (series) =>
          former.has(keyOfSeries(series)) ? undefined : series,
        );
      const batch = chosen.apply({ ...contents, measures });
      await points.append({ ...batch, ...about, visibility: "staged", sequence });
      sequence += 1;
    }
    const quality = qualityWith(known.quality, new Set(measured), chosen);
    await points.publish({ ...known, ...about, quality }, [source.sourceId], sequence);
  } catch (error) {
    await points.discard(about.loadTestId, about.sourceId);
    throw error;
  }
}

/** With what is hidden now instead of what was. */
function qualityWith(
  quality: SourceQuality,
  measured: ReadonlySet<string>,
  chosen: ChosenLabels,
): SourceQuality {
  const kept = quality.measurements?.filter(({ name }) => !measured.has(name));
  const lists = addRowQuality([{ measurements: kept }, chosen.take()]);
  return { ...quality, measurements: lists?.measurements, ignored: lists?.ignored };
}
