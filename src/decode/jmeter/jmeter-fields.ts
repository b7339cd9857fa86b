import { type Role, ROLES } from "../../model/role.ts";
import { grown } from "../../model/columns.ts";
import { isAt } from "../bytes/byte-table.ts";

/** Message of a transaction controller; JMeter's reports detect it in the same way. */
const TRANSACTION = Buffer.from("Number of samples in transaction : ");

/** Fields of a sample that are read: their names as CSV columns, XML attributes and elements of plug-ins; empty: not recorded. */
const NAMES = {
  timeStamp: ["timeStamp", "ts", "timeStamp"],
  elapsed: ["elapsed", "t", "elapsedTime"],
  label: ["label", "lb", "label"],
  success: ["success", "s", "success"],
  bytes: ["bytes", "by", "bytes"],
  sampleCount: ["SampleCount", "sc", "sampleCount"],
  errorCount: ["ErrorCount", "ec", "errorCount"],
  responseCode: ["responseCode", "rc", "responseCode"],
  responseMessage: ["responseMessage", "rm", "responseMessage"],
  allThreads: ["allThreads", "na", "allThreads"],
  hostname: ["Hostname", "hn", ""],
  threadName: ["threadName", "tn", "threadName"],
  dataType: ["dataType", "dt", "dataType"],
  latency: ["Latency", "lt", "latency"],
  connect: ["Connect", "ct", "connectTime"],
  idle: ["IdleTime", "it", "idleTime"],
  sentBytes: ["sentBytes", "sby", "sentBytes"],
} as const;

export type FieldName = keyof typeof NAMES;

const FIELD_NAMES = Object.keys(NAMES) as readonly FieldName[];

export const FIELD = Object.fromEntries(
  FIELD_NAMES.map((name, field) => [name, field]),
) as Readonly<Record<FieldName, Field>>;

/** In the order of the measures. */
export const MEASURED = ["latency", "connect", "idle", "sentBytes"] as const;

export const COLUMN_NAMES = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, NAMES[name][0]]),
) as Readonly<Record<FieldName, string>>;

export const COLUMNS: FieldNames = Object.values(COLUMN_NAMES);
export const ATTRIBUTES: FieldNames = FIELD_NAMES.map((name) => NAMES[name][1]);
export const ELEMENTS: FieldNames = FIELD_NAMES.map((name) => NAMES[name][2]);

const FIRST_LABELS = 1024;
const REQUEST = ROLES.indexOf("request");

const SUBRESULT = ROLES.indexOf("subresult");

export type Field = number;

export type FieldNames = readonly string[];

const FIELD_COUNT = FIELD_NAMES.length;

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
  return to - from >= TRANSACTION.length && isAt(bytes, from, TRANSACTION);
}

/** The strongest role recorded for each label of a source. */
export class RoleTable {
  /** Index into `ROLES` by label. */
  #roles: Uint8Array = new Uint8Array(FIRST_LABELS);

  say(label: number, role: Role): void {
    if (label >= this.#roles.length) this.#roles = grown(this.#roles, label + 1);
    this.#roles[label] = Math.max(this.#roles[label] as number, ROLES.indexOf(role));
  }

  roleOf(label: number): Role {
    return ROLES[this.roleIndexOf(label)] as Role;
  }

  /** Index into `ROLES`. */
  roleIndexOf(label: number): number {
    return this.#roles[label] ?? 0;
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
}
