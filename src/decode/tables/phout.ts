import { HASH } from "../bytes/ascii.ts";
import { PHOUT } from "./about.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { readScaled } from "../bytes/exact-number.ts";
import { headText, quoted } from "../quoted.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import {
  lineDecoder,
  type Request,
  type RequestLines,
  RequestRows,
  startAt,
} from "../requests/request-rows.ts";
import { phase } from "../measures/request-measures.ts";
import { TabFields } from "../csv/csv-record.ts";

/** The format has no header. */
const COLUMNS = PHOUT.labelFields;
/** Phases in microseconds add up to the elapsed time. */
const PHASES = [
  { column: 3, measure: phase("connect") },
  { column: 4, measure: phase("sending") },
  { column: 5, measure: phase("waiting") },
  { column: 6, measure: phase("receiving") },
];
const SENT = { column: 8, measure: { name: "sent", unit: "By", kind: "counter" } } as const;
const MEASURED = [...PHASES, SENT];
const [TIME, TAG, ELAPSED, SIZE_IN, NET_CODE, PROTO_CODE] = [0, 1, 2, 9, 10, 11] as const;
const WHOLE = "a whole number";
const STATUS = "0 or a status of three digits";

/** The rows of Yandex.Tank, phantom and Pandora. */
export const phout: Format = {
  ...PHOUT,
  recognises: (head) => FIRST_LINE.test(headText(head)),
  open: (sink, options) => lineDecoder(new PhoutRows(sink, options), sink),
};

const FIRST_LINE = /^\d{10}\.\d{3}\t[^\t\n]*(?:\t\d+){10}\r?(?:\n|$)/;
/** A last column, and the first of another row. */
const JOINED = /^(?:0|\d{3})\d{10}\.\d{3}$/;
/** A complete last column: 0 or a status. */
const WHOLE_CODE = /^(?:0|\d{3,})$/;
/** Statuses of fewer digits are cut. */
const STATUS_MIN = 100;
const MICROS_PER_MS = 1000;

class PhoutRows implements RequestLines {
  readonly rows: RequestRows;
  readonly #fields = new TabFields();
  /** Tabs in the tag. */
  #extra = 0;

  constructor(sink: SampleSink, options: DecodeOptions) {
    const measures = MEASURED.map(({ measure }) => measure);
    this.rows = new RequestRows(sink, options, COLUMNS, measures);
    this.rows.details = () => this.#details();
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const fields = this.#fields;
    fields.split(bytes, from, to);
    this.#extra = fields.count - COLUMNS.length;
    const counts = `got ${fields.count} columns, want ${COLUMNS.length} between tabs`;
    if (this.#isNoRow()) return counts;
    const startMs = readScaled(bytes, fields.from(TIME), fields.to(TIME), 3);
    if (startMs === undefined) return this.#unreadable(TIME, "seconds since 1970");
    const [netCode, protoCode] = [this.#whole(NET_CODE), this.#status()];
    if (netCode === undefined) return this.#unreadable(NET_CODE, WHOLE);
    if (protoCode === undefined) return this.#unreadable(PROTO_CODE, STATUS);
    const request = this.rows.begin();
    startAt(request, startMs * MICROS_PER_MS);
    request.hasFailed = netCode !== 0 || (protoCode !== 0 && hasFailedStatus(protoCode));
    request.code = `${protoCode}`;
    request.message = netCode === 0 ? "" : `net code ${netCode}`;
    const areMisplaced = this.#extra > 0 && this.#areMisplaced(counts);
    if (!areMisplaced) this.#readNumbers(request);
    const reason = this.rows.record(this.#label(bytes));
    if (reason === undefined && !areMisplaced) this.#measure();
    return reason;
  }

  /** Less than a row, or the last one of a file without an end of line and the first of the next. */
  #isNoRow(): boolean {
    const areTwo =
      this.#extra === COLUMNS.length - 1 && JOINED.test(this.#fields.text(this.#extra));
    return this.#extra < 0 || areTwo;
  }

  /** Further tabs are in the tag if the phases add up to the elapsed time; otherwise any column may have them. */
  #areMisplaced(counts: string): boolean {
    this.rows.repairs.add("fields-misplaced", counts);
    const phases = PHASES.map(({ column }) => this.#whole(column) ?? Number.NaN);
    const sum = phases.reduce((micros, each) => micros + each, 0);
    if (sum === this.#whole(ELAPSED)) return false;
    this.rows.untime(counts);
    this.rows.repairs.add("size-unknown", counts);
    return true;
  }

  #readNumbers(request: Request): void {
    const [elapsedMicros, receivedBytes] = [this.#whole(ELAPSED), this.#whole(SIZE_IN)];
    if (elapsedMicros === undefined) this.rows.untime(this.#unreadable(ELAPSED, WHOLE));
    else request.elapsedMicros = elapsedMicros;
    // Tools without sizes write 0.
    if (receivedBytes !== 0) request.receivedBytes = receivedBytes;
    if (receivedBytes === undefined) {
      this.rows.repairs.add("size-unknown", this.#unreadable(SIZE_IN, WHOLE));
    }
  }

  #measure(): void {
    for (let each = 0; each < MEASURED.length; each++) {
      const value = this.#whole((MEASURED[each] as (typeof MEASURED)[number]).column);
      const scale = each < PHASES.length ? MICROS_PER_MS : 1;
      this.rows.measure(each, (value ?? Number.NaN) / scale);
    }
  }

  #details(): FurtherDetails {
    const [connectMicros, sendMicros, waitMicros, receiveMicros] = PHASES.map(({ column }) =>
      this.#whole(column),
    );
    const sentBytes = this.#whole(SENT.column);
    return { connectMicros, sendMicros, waitMicros, receiveMicros, sentBytes };
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
    const to = this.#fields.to(TAG + this.#extra);
    const contents = (column: number): Uint8Array =>
      column === TAG
        ? bytes.subarray(from, to)
        : bytes.subarray(this.#fields.from(this.#at(column)), this.#fields.to(this.#at(column)));
    if (template !== undefined) return template.indexIn(labels, contents);
    const hash = bytes.subarray(from, to).lastIndexOf(HASH);
    return labels.indexOf(bytes, from, hash < 0 ? to : from + hash);
  }

  /** Index of the field in a column, other than the tag. */
  #at(column: number): number {
    return column > TAG ? column + this.#extra : column;
  }

  #whole(column: number): number | undefined {
    return this.#fields.whole(this.#at(column));
  }

  #status(): number | undefined {
    const status = this.#whole(PROTO_CODE);
    return status !== undefined && status > 0 && status < STATUS_MIN ? undefined : status;
  }

  #unreadable(column: number, wanted: string): string {
    const got = quoted(this.#fields.text(this.#at(column)));
    return `cannot read ${COLUMNS[column]}: got ${got}, want ${wanted}`;
  }
}
