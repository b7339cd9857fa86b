import type { LoadTestSummary } from "../model/load-test.ts";
import { loadTestJson } from "../render/load-test-json.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount, formatSecond } from "./format-quantity.ts";
import { openedCatalogue } from "./opened-catalogue.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

type OutputOptions = PlaceOptions & { readonly json?: true };

export interface ListOptions extends OutputOptions {
  readonly search?: string;
  readonly tag?: string;
  readonly limit?: number;
}

/** Prints the load tests that are looked for, newest first. */
export async function listTestsCommand(options: ListOptions, shell: Shell): Promise<number> {
  const { search, tag, limit } = options;
  await using opened = await openedCatalogue(options, shell);
  const { loadTests } = await opened.catalogue.list({ search, tag, limit });
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
    loadTest.pinned ? "pinned" : "-",
    printable(loadTest.tags.join(",")),
  ]);
  const head = ["ID", "NAME", "FROM", "ENDPOINTS", "REQUESTS", "FAILED", "PINNED", "TAGS"];
  await shell.writeOut(formatTable([head, ...rows]));
  return EXIT.done;
}

/** Prints one load test and its endpoints. */
export async function showTestCommand(
  id: string,
  options: OutputOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openedCatalogue(options, shell);
  const { loadTest: summary, sources } = await opened.catalogue.show(id);
  const labels = await opened.catalogue.labels(id);
  if (options.json) {
    const files = sources.map(({ name, format, sizeBytes, digest }) => ({
      name,
      format,
      sizeBytes,
      digest,
    }));
    const document = { ...loadTestJson(summary), labels, sources: files };
    await shell.writeOut(`${JSON.stringify(document)}\n`);
    return EXIT.done;
  }
  await shell.writeOut(
    [
      `${summary.id}  ${printable(summary.name)}`,
      ...spanLine(summary),
      ...stateLine(summary),
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

function stateLine({ pinned, finishedAtMs, tags }: LoadTestSummary): string[] {
  const states = [
    ...(tags.length === 0 ? [] : [`tags ${printable(tags.join(", "))}`]),
    ...(pinned ? ["pinned"] : []),
    ...(finishedAtMs === undefined ? [] : [`finished ${formatSecond(finishedAtMs / 1000)}`]),
  ];
  return states.length === 0 ? [] : [states.join("; ")];
}

function spanLine({ from, until }: LoadTestSummary): string[] {
  return from === undefined || until === undefined
    ? []
    : [`${formatSecond(from)} to ${formatSecond(until)}`];
}
