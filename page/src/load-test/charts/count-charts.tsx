import type { ChartLine } from "../../charts/chart-line.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { changeParameters } from "../../address/use-address.ts";
import { HEIGHT_NARROW } from "./use-chart-heights.ts";
import { byteTexts, numberTexts, shareTexts } from "../../format/axis-texts.ts";
import { bytesPerSecond, type Quantity, rate, share } from "../../format/numbers.ts";

const TIME_AXIS = 22;

interface CountChartsProps extends Omit<
  TimeChartProps,
  "title" | "lines" | "formatValue" | "axisTexts" | "hasTimeAxis"
> {
  readonly requests: readonly ChartLine[];
  /** Shares; `undefined`: no request failed. */
  readonly errors: readonly ChartLine[] | undefined;
  /** `undefined`: not recorded. */
  readonly bytes: readonly ChartLine[] | undefined;
  readonly areBytesShown: boolean;
}

/** Requests per second, and below them the share of errors and received bytes as far as there are any. */
export function CountCharts(props: CountChartsProps) {
  const { requests, errors, bytes, areBytesShown, height, ...shared } = props;
  const shownBytes = areBytesShown ? bytes : undefined;
  const lowest = shownBytes ? "bytes" : errors ? "errors" : "requests";
  const frameOf = (name: typeof lowest) => {
    const isLowest = name === lowest;
    const own = isLowest ? height + TIME_AXIS : height;
    return {
      ...shared,
      height: shared.isNarrow ? HEIGHT_NARROW : own,
      hasTimeAxis: shared.isNarrow || isLowest,
    };
  };
  return (
    <>
      <h2>Requests/s</h2>
      <TimeChart
        {...frameOf("requests")}
        title="Requests per second"
        lines={requests}
        formatValue={perSecond}
        axisTexts={numberTexts}
      />
      {errors === undefined ? null : (
        <>
          <h2>Errors, %</h2>
          <TimeChart
            {...frameOf("errors")}
            title="Share of failed requests"
            lines={errors}
            formatValue={share}
            axisTexts={shareTexts}
          />
        </>
      )}
      {bytes === undefined ? null : (
        <h2>
          <button
            type="button"
            class="fold"
            aria-expanded={areBytesShown}
            onClick={() =>
              changeParameters({ received: areBytesShown ? undefined : "shown" }, "replace")
            }
          >
            Received/s
          </button>
        </h2>
      )}
      {shownBytes === undefined ? null : (
        <TimeChart
          {...frameOf("bytes")}
          title="Bytes received per second"
          lines={shownBytes}
          formatValue={bytesPerSecond}
          axisTexts={byteTexts}
        />
      )}
    </>
  );
}

/** As charts write a rate. */
export function perSecond(value: number): Quantity {
  return { digits: rate(value), unit: "/s" };
}
