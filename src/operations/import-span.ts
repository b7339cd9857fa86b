import type { DataPoints } from "../model/data-points.ts";
import type { ImportReport } from "../model/import-report.ts";

/** Which endpoints and seconds the points of an import belong to. */
export class ImportSpan {
  readonly #endpoints = new Set<number>();
  #from: number | undefined;
  #until: number | undefined;

  add({ endpoint, second }: DataPoints): void {
    for (let point = 0; point < second.length; point++) {
      const label = endpoint[point] as number;
      if (label !== endpoint[point - 1]) this.#endpoints.add(label);
      const at = second[point] as number;
      if (at === 0) continue;
      if (this.#from === undefined || at < this.#from) this.#from = at;
      if (this.#until === undefined || at > this.#until) this.#until = at;
    }
  }

  report(): Pick<ImportReport, "endpoints" | "from" | "until"> {
    return { endpoints: this.#endpoints.size, from: this.#from, until: this.#until };
  }
}
