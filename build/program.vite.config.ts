import { defineConfig } from "vite";

const PROGRAM =
  /src.(cli.(program|flags)|data-directory.(make-directory|store-file)|import.load-test-id)\.ts$/;

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
        "parquet-worker": "src/decode/parquet/parquet-worker.ts",
        "export-worker": "src/query/export-worker.ts",
        "read-file-worker": "src/source/read-file-worker.ts",
        "quick-check-worker": "src/store/sqlite/file/quick-check-worker.ts",
      },
      // Nothing is taken out: a call whose result nobody takes may be there for what it throws.
      treeshake: false,
      // Without the name of each module's file.
      experimental: { attachDebugInfo: "none" },
      output: {
        minify: false,
        // Each file that is loaded delays a start. A group includes what its modules import and is without that of
        // higher priority, so that files never import each other in a circle.
        codeSplitting: {
          groups: [
            { name: "reading", test: /src.(model.errors|source.source-digest)\.ts$/, priority: 6 },
            { name: "file", test: /src.store.sqlite.file.connection\.ts$/, priority: 5 },
            { name: "program", test: PROGRAM, priority: 4 },
            { name: "model", test: /src.model./, priority: 3 },
            {
              name: "store",
              test: /src.(data-directory.open-store|store.sqlite.store)\.ts$/,
              priority: 2,
            },
            {
              name: "queries",
              test: /src.(aggregate|analysis|api|catalogue|concurrency|import|kernel|query|render|series|source|wire)./,
              minShareCount: 2,
              priority: 1,
            },
            { name: "decoding", test: /src.(decode|live)./, minShareCount: 3, priority: 1 },
            { name: "routes", test: /src.server.(read-page-files|store-api)\.ts$/, priority: 0.5 },
            { name: "server", test: /src.(server.serve|http.server)\.ts$/, priority: 0 },
          ],
        },
        // They are for readers of the source, and a tenth of the package.
        comments: { jsdoc: false },
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
      },
    },
  },
});
