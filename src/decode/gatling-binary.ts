import type { Rejection } from "../model/import-report.ts";
import { UserError } from "../model/errors.ts";
import { ByteWindow } from "./byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "./decoder.ts";
import { DamagedRecord, GatlingFields, ShortRecord } from "./gatling-fields.ts";
import { GatlingRecords } from "./gatling-records.ts";
import { GATLING_FIELDS, GatlingSamples } from "./gatling-samples.ts";

/** The `simulation.log` of Gatling 3.13 and later: docs/formats/gatling.md. */
export const gatlingBinary: Format = {
  name: "gatling-binary",
  recognises: isGatlingBinary,
  labelFields: GATLING_FIELDS,
  open: (sink, options) => new GatlingBinaryDecoder(sink, options),
};

const THREE = 0x33;
const POINT = 0x2e;
/** `3.13.0` has 6 characters; a snapshot of it could have more. */
const VERSION_BYTES_MAX = 32;

/** The kind of the record, 0, and the length and the beginning of the version. */
function isGatlingBinary(head: Uint8Array): boolean {
  const [kind, first, second, third, length = 0, major, point] = head;
  const isRun = kind === 0 && first === 0 && second === 0 && third === 0;
  return isRun && length > 4 && length <= VERSION_BYTES_MAX && major === THREE && point === POINT;
}

/**
 * A record says neither its length nor where the next one begins, so that nothing can be read behind
 * one that makes no sense: the source counts as cut there.
 */
class GatlingBinaryDecoder implements Decoder {
  readonly labels;
  readonly failureKinds;
  readonly generators;
  readonly #sink: SampleSink;
  readonly #samples: GatlingSamples;
  readonly #window = new ByteWindow();
  readonly #fields = new GatlingFields();
  readonly #records: GatlingRecords;
  /** Records read. */
  #count = 0;
  /** Where reading has ended, and why. */
  #damage: Rejection | undefined;
  /** Bytes that came after it. */
  #unread = 0;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#sink = sink;
    this.#samples = new GatlingSamples(sink, options);
    this.labels = this.#samples.labels.texts;
    this.failureKinds = this.#samples.kinds.kinds;
    this.generators = this.#samples.generators;
    this.#records = new GatlingRecords(this.#fields, this.#samples);
  }

  push(piece: Uint8Array): void {
    if (this.#damage !== undefined) {
      this.#unread += piece.length;
      return;
    }
    this.#window.append(piece);
    const { bytes, from, to } = this.#window;
    let at = from;
    while (at < to) {
      const next = this.#readRecord(bytes, at, to);
      if (next === undefined) break;
      at = next;
    }
    this.#window.settle(at);
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): DecodeEnd {
    return { cut: this.#cut(), notes: this.#samples.end() };
  }

  /** Where the next record begins; `undefined` where this one is not there yet, or damaged. */
  #readRecord(bytes: Buffer, from: number, to: number): number | undefined {
    this.#fields.begin(bytes, from, to);
    try {
      const reason = this.#records.read();
      this.#count += 1;
      if (reason !== undefined) this.#sink.reject(this.#rejection(this.#count, from, reason));
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

  #cut(): Rejection | undefined {
    const { from, to } = this.#window;
    if (this.#damage !== undefined) {
      const reason = `${this.#damage.reason}; the ${this.#unread} bytes from here on cannot be read`;
      return { ...this.#damage, reason };
    }
    if (from === to) return undefined;
    return this.#rejection(this.#count + 1, from, "the source ends inside a record");
  }
}
