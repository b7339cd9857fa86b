import type { Plugin } from "vite";

/** Replaced in uPlot: what pages do not use of it, which bundlers cannot see. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  // Ways of drawing, which it exports: pages have their own.
  [/\nuPlot\.assign = [^]*(?=\nexport )/, "\nuPlot.sync = _sync;\n"],
  [/const (linearPath|pointsPath) = \w+\(\) ;/g, "const $1 = null;"],
  // Legends: pages have none of its own.
  [/const showLegend = legend\.show;/, "const showLegend = false;"],
  // Times as texts: pages have their own.
  [/let isTime = [^;]*;/g, "const isTime = false;"],
  [/\nconst \[ timeIncrs\w+, [^\n]* = genTimeStuffs\([^\n]*/g, ""],
  [/\n\tconst _time(AxisSplits|AxisVals|SeriesVal) +=[^\n]*/g, ""],
];

/** Leaves out parts of uPlot: 6 kB compressed. */
export function shortCharts(): Plugin {
  return {
    name: "short-charts",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/uPlot.esm.js")) return null;
      return REPLACED.reduce((text, [old, replacement]) => {
        const replaced = text.replace(old, replacement);
        if (replaced !== text) return replaced;
        throw new Error(`short-charts.ts: uPlot has changed, it has no ${old}`);
      }, code);
    },
  };
}
