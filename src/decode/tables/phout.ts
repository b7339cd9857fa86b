import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { readScaled } from "../bytes/exact-number.ts";
import { headText, quoted } from "../quoted.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { lineDecoder, type RequestLines, RequestRows } from "../csv/request-rows.ts";
import { phase } from "../measures/request-measures.ts";
import { TabFields } from "../csv/tab-fields.ts";

/** The format has no header. */
const COLUMNS = [
  "time",
  "tag",
  "interval_real",
  "connect_time",
  "send_time",
  "latency",
  "receive_time",
  "interval_event",
  "size_out",
  "size_in",
  "net_code",
  "proto_code",
] as const;
/** Phases in microseconds add up to the elapsed time. */
const PHASES = [
  { column: 3, measure: phase("connect") },
  { column: 4, measure: phase("sending") },
  { column: 5, measure: phase("waiting") },
  { column: 6, measure: phase("receiving") },
];
const SENT = { column: 8, measure: { name: "sent", unit: "By", kind: "counter" } } as const;
const MEASURED = [...PHASES, SENT];
const [TIME, TAG, ELAPSED, SIZE_IN, NET_CODE, PROTO_CODE] = [0, 1, 2, 9, 10, 11];
const NUMBERS = [ELAPSED, SIZE_IN, NET_CODE, PROTO_CODE];

/** The rows of Yandex.Tank, phantom and Pandora: docs/internals/formats/phout.md. */
export const phout: Format = {
  name: "phout",
  recognises: (head) => FIRST_LINE.test(headText(head)),
  labelFields: COLUMNS,
  open: (sink, options) => lineDecoder(new PhoutRows(sink, options), sink),
};

const FIRST_LINE = /^\d{10}\.\d{3}\t[^\t\n]*(?:\t\d+){10}\r?(?:\n|$)/;
/** A complete last column: 0 or a status. */
const WHOLE_CODE = /^(?:0|\d{3,})$/;
const HASH = 0x23;
const MS_PER_SECOND = 1000;
const MICROS_PER_MS = 1000;

class PhoutRows implements RequestLines {
  readonly rows: RequestRows;
  readonly #fields = new TabFields();

  constructor(sink: SampleSink, options: DecodeOptions) {
    const measures = MEASURED.map(({ measure }) => measure);
    this.rows = new RequestRows(sink, options, COLUMNS, measures);
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const fields = this.#fields;
    fields.split(bytes, from, to);
    if (fields.count !== COLUMNS.length) {
      return `got ${fields.count} columns, want ${COLUMNS.length} between tabs`;
    }
    const startMs = readScaled(bytes, fields.from(TIME), fields.to(TIME), 3);
    if (startMs === undefined) return this.#unreadable(TIME, "seconds since 1970");
    const numbers = NUMBERS.map((column) => fields.whole(column));
    const unread = NUMBERS[numbers.indexOf(undefined)];
    if (unread !== undefined) return this.#unreadable(unread, "a whole number");
    const label = this.#label(bytes);
    const reason = this.#record(label, startMs, numbers);
    if (reason === undefined) this.#measure(label);
    return reason;
  }

  /** Returns why the request cannot be recorded. */
  #record(
    label: number,
    startMs: number,
    [elapsedMicros = 0, receivedBytes = 0, netCode = 0, protoCode = 0]: readonly (
      | number
      | undefined
    )[],
  ): string | undefined {
    const request = this.rows.begin();
    request.second = Math.floor(startMs / MS_PER_SECOND);
    request.elapsedMicros = elapsedMicros;
    // Tools without sizes write 0.
    request.receivedBytes = receivedBytes === 0 ? undefined : receivedBytes;
    request.hasFailed = netCode !== 0 || (protoCode !== 0 && hasFailedStatus(protoCode));
    request.code = this.#fields.text(PROTO_CODE);
    request.message = netCode === 0 ? "" : `net code ${netCode}`;
    return this.rows.record(label);
  }

  #measure(label: number): void {
    for (let each = 0; each < MEASURED.length; each++) {
      const value = this.#fields.whole((MEASURED[each] as (typeof MEASURED)[number]).column);
      const scale = each < PHASES.length ? MICROS_PER_MS : 1;
      this.rows.measure(each, label, (value ?? Number.NaN) / scale);
    }
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    this.#fields.split(bytes, from, to);
    const isComplete = this.#fields.count === COLUMNS.length;
    return isComplete && WHOLE_CODE.test(this.#fields.text(PROTO_CODE));
  }

  notes(): string[] {
    if (this.rows.hasSizes || this.rows.count === 0) return [];
    return ["no row has a size: response sizes are unknown"];
  }

  /** The tag without the ammo number after its last `#`. */
  #label(bytes: Buffer): number {
    const { labels, template } = this.rows;
    const from = this.#fields.from(TAG);
    const to = this.#fields.to(TAG);
    const contents = (column: number): Uint8Array =>
      bytes.subarray(this.#fields.from(column), this.#fields.to(column));
    if (template !== undefined) return template.indexIn(labels, contents);
    const hash = bytes.subarray(from, to).lastIndexOf(HASH);
    return labels.indexOf(bytes, from, hash < 0 ? to : from + hash);
  }

  #unreadable(column: number, wanted: string): string {
    const got = quoted(this.#fields.text(column));
    return `cannot read ${COLUMNS[column]}: got ${got}, want ${wanted}`;
  }
}
