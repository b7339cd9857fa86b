import {
  type Scope,
  type Series,
  type Summary,
  askEach,
  endpointCountOf,
} from "../../api/figures.ts";
import { SaveButton } from "../../parts/save-button.tsx";
import { afterStart } from "../../format/times.ts";
import { saveText } from "../../parts/save-file.ts";
import { csvCell } from "../../../../src/render/table-cell.ts";

interface CsvButtonProps {
  readonly scope: Scope;
  /** The table's rows: all, or the first. */
  readonly listed: Summary | undefined;
  /** Seconds of a point. */
  readonly resolution: number;
}

/** Saves the scope by endpoint and point as a file. */
export function CsvButton({ scope, listed, resolution }: CsvButtonProps) {
  const saved = savedScope(scope, listed);
  async function save(): Promise<void> {
    const { signal } = new AbortController();
    const series: Series[] = [];
    for (const part of askedParts(saved)) {
      series.push(...(await askEach(part, resolution, signal, "50,95,99")));
    }
    saveText(csvText(series), `${scope.id}.csv`);
  }
  const which =
    saved === scope ? "Every endpoint shown" : `The ${saved.hashes.length} endpoints listed`;
  const title = `${which}, ${afterStart(resolution)} per point`;
  return <SaveButton name="CSV" title={title} save={save} />;
}

/** Endpoints per request: URLs have a length limit. */
const AT_ONCE = 100;

function askedParts(scope: Scope): readonly Scope[] {
  const parts = Math.max(1, Math.ceil(scope.hashes.length / AT_ONCE));
  return Array.from({ length: parts }, (_, part) => ({
    ...scope,
    hashes: scope.hashes.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  }));
}

/** Of very many endpoints only those listed, unless some are selected. */
function savedScope(scope: Scope, listed: Summary | undefined): Scope {
  const isPart = listed !== undefined && listed.endpoints.length < endpointCountOf(listed);
  if (!isPart || scope.hashes.length > 0) return scope;
  return { ...scope, hashes: listed.endpoints.map(({ hash }) => hash) };
}

const HEAD = "label,second,requests,failed,average,p50,p95,p99,received bytes";

/** One row per endpoint and point; times in seconds, labels as stored. */
export function csvText(series: readonly Series[]): string {
  const rows = series.flatMap((each) =>
    each.labels.map((second, point) =>
      [
        csvCell(each.label ?? ""),
        second,
        each.count[point],
        each.errCount[point],
        each.avgLoadTime[point],
        ...["p50", "p95", "p99"].map((name) => each.percentiles[name]?.[point]),
        each.receivedBytes[point],
      ].join(","),
    ),
  );
  return `${[HEAD, ...rows].join("\r\n")}\r\n`;
}
