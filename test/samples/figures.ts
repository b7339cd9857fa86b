import type { ImportedEndpoint } from "./import-and-read.ts";
import type { ToolFigures } from "./tool-report.ts";

/** The statistics of an endpoint as tools print them, from the API's values. */
export function figuresOfEndpoint({
  items,
  minMs,
  maxMs,
}: ImportedEndpoint): Required<ToolFigures> {
  const { overview } = items.xy.data as { overview: Record<string, string> };
  return {
    count: Number(overview["count"]),
    errors: Number(overview["errCount"]),
    avgMs: Number(overview["avgLoadTime"]) * 1000,
    minMs,
    maxMs,
  };
}
