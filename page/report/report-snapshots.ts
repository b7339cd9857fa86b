import { attributesOf } from "../../src/model/load-test/attributes.ts";
import { columnsOf } from "../../src/model/reported-percentiles.ts";
import type { SecondRange } from "../../src/model/columns.ts";
import type { Snapshots } from "../../src/series/open-snapshot.ts";
import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import type { ReportContents } from "../../src/render/report-bytes.ts";
import type { PointColumns } from "../../src/render/report-points.ts";
import { listedIndex } from "../../src/store/listed-index.ts";
import { indexesOf, sliceDistribution, sliceSums } from "../../src/store/series.ts";
import { failuresOf, measuresOf, partOfTable } from "../../src/store/stored-details.ts";
import type { GeneratorUsers, PointDetail, Snapshot } from "../../src/store/snapshot.ts";

/** Reads the load tests of a comparison, each by its id. */
export function snapshotsOfRuns(reports: readonly ReportContents<WrittenAbout>[]): Snapshots {
  const byId = new Map(reports.map((report) => [report.about.id, reportSnapshots(report)]));
  return { snapshot: async (id) => byId.get(id)?.snapshot(id) };
}

/** Reads the report's load test as if from a store, under any id. */
export function reportSnapshots(report: ReportContents<WrittenAbout>): Snapshots {
  const { about, failures } = report;
  const measures = partOfTable(report.measures);
  // Their facets are told and chosen as in a store.
  const endpoints = report.endpoints.map(({ endpoint }, number) => ({
    ...endpoint,
    label: endpoint.splitSeries ?? endpoint.label,
    number,
  }));
  async function* read(
    wanted: readonly { readonly number: number }[],
    range: SecondRange,
    detail: PointDetail,
  ): AsyncGenerator<never> {
    for (const endpoint of wanted) {
      const points = report.endpoints[endpoint.number]?.points;
      if (points === undefined) throw new Error(`BUG: no endpoint ${endpoint.number}`);
      // The overloads of `read` promise what `detail` selects; one body cannot express that in types.
      yield { endpoint, columns: cut(points, range, detail) } as never;
    }
  }
  const snapshot: Snapshot = {
    loadTest: {
      id: about.id,
      ...attributesOf(about),
      secondsPerPoint: about.secondsPerPoint,
      ...(about.events && { events: about.events }),
      createdAtMs: about.madeAtMs,
      finishedAtMs: undefined,
    },
    revision: "report",
    read,
    index: async () => listedIndex(endpoints, { read }),
    async *failures(wanted, range) {
      for (const endpoint of wanted) yield failuresOf([failures], endpoint, range);
    },
    async *users(range) {
      yield* usersOf(report, range);
    },
    measureIndex: async () => measures,
    async *measures(series, range) {
      yield* measuresOf([measures], series, range);
    },
    samples: async () => about.samples ?? [],
    sources: async () =>
      about.recorded.sources.map(({ sourceId, format, name, quality, unrecorded, rows }) => ({
        sourceId,
        format,
        unrecorded,
        quality: rows,
        published:
          name === undefined || quality === undefined
            ? undefined
            : {
                loadTestId: about.id,
                sourceId,
                name,
                format: format ?? "",
                sizeBytes: 0,
                digest: "",
                quality,
              },
      })),
    reported: async () => columnsOf(about.recorded.reported),
    release() {},
  };
  return { snapshot: async () => snapshot };
}

function cut(points: PointColumns, range: SecondRange, detail: PointDetail) {
  const { from, until } = indexesOf(points.second, range);
  const sums = sliceSums(points, from, until);
  return detail === "sums" ? sums : { ...sums, ...sliceDistribution(points, from, until) };
}

/** One generator that reports the number of active users, up to the end of the data read. */
function* usersOf(
  { users, about }: ReportContents<WrittenAbout>,
  range: SecondRange,
): Generator<GeneratorUsers> {
  const last = users.at(-1);
  if (last === undefined) return;
  const end = Math.max(last[0] + 1, about.range?.until ?? 0);
  // Users active at the end of a range that was cut out are active until that end.
  const told = last[1] > 0 && end > last[0] + 1 ? [...users, [end - 1, last[1]] as const] : users;
  const within = told.filter(([second]) => second >= range.from && second < range.until);
  yield {
    sourceId: "",
    generator: "",
    second: Uint32Array.from(within, ([second]) => second),
    active: Float64Array.from(within, ([, number]) => number),
    started: new Float64Array(within.length),
    ended: new Float64Array(within.length),
  };
}
