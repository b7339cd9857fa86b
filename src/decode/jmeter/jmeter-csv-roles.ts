import { type Role, ROLES } from "../../model/role.ts";
import type { JmeterKernel } from "./jmeter-kernel.ts";
import type { FieldAt, rowKind } from "./jmeter-fields.ts";
import type { JmeterTargets } from "./jmeter-samples.ts";
import type { RoleTable } from "../role-table.ts";

/** What JMeter puts behind the label of a sub-result: its place among those of the request. */
const PLACE = /-\d+$/;
const PLACES = /^(?:-\d+)+$/;
/** Rows of a label that come too far from their request to be judged, after which it is given up. */
const TRIES_MAX = 100;
/** Stands for the label of a request in front that has a name instead. */
const NAMELESS = 0;

/** Where the rows of JMeter's CSV go. */
export interface JmeterCsvTargets extends JmeterTargets {
  readonly roles: JmeterCsvRoles;
  readonly kernel: JmeterKernel;
}

/** When a row of some label began, and how long it took. */
export interface RowTimes {
  readonly label: number;
  /** UNIX second; 0: not known. */
  readonly second: number;
  /** Milliseconds within it; 0 where they are not written. */
  readonly millis: number;
  readonly elapsedMicros: number;
}

/**
 * Tells requests, their sub-results and transactions apart, in the order of the rows. JMeter marks
 * transactions by their message, and sub-results by nothing but their label: that of the request in
 * front of them and a number. Others are called so, too; so a label is one of sub-results only where
 * such a row began and ended while the request in front of it, of the same thread, was under way.
 */
export class JmeterCsvRoles {
  readonly #roles: RoleTable;
  readonly #labels: readonly string[];
  readonly #names = new Set<string>();
  readonly #tries = new Map<number, number>();
  /** The request in front; label -1 where there is none. */
  #label = -1;
  #second = 0;
  #millis = 0;
  #elapsedMicros = 0;
  /** Where its label is put together: its name in the source. */
  #name: string | undefined;
  readonly #thread: { bytes: Uint8Array; length: number } = {
    bytes: new Uint8Array(256),
    length: -1,
  };

  constructor(roles: RoleTable, labels: readonly string[]) {
    this.#roles = roles;
    this.#labels = labels;
  }

  /** What the rows under a label are, as an index into `ROLES`. */
  roleIndexOf(label: number): number {
    return ROLES.indexOf(this.#roles.roleOf(label));
  }

  /** Whether a label is known as one of requests: `takeRequest` and `takeThread` are enough then. */
  isRequest(label: number): boolean {
    return this.#roles.isRequest(label);
  }

  /** Whether it is known as one of sub-results: then there is no need to take its rows. */
  isSubresult(label: number): boolean {
    return this.#roles.isSubresult(label);
  }

  /**
   * Whether each row of a label, written `name`, must be compared with the request before it: the
   * name ends with a number and the role is still open.
   */
  mustBeJudged(label: number, name = this.#labels[label] ?? ""): boolean {
    if (this.#roles.roleOf(label) !== "unclear" || !PLACE.test(name)) return false;
    return (this.#tries.get(label) ?? 0) <= TRIES_MAX;
  }

  /** Takes a request; `takeThread` is to follow. */
  takeRequest(label: number, second: number, millis: number, elapsedMicros: number): void {
    this.#label = label;
    this.#second = second;
    this.#millis = millis;
    this.#elapsedMicros = elapsedMicros;
    this.#name = undefined;
  }

  /** Keeps the thread of the request in front; `undefined` where the source does not tell. */
  takeThread(thread: FieldAt | undefined): void {
    const kept = this.#thread;
    kept.length = thread === undefined ? -1 : thread.to - thread.from;
    if (thread === undefined) return;
    if (kept.length > kept.bytes.length) kept.bytes = new Uint8Array(2 * kept.length);
    for (let at = 0; at < kept.length; at++) {
      kept.bytes[at] = thread.bytes[thread.from + at] as number;
    }
  }

  /** Takes a row that sums up a transaction. */
  takeTransaction(label: number): void {
    this.#roles.say(label, "transaction");
    this.#forget(label);
  }

  /**
   * Takes a row without a message and without a data type: a hop of a redirect (servers that speak
   * HTTP/2 send no message), or a transaction that was interrupted.
   */
  takeBare(times: RowTimes, name: string, thread: FieldAt | undefined): void {
    this.#names.add(name);
    if (this.mustBeJudged(times.label, name)) {
      if (this.#isHop(times, name, thread)) {
        this.#roles.say(times.label, "subresult");
        return;
      }
      this.#isGivenUp(times.label);
    }
    this.#roles.say(times.label, "unclear");
    this.forgetRequest();
  }

  /** Takes any other row. Its label as JMeter wrote it is `name`, whatever labels are made of. */
  takeOther(times: RowTimes, name: string, thread: FieldAt | undefined): void {
    const { label, second, millis, elapsedMicros } = times;
    const isNumbered = PLACE.test(name) && this.#names.has(name.replace(PLACE, ""));
    this.#names.add(name);
    const role = isNumbered ? this.#judge(times, name, thread) : "request";
    this.#roles.say(label, role);
    if (role !== "request") return;
    this.takeRequest(label, second, millis, elapsedMicros);
    this.#name = name;
    this.takeThread(thread);
  }

  /**
   * Takes a row of any kind whose label is one of many that nothing is kept of. Answers what it is:
   * a sub-result only where its own place in the source shows it.
   */
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

  /** Says what rows of a label are. */
  say(label: number, role: Role): void {
    this.#roles.say(label, role);
  }

  /** Takes a row like those before of its label that repeats others: no sub-result belongs to it. */
  forgetRequest(): void {
    this.#label = -1;
  }

  #forget(label: number): void {
    this.#names.add(this.#labels[label] as string);
    this.forgetRequest();
  }

  /** Judges a row whose label begins with one that was there before. */
  #judge(times: RowTimes, name: string, thread: FieldAt | undefined) {
    if (thread === undefined) return "request";
    const role = this.#isBehindItsRequest(times, name, thread)
      ? this.#judgeTimes(times)
      : "unclear";
    return role === "unclear" && this.#isGivenUp(times.label) ? "request" : role;
  }

  /** Whether a row is certainly a sub-result of the request before it. */
  #isHop(times: Omit<RowTimes, "label">, name: string, thread: FieldAt | undefined): boolean {
    if (thread === undefined || !this.#isBehindItsRequest(times, name, thread)) return false;
    return this.#judgeTimes(times) === "subresult";
  }

  #isBehindItsRequest(
    { second, millis }: Omit<RowTimes, "label">,
    name: string,
    thread: FieldAt,
  ): boolean {
    if (this.#label < 0 || second === 0 || !this.#isThread(thread)) return false;
    // Milliseconds that both have none of were not written, and do not tell what came first.
    if (millis === 0 && this.#millis === 0) return false;
    const request = this.#name ?? this.#labels[this.#label] ?? "";
    return name.startsWith(request) && PLACES.test(name.slice(request.length));
  }

  #isThread({ bytes, from, to }: FieldAt): boolean {
    const kept = this.#thread;
    if (kept.length !== to - from) return false;
    for (let at = 0; at < kept.length; at++) if (kept.bytes[at] !== bytes[from + at]) return false;
    return true;
  }

  /** A thread does one thing after the other. */
  #judgeTimes({
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
