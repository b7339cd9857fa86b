import { defineConfig } from "vite";
import { shortCharts } from "./short-charts.ts";
import { shortClient } from "./short-client.ts";
import { shortFormats } from "./short-formats.ts";

export default defineConfig({
  root: import.meta.dirname,
  // The server replaces this with its base path.
  base: "/__base__/",
  publicDir: false,
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // The page's policy allows data URLs only as pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    // Required by the libraries in it.
    license: { fileName: "licenses.md" },
  },
  // Smaller than calls with children among properties: 1 kB compressed.
  oxc: {
    jsx: { runtime: "classic", pragma: "jsxElement", pragmaFrag: "JsxFragment" },
    jsxInject: 'import { Fragment as JsxFragment, h as jsxElement } from "preact";',
  },
  plugins: [shortCharts(), shortClient(), shortFormats()],
});
