import { askFailures, type Failures, type Scope } from "../../api/figures.ts";
import { askMeasureSeries, type MeasurePoints } from "../../api/measures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { Range } from "../scope/range.ts";
import { RESPONSES } from "./codes.ts";

interface CodesRequest {
  readonly scope: Scope;
  readonly range: Range;
  /** Length of an interval in seconds. */
  readonly resolution: number;
  readonly version: number;
  /** Whether codes of passed requests were recorded; otherwise nothing is requested. */
  readonly isRecorded: boolean;
}

export interface Codes {
  readonly failed: Pick<Failures, "kinds">;
  readonly passed: readonly MeasurePoints[];
}

/** Requests how often responses of the selected endpoints, or of all, had each code. */
export function useCodes(request: CodesRequest): Codes | undefined {
  const { scope, range, resolution, version, isRecorded } = request;
  const { value } = useAnswer(
    "codes",
    isRecorded ? JSON.stringify([scope, range, resolution]) : "",
    async (signal): Promise<Codes> => {
      const [failed, ...passed] = await Promise.all([
        scope.outcome === "passed"
          ? { kinds: [] }
          : askFailures({ ...scope, ...range }, resolution, signal),
        ...askPassed(request, signal),
      ]);
      return { failed, passed: passed.flat() };
    },
    { version },
  );
  return isRecorded ? value : undefined;
}

function askPassed({ scope, range, resolution }: CodesRequest, signal: AbortSignal) {
  const { id, hashes, outcome } = scope;
  if (outcome === "failed") return [];
  return (hashes.length === 0 ? [undefined] : hashes).map((hash) =>
    askMeasureSeries({ id, ...range }, { name: RESPONSES, hash }, resolution, signal),
  );
}
