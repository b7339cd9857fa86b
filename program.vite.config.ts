import { defineConfig } from "vite";

/** The program as the package has it: compiled into few files, which start in less time than many. */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: true,
    target: "node22",
    minify: false,
    rolldownOptions: {
      // Other threads are found by their names, beside what starts them.
      input: {
        main: "src/main.ts",
        client: "src/client/tachograph.ts",
        "decode-worker": "src/import/decode-worker.ts",
        "background-worker": "src/store/sqlite/compaction/background-worker.ts",
        "quick-check-worker": "src/store/sqlite/file/quick-check-worker.ts",
      },
      // Nothing is taken out: a call whose result nobody takes may be there for what it throws.
      // Nothing is taken out: a call whose result nobody takes may be there for what it throws.
      treeshake: false,
      output: {
        minify: false,
        // They are for readers of the source, and a tenth of the package.
        comments: { jsdoc: false },
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
      },
    },
  },
});
