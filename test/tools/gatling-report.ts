/** Reads Gatling's reports: the tables of its pages, stats.json and its console output. */

import type { ReportedEndpoint, ReportedFailure } from "./tool.ts";

interface Row {
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  /** Text of the cells by the number in their class. */
  readonly cells: ReadonlyMap<number, string>;
}

/** Since 3.15 Gatling writes its statistics only to the tables of its page. */
export function endpointsInPage(page: string): Record<string, ReportedEndpoint> {
  const rows = [...page.matchAll(/<tr id="([^"]+)" data-parent="([^"]+)">(.*?)<\/tr>/gs)].map(
    ([, id = "", parent = "", content = ""]): Row => ({
      id,
      parent,
      name: textOf(/class="ellipsed-name">(.*?)<\/span>/s.exec(content)?.[1]),
      cells: new Map(
        [...content.matchAll(/<td class="value [^"]*col-(\d+)">(.*?)<\/td>/gs)].map(
          ([, column, text]) => [Number(column), textOf(text)],
        ),
      ),
    }),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Object.fromEntries(
    rows
      .filter(({ id }) => id.startsWith("req_"))
      .map((row) => [pathOf(row, byId).join(" / "), figuresOf(row.cells)]),
  );
}

function pathOf(row: Row, byId: ReadonlyMap<string, Row>): string[] {
  const parent = byId.get(row.parent);
  return parent === undefined ? [row.name] : [...pathOf(parent, byId), row.name];
}

function figuresOf(cells: ReadonlyMap<number, string>): ReportedEndpoint {
  const cell = (column: number): number => Number(cells.get(column));
  return {
    count: cell(2),
    errors: cell(4),
    minMs: cell(7),
    quantilesMs: { 0.5: cell(8), 0.75: cell(9), 0.95: cell(10), 0.99: cell(11) },
    maxMs: cell(12),
    avgMs: cell(13),
  };
}

/**
 * A node of the `stats.json` of Gatling up to 3.13; percentiles are the 50th, 75th, 95th and 99th.
 */
interface Node {
  readonly type: "GROUP" | "REQUEST";
  readonly name: string;
  readonly stats: Readonly<Record<NodeFigure, { readonly total: number; readonly ko: number }>>;
  readonly contents?: Readonly<Record<string, Node>>;
}

type NodeFigure =
  | "numberOfRequests"
  | "minResponseTime"
  | "maxResponseTime"
  | "meanResponseTime"
  | "percentiles1"
  | "percentiles2"
  | "percentiles3"
  | "percentiles4";

export function endpointsInStatistics(json: string): Record<string, ReportedEndpoint> {
  const { contents = {} } = JSON.parse(json) as Node;
  return Object.fromEntries(Object.values(contents).flatMap((node) => endpointsUnder(node, [])));
}

function endpointsUnder(node: Node, groups: readonly string[]): [string, ReportedEndpoint][] {
  const path = [...groups, textOf(node.name)];
  if (node.type === "REQUEST") return [[path.join(" / "), figuresOfNode(node)]];
  return Object.values(node.contents ?? {}).flatMap((child) => endpointsUnder(child, path));
}

function figuresOfNode({ stats }: Node): ReportedEndpoint {
  return {
    count: stats.numberOfRequests.total,
    errors: stats.numberOfRequests.ko,
    minMs: stats.minResponseTime.total,
    quantilesMs: {
      0.5: stats.percentiles1.total,
      0.75: stats.percentiles2.total,
      0.95: stats.percentiles3.total,
      0.99: stats.percentiles4.total,
    },
    maxMs: stats.maxResponseTime.total,
    avgMs: stats.meanResponseTime.total,
  };
}

/**
 * The table includes ERROR records, which are not requests: the simulation has one kind of them.
 */
export function failuresInPage(page: string): ReportedFailure[] {
  const rows = page.matchAll(
    /<td class="error-col-1 total ko">(.*?)<span.*?<td class="value error-col-2 total ko">(\d+)</gs,
  );
  return [...rows]
    .map(([, message, requests]) => ({ message: textOf(message), requests: Number(requests) }))
    .filter(({ message }) => !message.startsWith("not built: "));
}

/** The last lines of the progress output have the finished users of each scenario. */
export function doneUsers(console: string): number {
  const last = console.slice(console.lastIndexOf("---- Requests -"));
  return [...last.matchAll(/ \/ done: +(\d+)/g)].reduce((sum, [, done]) => sum + Number(done), 0);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function textOf(html = ""): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
