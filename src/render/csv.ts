import { CSV_COLUMNS } from "../api/metrics.ts";
import { pointCount } from "../model/data-points.ts";
import { writeOverview } from "./overview.ts";
import { renderKernel } from "./render-kernel.ts";
import type { OutputBuffer, EndpointMetrics, Renderer } from "./renderer.ts";
import { type Punctuation, SERIES, writeLabels, writePoints, type Series } from "./series.ts";

/** `data` is an array of rows of strings: the header, then one row per point. */
export const csvRenderer: Renderer = {
  format: "csv",
  *render(endpoint, output) {
    writeItemHead(endpoint, output);
    if (output.isFull) yield output.take();
    output.ascii(`[${JSON.stringify(CSV_COLUMNS)}`);
    const points = pointCount(endpoint.columns);
    for (let from = 0; from < points;) {
      from = renderKernel().rows({ endpoint, from, until: points }, output);
      if (output.isFull) yield output.take();
    }
    output.ascii("]}");
  },
};

const PAIRS: Punctuation = { beforeX: '{"x":', beforeY: ',"y":', afterY: "}" };

const NUMBERS: Punctuation = { beforeX: '"', beforeY: '":', afterY: "" };

const STRINGS: Punctuation = { beforeX: '"', beforeY: '":"', afterY: '"' };

/** `data` is an object with every series as an array of `{x, y}` numbers. */
export const xyRenderer = seriesRenderer("xy", ["[", "]"], () => PAIRS);

/** `data` is an object with every series as an object from x to y. */
export const defaultRenderer = seriesRenderer("default", ["{", "}"], punctuationOf);

function seriesRenderer(
  format: Renderer["format"],
  [open, close]: readonly [string, string],
  punctuate: (series: Series) => Punctuation,
): Renderer {
  return {
    format,
    *render(endpoint, output) {
      writeItemHead(endpoint, output);
      if (output.isFull) yield output.take();
      output.ascii('{"overview":');
      writeOverview(endpoint, output);
      output.ascii(",");
      yield* writeLabels(endpoint, output);
      for (const series of SERIES) {
        output.ascii(`,"${series.name}":${open}`);
        yield* writePoints(endpoint, series, punctuate(series), output);
        output.ascii(close);
      }
      output.ascii("}}");
    },
  };
}

/** The specification wants the values of this series as strings, in this format only. */
function punctuationOf(series: Series): Punctuation {
  return series.name === "pageErrRespTime" ? STRINGS : NUMBERS;
}

/** Writes hash, label, and everything up to the value of `data`. */
function writeItemHead(endpoint: EndpointMetrics, output: OutputBuffer): void {
  output.ascii(`{"hash":"${endpoint.hash}","label":`);
  output.jsonString(endpoint.label);
  output.ascii(',"data":');
}
