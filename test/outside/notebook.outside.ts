/** Runs the notebook of `examples/` cell by cell with a Python that has its dependencies. */

import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { installTool } from "../tools/install.ts";
import { runCommand } from "../tools/run-command.ts";
import { DEMO, demoReport } from "./demo-report.ts";
import { installPackage, serve } from "./installed-package.ts";

const NOTEBOOK = path.join(import.meta.dirname, "../../examples/load-tests.ipynb");

/** Runs all cells in order, as a notebook does, and prints the results. */
const RUN_CELLS = `
import json, sys
found = {}
with open(sys.argv[1], encoding="utf-8") as notebook:
    for cell in json.load(notebook)["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), found)
print(json.dumps({
    "counts": found["endpoints"]["count"].to_dict(),
    "averages": found["endpoints"]["avgLoadTime"].to_dict(),
    "minutes": found["minutes"]["count"].groupby("label").sum().to_dict(),
    "merged": sum(found["merged"]["count"]),
}))
`;

interface Found {
  readonly counts: Readonly<Record<string, number>>;
  readonly averages: Readonly<Record<string, number>>;
  readonly minutes: Readonly<Record<string, number>>;
  readonly merged: number;
}

/** A Python with pandas, or why it is missing. */
async function installPython(): Promise<{ readonly python: string; readonly lack?: string }> {
  try {
    const folder = await installTool({
      name: "pandas",
      version: "2.3.3",
      async install(own) {
        const settings = { cwd: own, log: path.join(own, "install.log") };
        await runCommand("python3", ["-m", "venv", "venv"], settings);
        const packages = ["--quiet", "pandas==2.3.3", "requests==2.32.5"];
        const install = ["-m", "pip", "install", ...packages];
        await runCommand(path.join(own, "venv/bin/python"), install, settings);
      },
    });
    return { python: path.join(folder, "venv/bin/python") };
  } catch (error) {
    return { python: "", lack: String(error) };
  }
}

test("every cell of the notebook runs, and agrees with JMeter's report", async ({ skip }) => {
  const { python, lack } = await installPython();
  skip(lack !== undefined, `no Python with pandas: ${lack}`);
  using installed = await installPackage(inject("packed"), process.execPath);
  const data = path.join(installed.folder, "data");
  await installed.run(["import", DEMO, "--id", "shop", "--data", data]);
  await using service = await serve(installed, data);
  const found = JSON.parse(
    execFileSync(python, ["-c", RUN_CELLS, NOTEBOOK], {
      encoding: "utf8",
      env: { ...process.env, TACHOGRAPH_URL: service.url, TACHOGRAPH_KEY: service.key },
    }),
  ) as Found;
  const reported = Object.entries(demoReport());
  expect(found.counts).toEqual(
    Object.fromEntries(reported.map(([label, { sampleCount }]) => [label, sampleCount])),
  );
  for (const [label, { meanResTime }] of reported) {
    expect(found.averages[label]).toBeCloseTo(meanResTime / 1000, 5);
  }
  const gets = reported.filter(([label]) => label.includes("GET "));
  expect(found.minutes).toEqual(
    Object.fromEntries(gets.map(([label, { sampleCount }]) => [label, sampleCount])),
  );
  // Only requests count: see examples/demo/README.md.
  expect(found.merged).toBe(9225);
});
