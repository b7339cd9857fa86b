import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ALL_REQUESTS } from "../../src/decode/labels/label-template.ts";
import { FIXTURE_FOLDER } from "./fixtures.ts";

/** `*.expected.json`: what the tool reported, and what another reader of the same file counted. */
export interface ToolReport {
  /** Omitted by some. */
  readonly tool?: string;
  /** `null` if the tool was killed and reported nothing. */
  readonly endpoints: Record<string, ToolFigures> | null;
  readonly recount?: Record<string, ToolFigures>;
  readonly computedFromFile?: { readonly endpoints: Record<string, ToolFigures> };
  /** Gatling: number of occurrences of each failure message in the log. */
  readonly koMessages?: Readonly<Record<string, number>>;
  /** Gatling: `SCENARIO|START` and `SCENARIO|END` with the number of records. */
  readonly users?: Readonly<Record<string, number>>;
}

/** A tool's statistics of one endpoint; k6 omits those without a threshold. */
export interface ToolFigures {
  readonly count?: number;
  readonly errors?: number;
  readonly avgMs?: number;
  readonly minMs?: number;
  readonly maxMs?: number;
}

/** The tool's own statistics of a file in `folder`; `undefined` if there are none. */
export function readToolReport(file: string, folder = FIXTURE_FOLDER): ToolReport | undefined {
  const stem = path.join(
    folder,
    file.replace(/(?:\.(?:simulation\.log|jtl|csv|json|har))?(?:\.gz)?$/, ""),
  );
  const candidates = file.endsWith(".gz") ? [`${stem}.gz`, stem] : [stem];
  const found = candidates.map((name) => `${name}.expected.json`).find((name) => existsSync(name));
  return found === undefined ? undefined : (JSON.parse(readFileSync(found, "utf8")) as ToolReport);
}

/** Both sides are rounded to the microsecond; plus floating-point error. */
const TOLERANCE_MS = 0.001 + 1e-9;
/** Gatling's own report has whole milliseconds. */
const GATLING_TOLERANCE_MS = 0.5 + TOLERANCE_MS;
/** Artillery prints averages, of windows and of the run, with one decimal. */
const ARTILLERY_TOLERANCE_MS = 0.1 + TOLERANCE_MS;

/** Statistics of endpoints from another source. */
interface ReportTable {
  readonly figures: Record<string, ToolFigures>;
  readonly toleranceMs: number;
  /** How it spells a label. */
  readonly nameOf: (label: string) => string;
}

/** The differences of `found`, by label, from the tool or a reader of its file. */
export function reportDifferences(
  report: ToolReport,
  found: ReadonlyMap<string, Required<ToolFigures>>,
): string[] {
  // The only endpoint of a file without names has another name in the report.
  const only = found.size === 1 ? found.get(ALL_REQUESTS) : undefined;
  return tablesOf(report).flatMap(({ figures, toleranceMs, nameOf }) => {
    const shown = new Map([...found].map(([label, own]) => [nameOf(label), own]));
    return Object.entries(figures).flatMap(([name, reported]) => {
      const own = found.get(name) ?? shown.get(name) ?? only;
      if (own === undefined) return [`${name}: missing`];
      return figureDifferences({ name, reported, toleranceMs }, own);
    });
  });
}

const LOOSER: Readonly<Record<string, Partial<ReportTable>>> = {
  gatling: { toleranceMs: GATLING_TOLERANCE_MS, nameOf: withoutControls },
  artillery: { toleranceMs: ARTILLERY_TOLERANCE_MS },
};

function tablesOf({ tool, endpoints, recount, computedFromFile }: ToolReport): ReportTable[] {
  const exact = { toleranceMs: TOLERANCE_MS, nameOf: unchanged };
  const own = { ...exact, ...LOOSER[tool ?? ""] };
  return [
    { figures: endpoints ?? {}, ...own },
    { figures: recount ?? {}, ...exact },
    { figures: computedFromFile?.endpoints ?? {}, ...exact },
  ];
}

/** Gatling's report shows line breaks and tabs as spaces. */
function withoutControls(label: string): string {
  return label.replaceAll(/[\t\n\r]/g, " ");
}

function unchanged(label: string): string {
  return label;
}

/** One line for each statistic of an endpoint in `own` that differs from the report. */
function figureDifferences(
  { name, reported, toleranceMs }: { name: string; reported: ToolFigures; toleranceMs: number },
  own: Required<ToolFigures>,
): string[] {
  const figures = ["count", "errors", "avgMs", "minMs", "maxMs"] as const;
  return figures.flatMap((figure) => {
    const want = known(name, figure) ?? reported[figure];
    const tolerance = figure.endsWith("Ms") ? toleranceMs : 0;
    if (want === undefined || Math.abs(want - own[figure]) <= tolerance) return [];
    return [`${name}: ${figure} ${own[figure]}, the tool reported ${want}`];
  });
}

/**
 * k6 counts no failure where the script disables its check (`responseCallback: null`); then the status
 * decides here, and all 12 requests of that name got a 404. The statistics of the HAR files omit aborted
 * responses with status 200.
 */
const KNOWN: Readonly<Record<string, number>> = {
  "no-callback": 12,
  "GET http://127.0.0.1:9138/slow": 5,
};

function known(label: string, figure: string): number | undefined {
  return figure === "errors" ? KNOWN[label] : undefined;
}
