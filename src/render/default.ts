import { writeItemHead } from "./pen.ts";
import { writeOverview } from "./overview.ts";
import type { Renderer } from "./renderer.ts";
import { type Punctuation, SERIES, type Series, writeLabels, writePoints } from "./series.ts";

const NUMBERS: Punctuation = { beforeX: '"', beforeY: '":', afterY: "" };
const STRINGS: Punctuation = { beforeX: '"', beforeY: '":"', afterY: '"' };

/** `data` is an object with every series as an object from x to y. */
export const defaultRenderer: Renderer = {
  format: "default",
  *render(endpoint, output) {
    writeItemHead(endpoint, output);
    if (output.isFull) yield output.take();
    output.ascii('{"overview":');
    writeOverview(endpoint, output);
    output.ascii(",");
    yield* writeLabels(endpoint, output);
    for (const series of SERIES) {
      output.ascii(`,"${series.name}":{`);
      yield* writePoints(endpoint, series, punctuationOf(series), output);
      output.ascii("}");
    }
    output.ascii("}}");
  },
};

/** The specification wants the values of this one series as strings, in this one format. */
function punctuationOf(series: Series): Punctuation {
  return series.name === "pageErrRespTime" ? STRINGS : NUMBERS;
}
