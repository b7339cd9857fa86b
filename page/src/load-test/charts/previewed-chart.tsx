import { useMemo } from "preact/hooks";
import type { ChartLine } from "../../charts/chart-line.ts";
import { valuesAt } from "../../charts/grid.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { Label } from "../../parts/label.tsx";
import { hasBand, hasLines, type Statistic } from "../endpoints/endpoint-lines.ts";
import type { PreviewStand } from "./preview.ts";
import type { Sheet } from "./sheet.ts";
import { usePreviewed } from "./use-previewed.ts";

interface PreviewedChartProps extends TimeChartProps {
  readonly sheet: Sheet;
  /** The lines of selected endpoints. */
  readonly statistic: Statistic;
  readonly preview: PreviewStand;
}

/** The chart of response times, with a temporary line for the endpoint pointed at. */
export function PreviewedChart({ sheet, statistic, preview, ...chart }: PreviewedChartProps) {
  const { hashes } = sheet.scope;
  const drawn = hasLines(hashes) || hasBand(hashes) ? statistic : "p95";
  // An endpoint that has a line needs no other.
  const previewed = usePreviewed(preview, sheet, drawn, hasBand(hashes) ? [] : hashes);
  const lines = useMemo((): readonly ChartLine[] => {
    const { series, resolution = 1 } = previewed ?? {};
    const column = drawn === "average" ? series?.avgLoadTime : series?.percentiles[drawn];
    const values = valuesAt(chart.seconds, series?.labels ?? [], resolution, column ?? []);
    return [...chart.lines, { name: drawn, values, color: "--ink", width: 1.5, isPreview: true }];
  }, [chart.lines, chart.seconds, previewed, drawn]);
  return (
    <div class="previewed">
      <TimeChart {...chart} lines={lines} />
      {previewed === undefined ? null : (
        <p class="preview-name" aria-hidden="true">
          {`${drawn} `}
          <Label label={previewed.series.label ?? ""} />
        </p>
      )}
    </div>
  );
}
