import { grown } from "../../model/columns.ts";
import type { Role } from "../../model/role.ts";
import type { LabelTable } from "../labels/label-table.ts";
import type { JmeterKernel } from "./jmeter-kernel.ts";
import { type FieldAt, type rowKind, RoleTable } from "./jmeter-fields.ts";
import type { NumberColumns } from "../measures/number-columns.ts";
import type { JmeterTargets } from "./jmeter-samples.ts";

/** Suffix of sub-results: their place within the request. */
const PLACE = /-\d+$/;
const PLACES = /^(?:-\d+)+$/;
/** After this many rows too far from their request, a label is given up. */
const TRIES_MAX = 100;
const FIRST_LABELS = 64;
/** Label of a request that has only a name. */
const NAMELESS = 0;

export interface JmeterCsvTargets extends JmeterTargets {
  readonly roles: JmeterCsvRoles;
  readonly kernel: JmeterKernel;
  readonly variables: NumberColumns;
}

export interface RowTimes {
  readonly label: number;
  /** UNIX second; 0: unknown. */
  readonly second: number;
  /** Milliseconds within the second; 0 if not written. */
  readonly millis: number;
  readonly elapsedMicros: number;
}

/**
 * Tells requests, sub-results and transactions apart, in row order. Transactions are marked by their message;
 * sub-results only by their label, that of the preceding request plus a number, which others may have as well. A
 * label is one of sub-results only if such rows began and ended within the preceding request of the same thread.
 */
export class JmeterCsvRoles extends RoleTable {
  readonly #labels: LabelTable;
  /** By label: 1 if a row had it as its name. */
  #isName: Uint8Array = new Uint8Array(FIRST_LABELS);
  /** Names of other rows, whose labels are templates. */
  readonly #otherNames = new Set<string>();
  readonly #tries = new Map<number, number>();
  /** The preceding request; label -1: none. */
  #label = -1;
  #second = 0;
  #millis = 0;
  #elapsedMicros = 0;
  /** Its name in the source, if labels are templates. */
  #name: string | undefined;
  readonly #thread: { bytes: Uint8Array; length: number } = {
    bytes: new Uint8Array(256),
    length: -1,
  };

  constructor(labels: LabelTable) {
    super();
    this.#labels = labels;
  }

  /**
   * Whether rows of a label must be compared with the preceding request: the name ends with a number and the
   * role is open.
   */
  mustBeClassified(label: number, name?: string): boolean {
    if (this.roleOf(label) !== "unclear") return false;
    if (!PLACE.test(name ?? this.#labels.textOf(label))) return false;
    return (this.#tries.get(label) ?? 0) <= TRIES_MAX;
  }

  /** Must be followed by `takeThread`. */
  takeRequest(label: number, second: number, millis: number, elapsedMicros: number): void {
    this.#label = label;
    this.#second = second;
    this.#millis = millis;
    this.#elapsedMicros = elapsedMicros;
    this.#name = undefined;
  }

  /** Thread of the preceding request; `undefined` if unknown. */
  takeThread(thread: FieldAt | undefined): void {
    const saved = this.#thread;
    saved.length = thread === undefined ? -1 : thread.to - thread.from;
    if (thread === undefined) return;
    if (saved.length > saved.bytes.length) saved.bytes = new Uint8Array(2 * saved.length);
    for (let at = 0; at < saved.length; at++) {
      saved.bytes[at] = thread.bytes[thread.from + at] as number;
    }
  }

  takeTransaction(label: number): void {
    this.say(label, "transaction");
    this.#takeOwnName(label);
    this.forgetRequest();
  }

  /**
   * Handles a row without message and data type: a redirect hop (HTTP/2 has no message), or an interrupted
   * transaction.
   */
  takeUnmarked(times: RowTimes, name: string, thread: FieldAt | undefined): void {
    this.#takeName(times.label, name);
    if (this.mustBeClassified(times.label, name)) {
      if (this.#isHop(times, name, thread)) {
        this.say(times.label, "subresult");
        return;
      }
      this.#isGivenUp(times.label);
    }
    this.say(times.label, "unclear");
    this.forgetRequest();
  }

  /** Handles the label of a row that is neither marked nor unmarked. Returns whether the other fields of the row do not matter. */
  takeLabel(label: number): boolean {
    if (this.roleOf(label) !== "unclear") return true;
    if (PLACE.test(this.#labels.textOf(label))) return false;
    this.#takeOwnName(label);
    this.say(label, "request");
    return true;
  }

  /** Handles any other row; `name` is its label as written by JMeter. */
  takeOther(times: RowTimes, name: string, thread: FieldAt | undefined): void {
    const { label, second, millis, elapsedMicros } = times;
    const isNumbered = PLACE.test(name) && this.#hasName(name.replace(PLACE, ""));
    this.#takeName(label, name);
    const role = isNumbered ? this.#classify(times, name, thread) : "request";
    this.say(label, role);
    if (role !== "request") return;
    this.takeRequest(label, second, millis, elapsedMicros);
    this.#name = name;
    this.takeThread(thread);
  }

  /** Returns the role of a row whose label is over the limit: a sub-result only if its position shows it. */
  takeNameless(
    kind: ReturnType<typeof rowKind>,
    times: Omit<RowTimes, "label">,
    { name, thread }: { readonly name: string; readonly thread: FieldAt | undefined },
  ): Role {
    if (kind !== "transaction" && this.#isHop(times, name, thread)) return "subresult";
    if (kind !== "other") {
      this.forgetRequest();
      return kind === "transaction" ? "transaction" : "unclear";
    }
    this.takeRequest(NAMELESS, times.second, times.millis, times.elapsedMicros);
    this.#name = name;
    this.takeThread(thread);
    return "request";
  }

  /** Handles a row that repeats others: no sub-results belong to it. */
  forgetRequest(): void {
    this.#label = -1;
  }

  #takeName(label: number, name: string): void {
    if (name === this.#labels.textOf(label)) this.#takeOwnName(label);
    else this.#otherNames.add(name);
  }

  #takeOwnName(label: number): void {
    if (label >= this.#isName.length) this.#isName = grown(this.#isName, label + 1);
    this.#isName[label] = 1;
  }

  #hasName(name: string): boolean {
    const label = this.#labels.find(name);
    return (label !== undefined && this.#isName[label] === 1) || this.#otherNames.has(name);
  }

  /** Classifies a row whose label begins with an earlier one. */
  #classify(times: RowTimes, name: string, thread: FieldAt | undefined) {
    if (thread === undefined) return "request";
    const role = this.#isAfterItsRequest(times, name, thread)
      ? this.#classifyByTimes(times)
      : "unclear";
    return role === "unclear" && this.#isGivenUp(times.label) ? "request" : role;
  }

  /** Whether a row is certainly a sub-result of the preceding one. */
  #isHop(times: Omit<RowTimes, "label">, name: string, thread: FieldAt | undefined): boolean {
    if (thread === undefined || !this.#isAfterItsRequest(times, name, thread)) return false;
    return this.#classifyByTimes(times) === "subresult";
  }

  #isAfterItsRequest(
    { second, millis }: Omit<RowTimes, "label">,
    name: string,
    thread: FieldAt,
  ): boolean {
    if (this.#label < 0 || second === 0 || !this.#isThread(thread)) return false;
    // If both have 0 ms, milliseconds were not written and tell no order.
    if (millis === 0 && this.#millis === 0) return false;
    const request = this.#name ?? this.#labels.textOf(this.#label);
    return name.startsWith(request) && PLACES.test(name.slice(request.length));
  }

  #isThread({ bytes, from, to }: FieldAt): boolean {
    const saved = this.#thread;
    if (saved.length !== to - from) return false;
    for (let at = 0; at < saved.length; at++)
      if (saved.bytes[at] !== bytes[from + at]) return false;
    return true;
  }

  /** A thread is sequential. */
  #classifyByTimes({
    second,
    millis,
    elapsedMicros,
  }: Omit<RowTimes, "label">): "request" | "subresult" | "unclear" {
    const start = (second - this.#second) * 1_000_000 + (millis - this.#millis) * 1000;
    const end = this.#elapsedMicros;
    if (start > end || (start === end && elapsedMicros > 0)) return "request";
    return start >= 0 && start < end && start + elapsedMicros <= end ? "subresult" : "unclear";
  }

  #isGivenUp(label: number): boolean {
    const tries = (this.#tries.get(label) ?? 0) + 1;
    this.#tries.set(label, tries);
    return tries > TRIES_MAX;
  }
}
