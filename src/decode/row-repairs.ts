import type { Rejection } from "../model/import-report.ts";
import type { RepairKind } from "../model/quality/repairs.ts";
import type { SampleSink } from "./decoder.ts";

/** What is unknown of the record that is being read, until its reader adds the place. */
export class RowRepairs {
  readonly #reasons = new Map<RepairKind, string>();

  /** The first reason of each kind counts. */
  add(kind: RepairKind, reason: string): void {
    if (!this.#reasons.has(kind)) this.#reasons.set(kind, reason);
  }

  has(kind: RepairKind): boolean {
    return this.#reasons.has(kind);
  }

  get isEmpty(): boolean {
    return this.#reasons.size === 0;
  }

  /** Must be called before a record that is counted is read, and after one that is not. */
  clear(): void {
    if (this.#reasons.size > 0) this.#reasons.clear();
  }

  /** Hands over what is known of a counted record, and clears it. */
  report(sink: SampleSink, place: Pick<Rejection, "line" | "byte">): void {
    for (const [kind, reason] of this.#reasons) sink.repair(kind, { ...place, reason });
    this.#reasons.clear();
  }
}
