/**
 * Makes the tables of docs/internals/statistics.md and docs/compare.md again, from generated data with fixed seeds:
 *
 *     npm run task test:accuracy                        all of these tables
 *     npm run task test:accuracy -- trends gates        some of them
 *     npm run task test:accuracy -- histories --otava   beside Apache Otava, which is installed by pip
 *     npm run task test:accuracy -- findings --folder FOLDER
 *                                                       of the result files in the folders of FOLDER, too
 */

import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: "string" }, otava: { type: "boolean", default: false } },
});

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  comparisons: async () => (await import("./comparisons.ts")).printComparisons(),
  gates: async () => (await import("./gates.ts")).printGates(),
  measures: async () => (await import("./measures.ts")).printMeasures(),
  trends: async () => (await import("./trends.ts")).printTrends(),
  histories: async () => (await import("./trend-histories.ts")).printHistories(values.otava),
  incidents: async () => (await import("./recorded-incidents.ts")).printRecordedIncidents(),
  findings: async () => (await import("./findings-recordings.ts")).printFindings(values.folder),
};

const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  throw new Error(`there are no tables named "${unknown}", only ${Object.keys(PARTS).join(", ")}`);
}
for (const [name, print] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`## ${name}\n`);
  await print();
}
