import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { FIXTURE_FOLDER } from "./fixtures.ts";

/** `*.expected.json`: what the tool reported, and what a reader of the same file counted. */
export interface ToolReport {
  /** `null` where the tool was killed and reported nothing. */
  readonly endpoints: Record<string, ToolFigures> | null;
  readonly recount?: Record<string, ToolFigures>;
  readonly computedFromFile?: { readonly endpoints: Record<string, ToolFigures> };
}

/** What a tool said of one endpoint; k6 leaves out what no threshold asked for. */
export interface ToolFigures {
  readonly count?: number;
  readonly errors?: number;
  readonly avgMs?: number;
  readonly minMs?: number;
  readonly maxMs?: number;
}

/** The tool's own figures of a file in `folder`, `undefined` where there are none. */
export function readToolReport(file: string, folder = FIXTURE_FOLDER): ToolReport | undefined {
  const stem = path.join(folder, file.replace(/(?:\.(?:jtl|csv|json))?(?:\.gz)?$/, ""));
  const candidates = file.endsWith(".gz") ? [`${stem}.gz`, stem] : [stem];
  const found = candidates.map((name) => `${name}.expected.json`).find((name) => existsSync(name));
  return found === undefined ? undefined : (JSON.parse(readFileSync(found, "utf8")) as ToolReport);
}

/** Both sides are rounded to the microsecond: half of one each, and what binary fractions lose. */
const TOLERANCE_MS = 0.001 + 1e-9;

/** Where `found` says something else of an endpoint than its tool did, one line for each figure. */
export function differencesFromTool(
  label: string,
  reported: ToolFigures,
  found: Required<ToolFigures>,
): string[] {
  const figures = ["count", "errors", "avgMs", "minMs", "maxMs"] as const;
  return figures.flatMap((figure) => {
    const want = known(label, figure) ?? reported[figure];
    const tolerance = figure.endsWith("Ms") ? TOLERANCE_MS : 0;
    if (want === undefined || Math.abs(want - found[figure]) <= tolerance) return [];
    return [`${label}: ${figure} ${found[figure]}, the tool reported ${want}`];
  });
}

/**
 * k6 counts no failure where the script switches its judgement off (`responseCallback: null`); then
 * the status decides here, and all 12 requests of that name got a 404.
 */
function known(label: string, figure: string): number | undefined {
  return label === "no-callback" && figure === "errors" ? 12 : undefined;
}
