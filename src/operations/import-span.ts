import type { DataPoints } from "../model/data-points.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { OtherLabels } from "./other-labels.ts";

/** Which endpoints and seconds the points of an import belong to. */
export class ImportSpan {
  /** 1 for each label that has points. */
  #isUsed = new Uint8Array(64);
  #endpoints = 0;
  #from: number | undefined;
  #until: number | undefined;

  add({ endpoint, second }: DataPoints): void {
    for (let point = 0; point < second.length; point++) {
      const label = endpoint[point] as number;
      if (label !== endpoint[point - 1]) this.#use(label);
      const at = second[point] as number;
      if (at === 0) continue;
      if (this.#from === undefined || at < this.#from) this.#from = at;
      if (this.#until === undefined || at > this.#until) this.#until = at;
    }
  }

  #use(label: number): void {
    if (label >= this.#isUsed.length) {
      const before = this.#isUsed;
      this.#isUsed = new Uint8Array(Math.max(label + 1, before.length * 2));
      this.#isUsed.set(before);
    }
    this.#endpoints += 1 - (this.#isUsed[label] as number);
    this.#isUsed[label] = 1;
  }

  /** `others` has appended the points. */
  report(others: OtherLabels): Pick<ImportReport, "endpoints" | "other" | "from" | "until"> {
    return {
      endpoints: this.#endpoints - others.endpointsFewer,
      other: others.report(),
      from: this.#from,
      until: this.#until,
    };
  }
}
