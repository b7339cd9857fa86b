import type { LoadTestSummary } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { FEWEST_ROWS } from "./unread-rows.ts";

/** Where the requests of a running load test begin that count in totals: transactions may begin earlier. */
export class FirstRequest {
  /** By the first second of any row, which changes if earlier data arrive. */
  #known: { readonly begin: number; readonly from: number } | undefined;

  /** Throws what `LoadTestReader.summarise` throws. */
  async secondOf(
    reader: Pick<LoadTestReader, "summarise">,
    { id: loadTestId, from: begin = 0 }: Pick<LoadTestSummary, "id" | "from">,
  ): Promise<number> {
    if (this.#known?.begin === begin) return this.#known.from;
    const all = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
    const { overall, overallOf } = await reader.summarise({
      loadTestId,
      ...all,
      rows: FEWEST_ROWS,
    });
    const from = overall.from ?? begin;
    // While there are only transactions, these count.
    this.#known = overallOf === "requests" ? { begin, from } : undefined;
    return from;
  }
}
