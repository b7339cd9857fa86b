import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { checkFile } from "./check-file.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";
import { readToolReport } from "./tool-report.ts";

describe.each([
  { name: "memory", isWhole: true, openStore: async () => openMemoryStore() },
  { name: "sqlite", isWhole: false, openStore: () => openStoreIn(temporaryDirectory()) },
])("through the store $name", ({ openStore, isWhole }) => {
  test.each(FIXTURES)("$file is imported as expected: $reason", async (expectation) => {
    const { file } = expectation;
    const toolReport = readToolReport(file);
    const store = await openStore();
    const checks = { hasDetails: isWhole, checksMerges: isWhole };
    const sample = { expectation, bytes: readFixture(file), toolReport, store, ...checks };
    expect(await checkFile(sample)).toEqual([]);
  });
});

// Asia/Kolkata is not a whole number of hours away from UTC; in Apia it was another day.
test.each(["Asia/Kolkata", "America/St_Johns", "Pacific/Apia"])(
  "timestamps without a zone are read in %s when requested",
  async (timeZone) => {
    const file = "jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms.csv";
    const expectation = FIXTURES.find((each) => each.file === file);
    if (expectation === undefined) throw new Error(`BUG: no fixture ${file}`);
    const sample = { expectation, bytes: readFixture(file), toolReport: undefined, timeZone };
    expect(await checkFile(sample)).toEqual([]);
  },
);

// The starts of the first two are in their `expected.json`; the third has none, and any will do.
test.each([
  { file: "hey/gen-hey-0.1.5-ok.csv", startedAtMs: 1_795_232_797_648 },
  { file: "oha/gen-oha-1.16.0-ok.csv", startedAtMs: 1_795_233_206_121 },
  { file: "oha/gen-oha-1.16.0-urls-resets.csv", startedAtMs: 1_795_233_300_999 },
  { file: "goose/gen-goose-0.19.0-csv-requests.csv", startedAtMs: 1_795_233_300_001 },
  { file: "goose/gen-goose-0.19.0-json-requests.json", startedAtMs: 1_795_233_300_500 },
])("$file has times if the start of the run is given", async ({ file, startedAtMs }) => {
  const expectation = FIXTURES.find((each) => each.file === file);
  if (expectation === undefined) throw new Error(`BUG: no fixture ${file}`);
  const toolReport = readToolReport(file);
  const sample = { expectation, bytes: readFixture(file), toolReport, startedAtMs };
  expect(await checkFile(sample)).toEqual([]);
});
