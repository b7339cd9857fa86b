import { checkLoadTestName } from "../operations/load-test-name.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { unknownLoadTest } from "../model/unknown-load-test.ts";
import { loadTestJson } from "../render/load-test-json.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount, formatSecond } from "./format-quantity.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

type OutputOptions = StoreOptions & { readonly json?: true };

/** Prints all load tests, newest first. */
export async function listTestsCommand(options: OutputOptions, shell: Shell): Promise<number> {
  await using opened = await openStore(options, shell);
  const loadTests = await opened.store.loadTests.list();
  if (options.json) {
    await shell.writeOut(`${JSON.stringify(loadTests.map(loadTestJson))}\n`);
    return EXIT.done;
  }
  const rows = loadTests.map((loadTest) => [
    loadTest.id,
    printable(loadTest.name),
    loadTest.from === undefined ? "-" : formatSecond(loadTest.from),
    String(loadTest.endpoints),
    String(loadTest.requests),
    String(loadTest.failedRequests),
  ]);
  const head = ["ID", "NAME", "FROM", "ENDPOINTS", "REQUESTS", "FAILED"];
  await shell.writeOut(formatTable([head, ...rows]));
  return EXIT.done;
}

/** Prints one load test and its endpoints. */
export async function showTestCommand(
  id: string,
  options: OutputOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openStore(options, shell);
  const snapshot = await opened.store.points.snapshot(id);
  const summary = await opened.store.loadTests.find(id);
  if (snapshot === undefined || summary === undefined) throw unknownLoadTest(id);
  const labels = (await snapshot.endpoints()).map(({ label }) => label);
  snapshot.release();
  const sources = await opened.store.points.sources(id);
  if (options.json) {
    const files = sources.map(({ name, format, sizeBytes, sha256 }) => ({
      name,
      format,
      sizeBytes,
      sha256,
    }));
    const document = { ...loadTestJson(summary), labels, sources: files };
    await shell.writeOut(`${JSON.stringify(document)}\n`);
    return EXIT.done;
  }
  await shell.writeOut(
    [
      `${summary.id}  ${printable(summary.name)}`,
      ...spanLine(summary),
      `${formatCount(summary.requests, "request")}, ${summary.failedRequests} failed`,
      ...sources.map(({ name, format }) => `from ${printable(name)} (${format})`),
      `${formatCount(labels.length, "endpoint")}:`,
      ...labels.map((label) => `  ${printable(label)}`),
    ]
      .map((line) => `${line}\n`)
      .join(""),
  );
  return EXIT.done;
}

export async function renameTestCommand(
  id: string,
  name: string,
  options: StoreOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openStore(options, shell);
  await opened.store.loadTests.update(id, { name: checkLoadTestName(name) });
  return EXIT.done;
}

export async function deleteTestCommand(
  id: string,
  options: StoreOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openStore(options, shell);
  await opened.store.loadTests.delete(id);
  return EXIT.done;
}

function spanLine({ from, until }: LoadTestSummary): string[] {
  return from === undefined || until === undefined
    ? []
    : [`${formatSecond(from)} to ${formatSecond(until)}`];
}
