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
  // Scales other than linear and logarithmic ones, scatter plots, bands, and adding or removing lines.
  [/\b(sc\.)?distr == (4|100)\b/g, "false"],
  [/\n\tself\.(add|set|del)(Series|Band) = (addSeries|delSeries|addBand|setBand|delBand);/g, ""],
  [/flags != 0 && bands\.forEach/, "false && bands.forEach"],
  [/const mode = (u|self)\.mode;/g, "const mode = 1;"],
  [/\n\tbands\.forEach\([^]*?\n\t\}\);/, ""],
  [/\n\tconst _time(AxisSplits|AxisVals|SeriesVal) +=[^\n]*/g, ""],
];

/** Styles of its titles and legends, which pages do not have. */
const REPLACED_STYLES: typeof REPLACED = [
  [/\.u-title \{[^}]*\}/, ""],
  [/\.u-legend \{[^]*\.u-off > \* \{[^}]*\}/, ""],
];

/** Leaves out parts of uPlot: 7 kB compressed. */
export function shortCharts(): Plugin {
  return {
    name: "short-charts",
    enforce: "pre",
    transform(code, id) {
      const replacements = id.endsWith("/uPlot.esm.js")
        ? REPLACED
        : id.endsWith("/uPlot.min.css")
          ? REPLACED_STYLES
          : undefined;
      if (replacements === undefined) return null;
      return replacements.reduce((text, [old, replacement]) => {
        const replaced = text.replace(old, replacement);
        if (replaced !== text) return replaced;
        throw new Error(`short-charts.ts: uPlot has changed, it has no ${old}`);
      }, code);
    },
  };
}
