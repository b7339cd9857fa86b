import type { ChartLine } from "../../charts/chart-line.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { byteTexts, numberTexts } from "../../format/axis-texts.ts";
import { bytesPerSecond, type Quantity, rate } from "../../format/numbers.ts";

/** Of a chart on a narrow screen, in pixels. */
export const HEIGHT_NARROW = 184;

const REQUESTS = 66;
/** With the time axis. */
const BYTES = 56;
const TIME_AXIS = 22;

interface CountChartsProps extends Omit<
  TimeChartProps,
  "title" | "height" | "lines" | "formatValue" | "axisTexts" | "hasTimeAxis"
> {
  readonly requests: readonly ChartLine[];
  /** `undefined`: not recorded. */
  readonly bytes: readonly ChartLine[] | undefined;
  /** Moved by the lowest chart. */
  readonly hairline: { readonly current: HTMLElement | null };
}

/** Requests per second and, if recorded, received bytes below them. */
export function CountCharts({ requests, bytes, hairline, ...shared }: CountChartsProps) {
  const isLowest = bytes === undefined;
  const heightOf = (height: number) => (shared.isNarrow ? HEIGHT_NARROW : height);
  return (
    <>
      <h2>Requests/s</h2>
      <TimeChart
        {...shared}
        title="Requests per second"
        height={heightOf(isLowest ? REQUESTS + TIME_AXIS : REQUESTS)}
        lines={requests}
        formatValue={perSecond}
        axisTexts={numberTexts}
        hasTimeAxis={shared.isNarrow || isLowest}
        {...(isLowest ? { hairline } : {})}
      />
      {isLowest ? null : (
        <>
          <h2>Received/s</h2>
          <TimeChart
            {...shared}
            title="Bytes received per second"
            height={heightOf(BYTES)}
            lines={bytes}
            formatValue={bytesPerSecond}
            axisTexts={byteTexts}
            hasTimeAxis={true}
            hairline={hairline}
          />
        </>
      )}
    </>
  );
}

/** As charts write a rate. */
export function perSecond(value: number): Quantity {
  return { digits: rate(value), unit: "/s" };
}
