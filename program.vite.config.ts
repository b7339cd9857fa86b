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
      // The second thread is found by its name, beside what starts it.
      input: { main: "src/main.ts", "decode-worker": "src/operations/decode-worker.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});
