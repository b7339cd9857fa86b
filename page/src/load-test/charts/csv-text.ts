import type { Series } from "../../api/figures.ts";
import { quoted } from "../../format/csv.ts";

const HEAD = "label,second,requests,failed,average,p50,p95,p99,received bytes";

/** One row per endpoint and point; times in seconds, labels as stored. */
export function csvText(series: readonly Series[]): string {
  const rows = series.flatMap((each) =>
    each.labels.map((second, point) =>
      [
        quoted(each.label ?? ""),
        second,
        each.count[point],
        each.errCount[point],
        each.avgLoadTime[point],
        ...["p50", "p95", "p99"].map((name) => each.percentiles[name]?.[point]),
        each.receivedBytes[point],
      ].join(","),
    ),
  );
  return `${[HEAD, ...rows].join("\r\n")}\r\n`;
}
