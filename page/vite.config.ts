import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Replaced by the server with the path that it is reached under.
  base: "/__base__/",
  publicDir: false,
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // Nothing inline: the policy of the page allows no data as style or script.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    // The libraries in it ask for it.
    license: { fileName: "licenses.md" },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
