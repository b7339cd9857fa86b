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
    "The load tests of one name, or with one tag, as a series, the latest last: of each its requests, " +
    "error rate, average and percentiles in seconds, of all endpoints chosen as one; and which load test " +
    "brought a change to them or to one endpoint, the latest first, where noise does not explain it. " +
    "`change` is relative (0.1: a tenth more), of error rates in shares. `quality` lists, by load test, what its " +
    "figures cannot tell; those that are complete are not in it.",
  input: {
    name: z.string().min(1).optional().describe("name of the load tests"),
    tag: z.string().min(1).optional().describe("a tag that they have"),
    last: z.int().min(1).max(200).default(50).describe("load tests at most, the latest"),
    since: z
      .string()
      .min(1)
      .optional()
      .describe(
        "id of the load test that the series begins with; without it, the pinned baseline of the name",
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
    return {
      changes: shown.map(withoutHash),
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
