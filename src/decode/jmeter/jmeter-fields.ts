import { type Role, ROLES } from "../../model/role.ts";

/** Message of a transaction controller; JMeter's reports detect it in the same way. */
const TRANSACTION = Buffer.from("Number of samples in transaction : ");

/** Fields of a sample that are read. */
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
  latency: 12,
  connect: 13,
  idle: 14,
  sentBytes: 15,
} as const;

const FIRST_LABELS = 1024;
const REQUEST = ROLES.indexOf("request");

const SUBRESULT = ROLES.indexOf("subresult");

export type Field = (typeof FIELD)[keyof typeof FIELD];

/** Names in a kind of file, in the order of `FIELD`; empty: not recorded. */
export type FieldNames = readonly string[];

const FIELD_COUNT = Object.keys(FIELD).length;

/** Positions of the fields of a sample. Reused. */
export class JmeterFields {
  /** Bytes of all fields except `ownLabel`. */
  bytes: Uint8Array = new Uint8Array(0);
  /** The label, if it is not in `bytes` as such. */
  ownLabel: Uint8Array | undefined;
  /** A bit for each present field. */
  #present = 0;
  readonly #from = new Int32Array(FIELD_COUNT);
  readonly #to = new Int32Array(FIELD_COUNT);

  /** Resets for a sample in `bytes`. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.ownLabel = undefined;
    this.#present = 0;
  }

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

export interface FieldAt {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Role of a row by message and data type: a `transaction` sums up others; an `unmarked` row has neither, such as an
 * interrupted transaction.
 */
export function rowKind(
  message: FieldAt | undefined,
  type: FieldAt | undefined,
): "transaction" | "unmarked" | "other" {
  if (message === undefined) return "other";
  if (message.from < message.to) return isTransaction(message) ? "transaction" : "other";
  return type === undefined || type.from === type.to ? "unmarked" : "other";
}

function isTransaction({ bytes, from, to }: FieldAt): boolean {
  if (to - from < TRANSACTION.length) return false;
  for (let at = 0; at < TRANSACTION.length; at++) {
    if (bytes[from + at] !== TRANSACTION[at]) return false;
  }
  return true;
}

/** The strongest role recorded for each label of a source. */
export class RoleTable {
  /** Index into `ROLES` by label. */
  #roles = new Uint8Array(FIRST_LABELS);

  say(label: number, role: Role): void {
    if (label >= this.#roles.length) this.#grow(label + 1);
    this.#roles[label] = Math.max(this.#roles[label] as number, ROLES.indexOf(role));
  }

  roleOf(label: number): Role {
    return ROLES[this.#roles[label] ?? 0] as Role;
  }

  /** Whether some rows are requests, which is final. */
  isRequest(label: number): boolean {
    return this.#roles[label] === REQUEST;
  }

  /** Whether rows of a label do not repeat others, as far as is known. */
  isWhole(label: number): boolean {
    return this.isRequest(label) || this.roleOf(label) === "unclear";
  }

  /** Whether all rows so far are sub-results. */
  isSubresult(label: number): boolean {
    return this.#roles[label] === SUBRESULT;
  }

  #grow(labels: number): void {
    const larger = new Uint8Array(Math.max(labels, this.#roles.length * 2));
    larger.set(this.#roles);
    this.#roles = larger;
  }
}
