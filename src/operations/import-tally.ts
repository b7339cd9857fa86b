import type { DataPoints } from "../model/data-points.ts";
import { type ImportReport, type Rejection, REJECTIONS_LISTED } from "../model/import-report.ts";

/** Counts what becomes of a source while it is imported. */
export class ImportTally {
  /** Samples that were recorded. */
  recorded = 0;
  #rejected = 0;
  readonly #listed: Rejection[] = [];
  readonly #endpoints = new Set<number>();
  #from: number | undefined;
  #until: number | undefined;

  reject(rejection: Rejection): void {
    this.#rejected += 1;
    if (this.#listed.length < REJECTIONS_LISTED) this.#listed.push(rejection);
  }

  addPoints({ endpoint, second }: DataPoints): void {
    for (const [point, label] of endpoint.entries()) {
      if (label !== endpoint[point - 1]) this.#endpoints.add(label);
    }
    for (const at of second) {
      if (at === 0) continue;
      if (this.#from === undefined || at < this.#from) this.#from = at;
      if (this.#until === undefined || at > this.#until) this.#until = at;
    }
  }

  report(
    rest: Omit<ImportReport, "samples" | "endpoints" | "from" | "until" | "rejections">,
  ): ImportReport {
    return {
      ...rest,
      samples: {
        read: this.recorded + this.#rejected,
        recorded: this.recorded,
        rejected: this.#rejected,
      },
      endpoints: this.#endpoints.size,
      from: this.#from,
      until: this.#until,
      rejections: this.#listed,
    };
  }
}
