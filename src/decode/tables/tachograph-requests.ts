import { POINT, ZERO } from "../bytes/ascii.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { digitsEnd, readScaled, readWhole } from "../bytes/exact-number.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { readJsonNumber } from "../json/json-fields.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";
import { atSecondZero } from "../notes.ts";
import { quoted } from "../quoted.ts";
import type { Request } from "../requests/request-rows.ts";
import { RowRepairs } from "../row-repairs.ts";
import { TimestampReader } from "../bytes/timestamp.ts";

/** For messages. */
const ANY_INSTANT =
  "a UNIX time in s, ms, µs or ns (1973 to 2106) or ISO 8601 such as 2026-11-21T03:43:30Z";

/** Unit by number of integer digits: seconds have 9 or 10 since 1973, milliseconds three more, and so on. */
const DIGITS_OF_UNIT = [
  { digitsMin: 18, digitsOfFraction: 9 },
  { digitsMin: 15, digitsOfFraction: 6 },
  { digitsMin: 12, digitsOfFraction: 3 },
  { digitsMin: 9, digitsOfFraction: 0 },
] as const;

const DIGITS_MAX = 19;

/** All fields: docs/own-format.md. */
export const TACHOGRAPH_FIELDS = [
  "timestamp",
  "label",
  "elapsedMicros",
  "elapsedMs",
  "elapsedSeconds",
  "success",
  "receivedBytes",
  "code",
  "message",
  "users",
  "generator",
] as const;

export type TachographField = (typeof TACHOGRAPH_FIELDS)[number];

/** One is required; the value is the number of its decimals. */
export const ELAPSED_FIELDS = { elapsedMicros: 0, elapsedMs: 3, elapsedSeconds: 6 } as const;
const ELAPSED = Object.entries(ELAPSED_FIELDS) as [keyof typeof ELAPSED_FIELDS, number][];

/** Returns the contents of a field; empty or `undefined` if missing. */
export type FieldContents = (field: TachographField) => Uint8Array | undefined;

const NOTHING = new Uint8Array(0);
const utf8 = new TextDecoder();

export class TachographRequests {
  readonly generators: readonly string[];
  readonly #sink: SampleSink;
  readonly #instants: AnyInstant;
  readonly #generators = new LabelTable();
  #contentsOf: FieldContents = () => undefined;
  #repairs = new RowRepairs();
  /** Contents read so far: most are requested several times. */
  readonly #contents = new Map<TachographField, Uint8Array>();
  #complaint: string | undefined;
  #count = 0;
  #withoutTime = 0;
  #withoutSize = 0;
  #withoutOutcome = 0;

  constructor({ timeZone }: DecodeOptions, sink: SampleSink) {
    this.#sink = sink;
    this.#instants = new AnyInstant(timeZone);
    this.generators = this.#generators.texts;
  }

  /** Reads a request without its label. Returns what is wrong. */
  read(request: Request, contentsOf: FieldContents, repairs: RowRepairs): string | undefined {
    this.#contentsOf = contentsOf;
    this.#repairs = repairs;
    this.#contents.clear();
    this.#complaint = undefined;
    request.second = this.#second();
    request.millis = request.second === 0 ? 0 : this.#instants.millis;
    const elapsedMicros = this.#elapsedMicros();
    request.elapsedMicros = elapsedMicros ?? 0;
    request.isUntimed = elapsedMicros === undefined;
    request.receivedBytes = this.#size();
    request.code = this.#text("code");
    request.message = this.#text("message");
    request.hasFailed = this.#hasFailed(request.code);
    if (this.#has("users") && this.#users === undefined) {
      this.#repairs.add("fields-misplaced", this.#fault("users", "a whole number of users"));
    }
    return this.#complaint;
  }

  /** Must be called after recording. */
  recorded(request: Request): void {
    this.#count += 1;
    if (request.second === 0) this.#withoutTime += 1;
    if (!this.#has("receivedBytes")) this.#withoutSize += 1;
    if (!this.#has("success") && !this.#has("code")) this.#withoutOutcome += 1;
    const users = this.#users;
    if (users === undefined || request.second === 0) return;
    const name = this.#bytes("generator");
    const generator = this.#generators.indexOf(name, 0, name.length);
    const known = generator === LABEL_TOO_LONG ? this.#generators.indexOfText("") : generator;
    this.#sink.recordActiveUsers(known, request.second, users);
  }

  notes(): string[] {
    const notes: string[] = [];
    const addNote = (count: number, all: string, some: string): void => {
      if (count === 0) return;
      notes.push(count === this.#count ? all : `requests ${some}: ${count}`);
    };
    addNote(this.#withoutTime, atSecondZero("no timestamps"), "without a timestamp, at second 0");
    addNote(
      this.#withoutSize,
      "no receivedBytes: response sizes are unknown",
      "without receivedBytes, counted as 0 bytes",
    );
    addNote(
      this.#withoutOutcome,
      "neither success nor code: no request counts as failed",
      "with neither success nor code, counted as passed",
    );
    return [...notes, ...this.#instants.zoneNotes()];
  }

  #second(): number {
    if (!this.#has("timestamp")) return 0;
    const second = this.#instants.secondOf(this.#bytes("timestamp"));
    if (second === undefined) {
      this.#repairs.add("start-unknown", this.#fault("timestamp", ANY_INSTANT));
    }
    return second ?? 0;
  }

  #size(): number | undefined {
    const size = this.#whole("receivedBytes");
    if (size === undefined && this.#has("receivedBytes")) {
      this.#repairs.add("size-unknown", this.#fault("receivedBytes", "a whole number of bytes"));
    }
    return size;
  }

  #elapsedMicros(): number | undefined {
    const found = ELAPSED.find(([field]) => this.#has(field));
    if (found === undefined) {
      const wanted = Object.keys(ELAPSED_FIELDS).join(", ");
      this.#repairs.add("time-unknown", `there is no elapsed time: want one of ${wanted}`);
      return undefined;
    }
    const [field, scale] = found;
    const bytes = this.#bytes(field);
    const micros =
      readScaled(bytes, 0, bytes.length, scale) ?? readJsonNumber(this.#text(field), scale);
    if (micros === undefined) {
      this.#repairs.add("time-unknown", this.#fault(field, "a decimal number, not negative"));
    }
    return micros;
  }

  /** By its own field, else by a code that is a status. */
  #hasFailed(code: string): boolean {
    if (!this.#has("success")) {
      const isStatus = /^\d{1,3}$/.test(code);
      // Other than a missing field, an empty one is unreadable.
      if (!isStatus && this.#bytes("success") !== NOTHING) {
        this.#complain("success", "true or false, or a code that is a status");
      }
      return isStatus && hasFailedStatus(Number(code));
    }
    const success = this.#text("success").toLowerCase();
    if (success === "true" || success === "1") return false;
    if (success !== "false" && success !== "0") this.#complain("success", "true or false");
    return true;
  }

  get #users(): number | undefined {
    return this.#whole("users");
  }

  #whole(field: TachographField): number | undefined {
    const bytes = this.#bytes(field);
    return bytes.length === 0 ? undefined : readWhole(bytes, 0, bytes.length);
  }

  #has(field: TachographField): boolean {
    return this.#bytes(field).length > 0;
  }

  #text(field: TachographField): string {
    return utf8.decode(this.#bytes(field));
  }

  #bytes(field: TachographField): Uint8Array {
    const known = this.#contents.get(field);
    if (known !== undefined) return known;
    const contents = this.#contentsOf(field) ?? NOTHING;
    this.#contents.set(field, contents);
    return contents;
  }

  #complain(field: TachographField, wanted: string): void {
    this.#complaint ??= this.#fault(field, wanted);
  }

  #fault(field: TachographField, wanted: string): string {
    return `cannot read ${field}: got ${quoted(this.#text(field))}, want ${wanted}`;
  }
}

/** Parses timestamps in any common form; numbers get their unit by magnitude. */
export class AnyInstant {
  /** Within the second of the last one. */
  millis = 0;
  readonly #timestamps: TimestampReader;

  /** `timeZone`: IANA zone of times without one. */
  constructor(timeZone: string) {
    this.#timestamps = new TimestampReader(timeZone);
  }

  zoneNotes(): string[] {
    return this.#timestamps.zoneNotes("timestamp");
  }

  /** `undefined` also for a time without a date, which the reader gives second 0. */
  secondOf(text: Uint8Array): number | undefined {
    const digits = digitsEnd(text, 0, text.length);
    const isNumber = digits === text.length || text[digits] === POINT;
    const second = isNumber
      ? this.#ofNumber(text, digits)
      : this.#timestamps.read(text, 0, text.length);
    if (!isNumber) this.millis = this.#timestamps.millis;
    return second !== undefined && second > 0 && second < SECOND_LIMIT ? second : undefined;
  }

  /** `undefined` if it is of no unit. */
  #ofNumber(text: Uint8Array, digits: number): number | undefined {
    const unit = DIGITS_OF_UNIT.find(({ digitsMin }) => digits >= digitsMin);
    if (unit === undefined || digits > DIGITS_MAX || !isFraction(text.subarray(digits))) {
      return undefined;
    }
    const end = digits - unit.digitsOfFraction;
    this.millis = millisIn(text, end);
    return readScaled(text, 0, end, 0);
  }
}

/** The first three digits behind those of the second, perhaps with a point between them. */
function millisIn(text: Uint8Array, from: number): number {
  let millis = 0;
  for (let at = from, left = 3; left > 0; at++) {
    if (text[at] === POINT) continue;
    millis = millis * 10 + ((text[at] ?? ZERO) - ZERO);
    left -= 1;
  }
  return millis;
}

/** Empty, or a point and digits. */
function isFraction(text: Uint8Array): boolean {
  return text.length === 0 || (text.length > 1 && digitsEnd(text, 1, text.length) === text.length);
}
