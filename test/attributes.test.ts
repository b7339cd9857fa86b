/** Every attribute of a load test passes every door. The conformance suite walks them through the stores. */

import { parquetMetadataAsync } from "hyparquet";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSnapshots } from "../page/report/report-snapshots.ts";
import { readReport } from "../src/analysis/report/read-report.ts";
import { openCatalogue } from "../src/catalogue/catalogue.ts";
import type { CommandContext } from "../src/cli/command-context.ts";
import { importSessions } from "../src/cli/commands/import.ts";
import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { decodePoints } from "../src/import/decode-points.ts";
import { type ImportRequest, importResults } from "../src/import/import-results.ts";
import type { ImportTarget } from "../src/import/ensure-load-test.ts";
import { ATTRIBUTES } from "../src/model/load-test/attributes.ts";
import type { LoadTest } from "../src/model/load-test.ts";
import { openParquet } from "../src/query/write-parquet.ts";
import { openRemoteTarget } from "../src/remote/remote-target.ts";
import type { ServerCalls } from "../src/remote/server-calls.ts";
import { loadTestJson } from "../src/render/load-test-json.ts";
import { packReport, type ReportContents, unpackReports } from "../src/render/report-bytes.ts";
import { ALL_ENDPOINTS } from "../src/series/endpoint-selection.ts";
import type { Store } from "../src/store/store.ts";
import { batchOf, sample } from "./support/batches.ts";
import { copy } from "./support/copying.ts";
import { EVERY_ATTRIBUTE, loadTest } from "./support/load-tests.ts";
import { inChunks } from "./support/imports.ts";
import { openMemoryStore } from "./support/memory-store/memory-store.ts";

const RUN = { ...loadTest("run"), ...EVERY_ATTRIBUTE };

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-attributes-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** With a request, and with every attribute unless `created` says otherwise. */
async function storeOf(created: LoadTest = RUN): Promise<Store> {
  const store = openMemoryStore();
  await store.loadTests.create(created);
  await store.points.append(batchOf([sample("a", 1_700_000_000)]));
  return store;
}

function catalogueOf(store: Store) {
  return openCatalogue({ ...store, now: () => 9, createLoadTestId: () => "new" });
}

async function importFile(store: ImportTarget, given: Partial<ImportRequest> = {}) {
  const request = {
    loadTest: { id: "run", ...EVERY_ATTRIBUTE },
    name: "run.jtl",
    chunks: inChunks(Buffer.from(ROWS)),
    decodeOptions: { timeZone: "UTC" },
    ...given,
  };
  const dependencies = { formats: [jmeterCsv], decodePoints, now: () => 9 };
  return importResults(request, { store, ...dependencies });
}

const ROWS = "timeStamp,elapsed,label,success,bytes\n1700000000000,100,cart,true,10\n";

test("the fixture has every attribute", () => {
  expect(Object.keys(EVERY_ATTRIBUTE)).toEqual(Object.keys(ATTRIBUTES));
});

test("the API creates, changes and shows", async () => {
  const created = openMemoryStore();
  const shown = await catalogueOf(created).create({ id: "run", ...EVERY_ATTRIBUTE });
  expect(loadTestJson(shown)).toMatchObject(EVERY_ATTRIBUTE);
  const changed = await storeOf(loadTest("run"));
  expect(await catalogueOf(changed).change("run", EVERY_ATTRIBUTE)).toMatchObject(EVERY_ATTRIBUTE);
  const [listed] = (await catalogueOf(changed).list({})).loadTests;
  expect(listed && loadTestJson(listed)).toMatchObject(EVERY_ATTRIBUTE);
});

test("an import creates its load test with them", async () => {
  const store = openMemoryStore();
  await importFile(store);
  expect(await store.loadTests.find("run")).toMatchObject(EVERY_ATTRIBUTE);
});

test("an import to a server sends them", async () => {
  const bodies: unknown[] = [];
  const calls = { call: async ({ members }: { members: unknown }) => bodies.push(members) };
  const target = openRemoteTarget(calls as unknown as ServerCalls);
  await target.loadTests.create(RUN);
  expect(bodies).toEqual([{ id: "run", ...EVERY_ATTRIBUTE }]);
});

test("each session of a file has them, but for its name", async () => {
  const store = openMemoryStore();
  const file = path.join(folder, "run.jtl");
  await writeFile(file, ROWS);
  const context = {
    terminal: { errorIsTerminal: false },
    interrupted: new AbortController().signal,
    imports: { importResults: importFile },
    writeError: expect.unreachable,
    now: () => 9,
  } as unknown as CommandContext;
  const job = { file, target: store, format: undefined, decodeOptions: { timeZone: "UTC" } };
  const given = { loadTest: { id: "run", ...EVERY_ATTRIBUTE }, isOnlyNew: false };
  await importSessions([{ ...job, ...given, report: async () => undefined }], 3600, context);
  const { name, ...others } = EVERY_ATTRIBUTE;
  expect(await store.loadTests.find("run-1")).toMatchObject({ name: `${name} 1`, ...others });
});

test("a copy has them, also one that was made before they were set", async () => {
  const from = await storeOf(loadTest("run"));
  const to = openMemoryStore();
  await copy(from, to);
  await from.loadTests.update("run", EVERY_ATTRIBUTE);
  await copy(from, to);
  expect(await to.loadTests.find("run")).toMatchObject(EVERY_ATTRIBUTE);
  await from.loadTests.update("run", { environment: undefined, tags: [], pinned: false });
  await copy(from, to);
  expect(await to.loadTests.find("run")).toMatchObject({ tags: [], environment: undefined });
});

test("a report shows them", async () => {
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { about, ...contents } = await readReport(await storeOf(), query);
  const written = { ...about, madeAtMs: 0, version: "1.2.3" };
  const bytes = Buffer.concat([...packReport({ ...contents, about: written })]);
  const read = await reportSnapshots(
    unpackReports<typeof written>(bytes)[0] as ReportContents<typeof written>,
  ).snapshot("run");
  expect(read?.loadTest).toMatchObject(EVERY_ATTRIBUTE);
});

test("a Parquet file has them in its metadata", async () => {
  const opened = await openParquet((await storeOf()).points, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
  });
  const bytes = Buffer.concat(await Array.fromAsync(opened.chunks()));
  const file = new Uint8Array(bytes).buffer;
  const { key_value_metadata: pairs = [] } = await parquetMetadataAsync(file);
  const metadata = JSON.parse(pairs.find(({ key }) => key === "tachograph")?.value ?? "{}");
  expect(metadata).toMatchObject({ loadTest: { id: "run", ...EVERY_ATTRIBUTE } });
});
