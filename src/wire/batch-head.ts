import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import { FACETS_BYTES_MAX, FACETS_MAX, isForged, labelOfSeries } from "../model/series/facets.ts";
import { FAILURE_TEXT_CHARACTERS_MAX } from "../model/failures.ts";
import { ID_FORM, isId } from "../model/id.ts";
import { isCount, jsonText } from "../model/json-text.ts";
import { LABEL_BYTES_MAX } from "../model/label.ts";
import { STORED_ROLES } from "../model/role.ts";
import { type ColumnCounts, badBatch } from "./batch-columns.ts";
import { isText } from "./wire-measures.ts";
import { SENT_COUNT_MAX } from "../model/exact.ts";
import { isRowQuality, largestCount } from "../model/quality/row-quality.ts";
import { UNRECORDED } from "../model/source-quality.ts";
import type { PointBatch } from "../store/store.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import type { UserError } from "../model/errors.ts";
import {
  CHILD_SPAN_TEXTS,
  dividedEntries,
  type SampleEntry,
} from "../model/samples/child-spans.ts";
import { SAMPLE_NUMBERS, SAMPLE_TEXTS, sampleBytes } from "../model/samples/request-sample.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";

export type WireBatch = Omit<PointBatch, "loadTestId">;

export interface BatchHead
  extends
    ColumnCounts,
    Pick<
      WireBatch,
      | "visibility"
      | "format"
      | "unrecorded"
      | "quality"
      | "sequence"
      | "follows"
      | "labels"
      | "roles"
      | "samples"
    > {
  readonly source: string;
  readonly kinds: readonly (readonly [code: string, message: string])[];
  readonly generators: readonly string[];
  /** Columns of reported percentiles as base64. */
  readonly reported?: string | undefined;
  /** Outcomes of mixed points as base64. */
  readonly outcomes?: string | undefined;
  /** Measures as base64. */
  readonly measures?: string | undefined;
}

const GENERATORS_MAX = 10_000;

const FORMAT = /^[a-z0-9-]{1,64}$/;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const FORMAT_FORM = "1 to 64 of a-z 0-9 -";

const LABEL_FORM = `text of at most ${LABEL_BYTES_MAX} bytes`;
const SERIES_FORM = `${LABEL_FORM}, and behind U+0001 at most ${FACETS_MAX} facets as a list of names and values, sorted by name`;

/** Parses and validates a head; `checkCounts` throws if the columns do not fit. Throws `bad-batch`. */
export function readBatchHead(
  bytes: Uint8Array,
  checkCounts: (counts: ColumnCounts) => void,
): BatchHead {
  const { head, list } = parseHead(bytes);
  checkMembers(head, COUNTS);
  const counts = head as unknown as ColumnCounts & Pick<BatchHead, "reported" | "measures">;
  checkCounts(counts);
  // Checked first: a short body can unpack to millions of names.
  const others = (counts.reported?.length ?? 0) + (counts.measures?.length ?? 0);
  checkNames(head, "labels", counts.points + counts.failures + others);
  if (head["roles"] !== undefined) checkRoleCount(head);
  checkNames(head, "kinds", counts.failures);
  checkNames(head, "generators", Math.min(counts.users, GENERATORS_MAX));
  checkMembers(head, MEMBERS);
  if (head["unrecorded"] !== undefined) checkUnrecorded(head);
  const labels = labelsOf(head, list);
  for (const [name, item] of Object.entries(ITEMS)) checkItems(head, name, item);
  checkSamples(head["samples"]);
  const known = KNOWN.flatMap((name) => (head[name] === undefined ? [] : [[name, head[name]]]));
  return { ...Object.fromEntries(known), labels } as BatchHead;
}

/** A test of a member, and the form that its error message asks for. */
type Check = readonly [isRight: (value: unknown) => boolean, want: string];

type Checks = Readonly<Record<string, Check>>;

function orNone([isRight, want]: Check): Check {
  return [(value) => value === undefined || isRight(value), `${want}, or no such member`];
}

const WHOLE_NUMBER: Check = [isCount, "a whole number from 0 to 2^53 - 1"];
const IN_BASE64 = orNone([(value) => typeof value === "string" && BASE64.test(value), "base64"]);

const COUNTS: Checks = {
  points: WHOLE_NUMBER,
  buckets: WHOLE_NUMBER,
  failures: WHOLE_NUMBER,
  users: WHOLE_NUMBER,
  windows: [isBoolean, "true or false"],
  untimed: orNone([isBoolean, "true, false"]),
  reported: IN_BASE64,
  measures: IN_BASE64,
};

const MEMBERS: Checks = {
  outcomes: IN_BASE64,
  source: [(value) => typeof value === "string" && isId(value), ID_FORM],
  visibility: [(value) => value === "live" || value === "staged", '"live" or "staged"'],
  format: orNone([(value) => typeof value === "string" && FORMAT.test(value), FORMAT_FORM]),
  quality: orNone([isSentQuality, `counts of rows, each at most ${SENT_COUNT_MAX}`]),
  sequence: [
    (value) => isCount(value) && value < Number.MAX_SAFE_INTEGER,
    "a whole number from 0 to 2^53 - 2",
  ],
  follows: orNone([
    (value) => value === "nothing" || isCount(value),
    `${WHOLE_NUMBER[1]}, "nothing"`,
  ]),
};

/** Of the items of lists. */
const ITEMS: Checks = {
  unrecorded: oneOf(UNRECORDED),
  roles: oneOf(STORED_ROLES),
  kinds: [isKind, `two texts of at most ${FAILURE_TEXT_CHARACTERS_MAX}`],
  generators: [isLabel, LABEL_FORM],
};

const KNOWN = [...Object.keys({ ...COUNTS, ...MEMBERS, ...ITEMS }), "samples"];

function oneOf(texts: readonly unknown[]): Check {
  return [(value) => texts.includes(value), `one of ${texts.join(", ")}`];
}

function checkMembers(head: Members, checks: Checks): void {
  for (const [name, [isRight, want]] of Object.entries(checks)) {
    if (isRight(head[name])) continue;
    throw badBatch(`${name} of its head: expected ${want}, got ${shown(head[name])}`);
  }
}

/** Checks a list that may be absent. */
function checkItems(head: Members, name: string, [isRight, want]: Check): void {
  if (head[name] === undefined) return;
  const list = listIn(head, name);
  const at = list.findIndex((each) => !isRight(each));
  if (at < 0) return;
  throw badBatch(`${name}[${at}] of its head: expected ${want}, got ${shown(list[at])}`);
}

function listIn(head: Members, name: string): readonly unknown[] {
  const list = head[name];
  if (Array.isArray(list)) return list;
  throw badBatch(`${name} of its head: expected a list, got ${shown(list)}`);
}

/** A name must be used by a row. */
function checkNames(head: Members, name: string, most: number): void {
  const { length } = listIn(head, name);
  if (length <= most) return;
  throw badBatch(`${name} of its head: expected at most ${most} by its rows, got ${length}`);
}

function checkRoleCount(head: Members): void {
  const [roles, labels] = [listIn(head, "roles"), listIn(head, "labels")];
  if (roles.length === labels.length) return;
  throw badBatch(
    `roles of its head: expected one for each of ${labels.length}, got ${roles.length}`,
  );
}

/** It is stored with the source, which all reads and writes of the load test look at. */
function checkUnrecorded(head: Members): void {
  const { length } = listIn(head, "unrecorded");
  if (length <= UNRECORDED.length) return;
  throw badBatch(`unrecorded of its head: expected at most ${UNRECORDED.length}, got ${length}`);
}

/** Accessed by name: listing a hostile head's members would take seconds. */
type Members = Readonly<Record<string, unknown>>;

/** The list of labels as sent, and as it was checked before, if it was. */
interface SentList {
  readonly bytes: Uint8Array;
  readonly known: readonly string[] | undefined;
}

/** Stands for the list of labels in what is parsed apart from it. */
const APART = randomUUID();

const LIST_BEGIN = '"labels":';

/** Parses a head; `list` is absent if it cannot be found without parsing. */
function parseHead(bytes: Uint8Array): { readonly head: Members; readonly list?: SentList } {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const from = all.indexOf(`${LIST_BEGIN}[`) + LIST_BEGIN.length;
  const until = all.indexOf('],"', from) + 1;
  if (from < LIST_BEGIN.length || until === 0) return { head: parseObject(bytes) };
  const list = sentList(all.subarray(from, until));
  try {
    const others = `${decoded(all.subarray(0, from))}"${APART}"${decoded(all.subarray(until))}`;
    const head = JSON.parse(others) as Record<string, unknown>;
    // Otherwise it was the member of another object, or there are two.
    if (head["labels"] === APART) {
      head["labels"] = list.known ?? (JSON.parse(decoded(list.bytes)) as unknown);
      return { head, list };
    }
  } catch {
    // Reported below, or a label ends with "],".
  }
  return { head: parseObject(bytes) };
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

function parseObject(bytes: Uint8Array): Members {
  try {
    const value: unknown = JSON.parse(decoded(bytes));
    if (typeof value === "object" && value !== null) return value as Members;
  } catch {
    // Reported below, as for JSON that is no object.
  }
  throw badBatch("its head is no JSON object in UTF-8");
}

function labelsOf(head: Members, list: SentList | undefined): readonly string[] {
  if (list?.known !== undefined) return list.known;
  checkItems(head, "labels", [isSeries, SERIES_FORM]);
  const labels = head["labels"] as readonly string[];
  if (list !== undefined) {
    // A copy, as the memory of a body is freed.
    const bytes = new Uint8Array(list.bytes);
    lists.set(crc32(bytes), { bytes, labels }, bytes.length + LIST_BYTES);
  }
  return labels;
}

function shown(value: unknown): string {
  return jsonText(value).slice(0, 100).toWellFormed();
}

function isSentQuality(value: unknown): boolean {
  return isRowQuality(value) && largestCount(value) <= SENT_COUNT_MAX;
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isLabel(value: unknown): value is string {
  return isText(value) && value.length <= LABEL_BYTES_MAX && bytesIn(value) <= LABEL_BYTES_MAX;
}

/** A label, or one with its facets. */
function isSeries(value: unknown): value is string {
  if (!isText(value) || bytesIn(value) >= ENCODED.length) return false;
  const label = labelOfSeries(value);
  return isLabel(label) && !isForged(label);
}

const ENCODER = new TextEncoder();
const ENCODED = new Uint8Array(LABEL_BYTES_MAX + FACETS_BYTES_MAX);

/** UTF-8 length of a text, or that of the buffer, which is more than a label may have. */
function bytesIn(text: string): number {
  const { read, written } = ENCODER.encodeInto(text, ENCODED);
  return read === text.length ? written : ENCODED.length;
}

function isKind(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  return value.every((text) => isText(text) && text.length <= FAILURE_TEXT_CHARACTERS_MAX);
}

/** Bytes of all remembered lists together; their labels take about twice as much again. */
const LISTS_BYTES_MAX = 8 * 1024 * 1024;

/** What a list takes besides its labels, here and in a store, roughly. */
const LIST_BYTES = 1024;

/** By a checksum of their bytes. They count, not the labels: JSON may have any number of blanks. */
const lists = new LruCache<
  number,
  { readonly bytes: Uint8Array; readonly labels: readonly string[] }
>(LISTS_BYTES_MAX);

/**
 * A sender repeats its labels in each batch: they need not be parsed and checked again, and a store recognises the list
 * itself, and looks up no label.
 */
function sentList(bytes: Uint8Array): SentList {
  const found = lists.get(crc32(bytes));
  const isSame = found !== undefined && Buffer.compare(found.bytes, bytes) === 0;
  return { bytes, known: isSame ? found.labels : undefined };
}

const textOf = (unitsMax: number): Check => [
  (value) => isText(value) && value.length <= unitsMax,
  `text of at most ${unitsMax} characters`,
];

const OPTIONAL: Checks = {
  code: textOf(FAILURE_TEXT_CHARACTERS_MAX),
  message: textOf(FAILURE_TEXT_CHARACTERS_MAX),
  isCut: [(value) => value === true, "true, or no such member"],
  ...Object.fromEntries(SAMPLE_NUMBERS.map((name) => [name, WHOLE_NUMBER])),
  ...Object.fromEntries(Object.entries(SAMPLE_TEXTS).map(([name, max]) => [name, textOf(max)])),
};
const OF_SPAN: Checks = {
  elapsedMicros: WHOLE_NUMBER,
  ...Object.fromEntries(Object.entries(CHILD_SPAN_TEXTS).map(([name, max]) => [name, textOf(max)])),
};
const UNKNOWN: Check = [() => false, "no such member"];

/** Requests and spans in a batch; senders choose a few thousand. */
const SAMPLES_MAX = 65_536;

/** Checks the member `samples` of a head, which may be absent. */
function checkSamples(samples: unknown): void {
  if (samples === undefined) return;
  if (!Array.isArray(samples)) throw wrong("samples", "a list", samples);
  if (samples.length > SAMPLES_MAX) {
    throw badBatch(
      `samples of its head: expected at most ${SAMPLES_MAX}, got ${samples.length}: send them in several batches`,
    );
  }
  const ofRequest: Checks = {
    label: [isSeries, "the name of a series"],
    timeMs: WHOLE_NUMBER,
    elapsedMicros: WHOLE_NUMBER,
    hash: WHOLE_NUMBER,
  };
  const all = samples.map((sample: unknown, at) => {
    if (typeof sample !== "object" || sample === null) {
      throw wrong(`samples[${at}]`, "an object", sample);
    }
    const members = sample as Readonly<Record<string, unknown>>;
    const isSpan = members["label"] === undefined && members["operation"] !== undefined;
    const [required, optional] = isSpan ? [OF_SPAN, {}] : [ofRequest, OPTIONAL];
    for (const name of [...Object.keys(required), ...Object.keys(members)]) {
      const known = Object.hasOwn(optional, name) ? optional[name] : UNKNOWN;
      const [isRight, want] = (Object.hasOwn(required, name) ? required[name] : known) ?? UNKNOWN;
      if (!isRight(members[name])) {
        throw wrong(`${name.slice(0, 40)} of samples[${at}]`, want, members[name]);
      }
    }
    return members as unknown as SampleEntry;
  });
  const { samples: requests, spans } = dividedEntries(all);
  const bytes =
    requests.reduce((sum, sample) => sum + sampleBytes(sample), 0) +
    spans.reduce((sum, { service, operation }) => sum + service.length + operation.length, 0);
  if (bytes > SAMPLE_BYTES_DEFAULT) {
    throw badBatch(
      `samples of its head: expected texts of at most ${SAMPLE_BYTES_DEFAULT} characters, got ${bytes}`,
    );
  }
}

function wrong(what: string, want: string, value: unknown): UserError {
  // Texts may have secrets.
  const got =
    typeof value === "string" ? `${value.length} characters` : jsonText(value).slice(0, 100);
  return badBatch(`${what} of its head: expected ${want}, got ${got}`);
}
