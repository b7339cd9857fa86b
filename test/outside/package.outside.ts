/** The packed package, run from an empty folder on each supported Node. */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { checkProgram } from "./check-program.ts";
import { demoReport } from "./demo-report.ts";
import { installNode, installPackage } from "./installed-package.ts";

const packed = inject("packed");

test("the package is small and contains only what it needs to run", () => {
  expect(packed.unpackedBytes).toBeLessThan(5_000_000);
  const folders = new Set(packed.files.map(({ path: file }) => file.split("/")[0]));
  expect(folders).toEqual(
    new Set(["LICENSE", "README.md", "bin", "dist", "examples", "package.json"]),
  );
});

const READING = `
  import { Tachograph } from "tachograph/client";
  const { SERVICE_URL: url, SERVICE_KEY: key } = process.env;
  const tachograph = new Tachograph({ url, key });
  const { endpoints } = await tachograph.ask("getSummary", { id: "shop" });
  let rows = 0;
  for await (const { data } of tachograph.items("getMetrics", {
    loadTestId: "shop", filter: "GET", format: "csv",
  })) rows += data.length - 1;
  console.log(JSON.stringify({ endpoints, rows }));
`;

interface Read {
  readonly endpoints: readonly { readonly label: string; readonly count: number }[];
  readonly rows: number;
}

test.each([22, 24, 26])(
  "on Node %i it imports, serves and works with its client and MCP",
  async (major) => {
    const node = await installNode(major);
    using installed = await installPackage(packed, node);
    expect(existsSync(path.join(installed.folder, "node_modules/.bin/tachograph-pipeline"))).toBe(
      true,
    );
    await using service = await checkProgram(installed);
    const environment = { SERVICE_URL: service.url, SERVICE_KEY: service.key };
    const read = JSON.parse(installed.runModule(READING, environment)) as Read;
    const counts = Object.fromEntries(read.endpoints.map(({ label, count }) => [label, count]));
    const reported = Object.entries(demoReport()).map(([label, { sampleCount }]) => [
      label,
      sampleCount,
    ]);
    expect(counts).toEqual(Object.fromEntries(reported));
    expect(read.rows).toBeGreaterThan(1000);
  },
);

const TYPED = `
  import { type Answer, Tachograph } from "tachograph/client";
  const tachograph = new Tachograph({ url: "http://127.0.0.1", key: "tgk_" });
  export const summary: Promise<Answer<"getSummary">> = tachograph.ask("getSummary", { id: "shop" });
  export const count: Promise<number> = summary.then(({ overall }) => overall.count);
  // @ts-expect-error a list cannot be made of an object
  tachograph.items("getSummary", { id: "shop" });
  // @ts-expect-error no such parameter
  export const wrong = tachograph.ask("getSummary", { id: "shop", filters: "x" });
`;

test.each([
  ["in a browser", "esnext", "bundler", "es2024,dom,dom.iterable"],
  ["in Node", "nodenext", "nodenext", "es2024,dom"],
])("its types compile with %s", async (_, module, resolution, lib) => {
  using installed = await installPackage(packed, process.execPath);
  writeFileSync(path.join(installed.folder, "typed.mts"), TYPED);
  const tsc = path.join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
  const options = ["--module", module, "--moduleResolution", resolution, "--lib", lib];
  const words = [tsc, "--noEmit", "--strict", "--types", "", ...options, "typed.mts"];
  expect(() => execFileSync(process.execPath, words, { cwd: installed.folder })).not.toThrow();
});
