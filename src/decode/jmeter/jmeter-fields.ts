/** The answer of a transaction controller; JMeter's own reports know it by these words, too. */
const TRANSACTION = Buffer.from("Number of samples in transaction : ");

/** What JMeter records of a sample, as far as it counts here. */
export const FIELD = {
  timeStamp: 0,
  elapsed: 1,
  label: 2,
  success: 3,
  bytes: 4,
  sampleCount: 5,
  errorCount: 6,
  responseCode: 7,
  responseMessage: 8,
  allThreads: 9,
  hostname: 10,
  dataType: 11,
} as const;

export type Field = (typeof FIELD)[keyof typeof FIELD];

/** How the fields are called in one kind of file, in the order of `FIELD`; empty: not recorded. */
export type FieldNames = readonly string[];

const FIELD_COUNT = 12;

/** Where the fields of one sample are written; reused from sample to sample. */
export class JmeterFields {
  /** Where all fields are, except a label of its own. */
  bytes: Uint8Array = new Uint8Array(0);
  /** The label, where it cannot be taken from `bytes` as it is. */
  ownLabel: Uint8Array | undefined;
  /** A bit for each field that is there. */
  #present = 0;
  readonly #from = new Int32Array(FIELD_COUNT);
  readonly #to = new Int32Array(FIELD_COUNT);

  /** Forgets the sample before; the next one is written in `bytes`. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.ownLabel = undefined;
    this.#present = 0;
  }

  /** Says that `field` is written at `[from, to)`. */
  put(field: Field, from: number, to: number): void {
    this.#present |= 1 << field;
    this.#from[field] = from;
    this.#to[field] = to;
  }

  has(field: Field): boolean {
    return (this.#present & (1 << field)) !== 0;
  }

  from(field: Field): number {
    return this.#from[field] as number;
  }

  to(field: Field): number {
    return this.#to[field] as number;
  }
}

/** The bytes at `[from, to)`. */
export interface FieldAt {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * What a row of JMeter's says that it is by its message and its type of data, where a source has
 * them: a `transaction` sums up other rows. A `bare` one has neither, as a transaction that was
 * interrupted, but others can be like that, too.
 */
export function rowKind(
  message: FieldAt | undefined,
  type: FieldAt | undefined,
): "transaction" | "bare" | "other" {
  if (message === undefined) return "other";
  if (message.from < message.to) return isTransaction(message) ? "transaction" : "other";
  return type === undefined || type.from === type.to ? "bare" : "other";
}

function isTransaction({ bytes, from, to }: FieldAt): boolean {
  if (to - from < TRANSACTION.length) return false;
  for (let at = 0; at < TRANSACTION.length; at++) {
    if (bytes[from + at] !== TRANSACTION[at]) return false;
  }
  return true;
}
