import { z } from "zod";
import { TREND_FIGURES } from "../../api/trend.ts";
import type { Trend } from "../../analysis/trend/read-trend.ts";
import { RAMPS, SELECTION, selectionOf, limit, shortened } from "../part.ts";
import { toolOf } from "../tool.ts";
import { withoutHash } from "./summarise.ts";

export const readTrend = toolOf({
  name: "read_trend",
  title: "Read how load tests changed over time",
  description:
    "The load tests with one name or tag as a series, latest last: requests, error rate, average " +
    "and percentiles in seconds of each, over all selected endpoints together; and the load " +
    "tests at which these or one endpoint changed by more than noise explains, latest first, each " +
    "with its changes. " +
    "`change` is relative (0.1: 10 % more); for error rates it is a difference. `quality` lists " +
    "limitations by load test; load tests without any are not in it.",
  input: {
    name: z.string().min(1).optional().describe("exact name of the load tests"),
    tag: z.string().min(1).optional().describe("an exact tag of the load tests"),
    last: z
      .int()
      .min(1)
      .max(200)
      .default(50)
      .describe("maximum number of load tests; the latest are used"),
    since: z
      .string()
      .min(1)
      .optional()
      .describe(
        "id of the load test at which the series starts; default: the pinned baseline of the name",
      ),
    ...SELECTION,
    ...RAMPS,
    limit: limit(30, 200),
  },
  async answer({ limit: max, filter, label, ...series }, measurements) {
    await using opened = await measurements.openReader();
    const selection = selectionOf({ filter, label });
    const trend = await opened.reader.trend({ ...series, selection });
    const { shown, notShown } = shortened(trend.changes, max);
    const groups = [...Map.groupBy(shown, ({ loadTestId }) => loadTestId)];
    return {
      changes: groups.map(([loadTestId, own]) => ({
        loadTestId,
        changes: own.map((change) => {
          const { loadTestId: _, ...rest } = withoutHash(change);
          return rest;
        }),
      })),
      changesNotShown: notShown,
      ...tableOf(trend),
      ...(trend.since === undefined ? {} : { since: trend.since }),
      leftOut: trend.leftOut,
      quality: trend.loadTests
        .filter(({ quality }) => quality.length > 0)
        .map(({ id, quality }) => ({ id, quality })),
    };
  },
});

/** One row per load test. */
function tableOf({ loadTests, overall }: Trend): object {
  const rows = loadTests.map(({ id, startedAt }, at) => [
    id,
    startedAt,
    ...TREND_FIGURES.map((figure) => overall[figure][at] ?? null),
  ]);
  return { columns: ["id", "startedAt", ...TREND_FIGURES], rows };
}
