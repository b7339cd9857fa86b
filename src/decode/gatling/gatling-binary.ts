import { POINT } from "../bytes/ascii.ts";
import { GATLING_BINARY } from "./about.ts";
import { UserError } from "../../model/errors.ts";
import { OTHER_FAILURES } from "../../model/failures.ts";
import type { Rejection } from "../../model/import-report.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { Format, SampleSink } from "../decoder.ts";
import { LABEL_TOO_LONG } from "../labels/label-table.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { GROUP_SEPARATOR, type GatlingRequest, GatlingSamples } from "./gatling-samples.ts";
import { createHash } from "node:crypto";

/** First byte of a record. */
const RUN = 0;
const REQUEST = 1;
const USER = 2;
const GROUP = 3;
const ERROR = 4;

/** The `simulation.log` of Gatling 3.13 and later: docs/internals/formats/gatling.md. */
export const gatlingBinary: Format = {
  ...GATLING_BINARY,
  recognises: isGatlingBinary,
  open(sink, options) {
    const [window, samples] = [new ByteWindow(), new GatlingSamples(sink, options)];
    return new WindowDecoder(window, {
      reader: new GatlingBinaryReader(window, samples, sink),
      rows: samples,
      generators: samples.generators,
      finish: () => samples.notes(),
    });
  },
};

const THREE = 0x33;
/** Versions have 6 characters; snapshots more. */
const VERSION_BYTES_MAX = 32;

/** A RUN record: kind 0, length and beginning of the version. */
function isGatlingBinary(head: Uint8Array): boolean {
  const [kind, first, second, third, length = 0, major, point] = head;
  const isRun = kind === 0 && first === 0 && second === 0 && third === 0;
  return isRun && length > 4 && length <= VERSION_BYTES_MAX && major === THREE && point === POINT;
}

/** An incomplete record of at least this size is parsed again only after it has grown by `GROWTH`, as it may hold very many texts. */
const LARGE_BYTES = 1024 * 1024;
const GROWTH = 1.25;

/** Records have no length, so that nothing after a damaged one can be read: the source counts as truncated there. */
class GatlingBinaryReader {
  readonly #sink: SampleSink;
  readonly #window: ByteWindow;
  readonly #fields = new GatlingFields();
  readonly #records: GatlingRecords;
  #count = 0;
  /** Where reading stopped, and why. */
  #damage: Rejection | undefined;
  /** Bytes after it. */
  #unread = 0;
  /** Bytes from the next record on without which it is not read again. */
  #wanted = 0;

  constructor(window: ByteWindow, samples: GatlingSamples, sink: SampleSink) {
    this.#window = window;
    this.#sink = sink;
    this.#records = new GatlingRecords(this.#fields, samples);
  }

  read(): void {
    const { bytes, from, to } = this.#window;
    if (this.#damage !== undefined) {
      this.#unread += to - from;
      this.#window.settle(to);
      return;
    }
    if (to - from < this.#wanted) return;
    let at = from;
    while (at < to) {
      const next = this.#readRecord(bytes, at, to);
      if (next === undefined) break;
      at = next;
    }
    this.#window.settle(this.#damage === undefined ? at : to);
    const unread = to - at;
    this.#wanted = unread < LARGE_BYTES ? 0 : unread * GROWTH;
  }

  /** Returns where the next record begins; `undefined` if this one is incomplete or damaged. */
  #readRecord(bytes: Buffer, from: number, to: number): number | undefined {
    this.#fields.begin(bytes, from, to);
    try {
      const reason = this.#records.read();
      this.#count += 1;
      const { repairs } = this.#records;
      if (reason !== undefined) this.#sink.reject(this.#rejection(this.#count, from, reason));
      else if (!repairs.isEmpty) repairs.report(this.#sink, this.#rejection(this.#count, from, ""));
      return this.#fields.at;
    } catch (error) {
      this.#fields.takeBack();
      if (error instanceof ShortRecord) return undefined;
      if (!(error instanceof DamagedRecord)) throw error;
      if (this.#count === 0) {
        throw new UserError(
          "unreadable-source",
          `cannot read the beginning of Gatling's log: ${error.message}`,
        );
      }
      this.#damage = this.#rejection(this.#count + 1, from, error.message);
      this.#unread = to - from;
      return undefined;
    }
  }

  #rejection(record: number, at: number, reason: string): Rejection {
    return { line: record, byte: this.#window.offsetOf(at), reason };
  }

  end(): Rejection | undefined {
    this.#wanted = 0;
    this.read();
    const { from, to } = this.#window;
    if (this.#damage !== undefined) {
      const reason = `${this.#damage.reason}; the ${this.#unread} bytes from here on cannot be read`;
      return { ...this.#damage, reason };
    }
    if (from === to) return undefined;
    return this.#rejection(this.#count + 1, from, "the source ends inside a record");
  }
}

/** Reads records; the first is the run's. Records are read completely or not at all. */
class GatlingRecords {
  readonly #fields: GatlingFields;
  readonly #samples: GatlingSamples;
  readonly repairs: GatlingSamples["repairs"];
  /** Origin of all times. */
  #startMs: number | undefined;
  readonly #names = new Map<string, Pick<GatlingRequest, "label" | "set">>();

  constructor(fields: GatlingFields, samples: GatlingSamples) {
    this.#fields = fields;
    this.#samples = samples;
    this.repairs = samples.repairs;
  }

  /** Returns why a record cannot be stored. Throws what its fields throw. */
  read(): string | undefined {
    const kind = this.#fields.byte();
    if (this.#startMs === undefined) return this.#readRun();
    switch (kind) {
      case REQUEST:
        return this.#readRequest(this.#startMs);
      case USER:
        return this.#readUser(this.#startMs);
      case GROUP:
        return this.#readGroup(this.#startMs);
      case ERROR:
        return this.#readError();
      case RUN:
        throw new DamagedRecord("a second run or a block of zeros begins");
      default:
        throw new DamagedRecord(`unknown kind of record: got ${kind}, want 1 to 4`);
    }
  }

  #readRun(): undefined {
    const fields = this.#fields;
    fields.text();
    fields.text();
    const startMs = fields.instantMs();
    fields.text();
    for (let rest = fields.listLength(); rest > 0; rest--) fields.text();
    for (let rest = fields.listLength(); rest > 0; rest--) fields.skipBytes();
    this.#startMs = startMs;
  }

  #readRequest(runStartMs: number): string | undefined {
    const fields = this.#fields;
    const path = this.#readTexts(fields.listLength());
    path.push(fields.textIndex());
    const startMs = runStartMs + fields.int32();
    const endMs = runStartMs + fields.int32();
    const isPassed = fields.flag();
    const message = fields.textIndex();
    const name = this.#name(path);
    if (name === undefined) return "its name is unknown: the log has too many different strings";
    const failure = isPassed ? undefined : (fields.textAt(message) ?? OTHER_FAILURES.message);
    return this.#samples.request({ ...name, startMs, endMs, failure });
  }

  #readUser(runStartMs: number): string | undefined {
    const fields = this.#fields;
    fields.int32();
    const isStart = fields.flag();
    return this.#samples.user(isStart, runStartMs + fields.int32());
  }

  #readGroup(runStartMs: number): undefined {
    const fields = this.#fields;
    const texts = this.#readTexts(fields.listLength()).map((index) => fields.textAt(index));
    const startMs = runStartMs + fields.int32();
    const endMs = runStartMs + fields.int32();
    const responseMs = fields.int32();
    fields.flag();
    const path = texts.join(GROUP_SEPARATOR);
    this.#samples.group(
      texts.includes(undefined) ? undefined : { path, startMs, endMs, responseMs },
    );
  }

  #readError(): undefined {
    this.#fields.textIndex();
    this.#fields.int32();
    this.#samples.error();
  }

  #readTexts(count: number): number[] {
    const texts: number[] = [];
    for (let rest = count; rest > 0; rest--) texts.push(this.#fields.textIndex());
    return texts;
  }

  /** Label and facets; `undefined` if a text of the path was not stored. */
  #name(path: readonly number[]): Pick<GatlingRequest, "label" | "set"> | undefined {
    const key = path.join();
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const texts = path.map((index) => this.#fields.textAt(index));
    if (texts.includes(undefined)) return undefined;
    const group = texts.slice(0, -1).join(GROUP_SEPARATOR);
    const label = this.#samples.labelOf(Buffer.from(group), Buffer.from(texts.at(-1) ?? ""));
    // Only its users say which scenario they are of.
    const name = { label, set: this.#samples.facetsOf(group) };
    const isStored = label !== LABEL_TOO_LONG && !this.#samples.labels.isOverLimit(label);
    if (isStored) this.#names.set(key, name);
    return name;
  }
}

class ShortRecord extends Error {}

/** The record was not written by Gatling; the message has got and want. */
class DamagedRecord extends Error {}

/** Longer records are damaged. Gatling up to 3.13 writes whole response bodies into the messages of failed checks. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024;

/** Longer lists are damaged: they are read again with each chunk. */
const LIST_LENGTH_MAX = 100_000;

/** Stored characters of a text, followed by a hash of longer ones: longer names exceed the label limit. */
const TEXT_CHARACTERS_KEPT = 1025;

/** Total stored characters: failed checks can have a new message for each request. */
const ALL_CHARACTERS_KEPT = 16 * 1024 * 1024;

const LATIN_1 = 0;
const UTF_16 = 1;

/** Reads the fields of a record. All methods throw `ShortRecord` or `DamagedRecord`. */
class GatlingFields {
  /** Position of the next field. */
  at = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  /** By index - 1. */
  readonly #texts: (string | undefined)[] = [];
  #textsBefore = 0;
  #charactersKept = 0;

  /** The record begins at `from`; bytes are available up to `to`. */
  begin(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.at = from;
    this.#from = from;
    this.#to = to;
    this.#textsBefore = this.#texts.length;
  }

  /** Drops the texts of a record that will be read again. */
  takeBack(): void {
    while (this.#texts.length > this.#textsBefore) {
      this.#charactersKept -= this.#texts.pop()?.length ?? 0;
    }
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  flag(): boolean {
    const value = this.byte();
    if (value > 1) throw new DamagedRecord(`not a boolean: got ${value}, want 0 or 1`);
    return value === 1;
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#pass(4));
  }

  instantMs(): number {
    return Number(this.#bytes.readBigInt64BE(this.#pass(8)));
  }

  listLength(): number {
    const length = this.int32();
    if (length >= 0 && length <= LIST_LENGTH_MAX) return length;
    throw new DamagedRecord(
      `invalid number of fields: got ${length}, want 0 to ${LIST_LENGTH_MAX}`,
    );
  }

  /** Skips length-prefixed bytes. */
  skipBytes(): void {
    this.#pass(this.int32());
  }

  /** Length and, unless empty, bytes and their encoding. */
  text(): string {
    const length = this.int32();
    if (length === 0) return "";
    const from = this.#pass(length);
    const coder = this.byte();
    if (coder !== LATIN_1 && coder !== UTF_16) {
      throw new DamagedRecord(`unknown string encoding: got ${coder}, want 0 or 1`);
    }
    const kept = TEXT_CHARACTERS_KEPT * (coder === LATIN_1 ? 1 : 2);
    const to = from + Math.min(length, kept);
    const text = this.#bytes.toString(coder === LATIN_1 ? "latin1" : "utf16le", from, to);
    return length <= kept ? text : text + hashOf(this.#bytes.subarray(from, from + length));
  }

  /** Index of a text, from 1: a new one followed by the text, or a known one as a negative number. */
  textIndex(): number {
    const index = this.int32();
    const next = this.#texts.length + 1;
    if (index === next) {
      this.#keep(this.text());
      return index;
    }
    if (index < 0 && -index < next) return -index;
    throw new DamagedRecord(
      `invalid string index: got ${index}, want ${next} or -1 to ${1 - next}`,
    );
  }

  /** `undefined` if it was not stored. */
  textAt(index: number): string | undefined {
    return this.#texts[index - 1];
  }

  #keep(text: string): void {
    const isKept = this.#charactersKept + text.length <= ALL_CHARACTERS_KEPT;
    this.#texts.push(isKept ? text : undefined);
    if (isKept) this.#charactersKept += text.length;
  }

  #pass(length: number): number {
    const from = this.at;
    const to = from + length;
    if (length < 0 || to - this.#from > RECORD_BYTES_MAX) {
      throw new DamagedRecord(
        `invalid length: got ${length} bytes, want at most 16 MiB in a record`,
      );
    }
    if (to > this.#to) throw new ShortRecord();
    this.at = to;
    return from;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
