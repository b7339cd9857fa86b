import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../src/store/memory.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { checkFile } from "./check-file.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";
import { readToolReport } from "./tool-report.ts";

describe.each([
  { name: "memory", hasDetails: true, openStore: async () => openMemoryStore() },
  { name: "sqlite", hasDetails: false, openStore: () => openStoreIn(temporaryDirectory()) },
])("through the store $name", ({ openStore, hasDetails }) => {
  test.each(FIXTURES)("$file is imported as it should be: $reason", async (expectation) => {
    const { file } = expectation;
    const toolReport = readToolReport(file);
    const store = await openStore();
    const sample = { expectation, bytes: readFixture(file), toolReport, store, hasDetails };
    expect(await checkFile(sample)).toEqual([]);
  });
});

// Asia/Kolkata is not a whole number of hours away from UTC; in Apia the day was another one.
test.each(["Asia/Kolkata", "America/St_Johns", "Pacific/Apia"])(
  "timestamps without a zone are read in %s when that is asked for",
  async (timeZone) => {
    const file = "jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms.csv";
    const expectation = FIXTURES.find((each) => each.file === file);
    if (expectation === undefined) throw new Error(`BUG: no fixture ${file}`);
    const sample = { expectation, bytes: readFixture(file), toolReport: undefined, timeZone };
    expect(await checkFile(sample)).toEqual([]);
  },
);
