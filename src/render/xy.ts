import { writeItemHead } from "./pen.ts";
import { writeOverview } from "./overview.ts";
import type { Renderer } from "./renderer.ts";
import { type Punctuation, SERIES, writeLabels, writePoints } from "./series.ts";

const PUNCTUATION: Punctuation = { beforeX: '{"x":', beforeY: ',"y":', afterY: "}" };

/** `data` is an object with every series as an array of `{x, y}`, both numbers: for graphs. */
export const xyRenderer: Renderer = {
  format: "xy",
  *render(endpoint, output) {
    writeItemHead(endpoint, output);
    if (output.isFull) yield output.take();
    output.ascii('{"overview":');
    writeOverview(endpoint, output);
    output.ascii(",");
    yield* writeLabels(endpoint, output);
    for (const series of SERIES) {
      output.ascii(`,"${series.name}":[`);
      yield* writePoints(endpoint, series, PUNCTUATION, output);
      output.ascii("]");
    }
    output.ascii("}}");
  },
};
