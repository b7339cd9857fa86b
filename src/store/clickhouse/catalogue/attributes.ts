/**
 * Attributes of load tests: one row per field, so that two processes that change different fields
 * concurrently lose nothing. Of the rows of a field, the largest version wins. A deleted load test keeps its
 * rows forever; when it is created again, it gets the next incarnation, and late rows of the earlier one are
 * never visible.
 */

import { changeEvents, type LoadTestEvent } from "../../../model/measures/load-test-events.ts";
import { compareLabels } from "../../../model/label.ts";
import { type LoadTest, type NewLoadTest, beginLoadTest } from "../../../model/load-test.ts";
import type { Content } from "../../snapshot.ts";
import type { Attribute } from "./tables.ts";

/** Location of a load test; never changes. */
export interface ShardKey {
  readonly loadTestId: string;
  /** Number of deleted load tests with the same id. */
  readonly incarnation: number;
  /** Index of the shard in the configuration, from 0. */
  readonly shard: number;
  /** Days since the epoch; the same in all rows of a load test, so that they share a partition. */
  readonly testDay: number;
}

/** Makes all processes prefer the same replica for a load test, so that they see each other's writes. */
export function preferenceOf(shardKey: ShardKey | undefined): number {
  let number = 0;
  for (const character of shardKey?.loadTestId ?? "") {
    number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return number;
}

/** A compacted snapshot of the visible data. */
export interface Compaction {
  /** Identifies the rows of the copy, as 16 hex digits; later copies have larger ones. */
  readonly number: string;
  /** Digest of the sources it contains (`visible.ts`). */
  readonly contents: string;
  readonly rows: number;
  readonly publishedAtMs: number;
  /** Copies made by earlier versions have no outcomes of mixed points, even where their parts tell them. */
  readonly hasOutcomes?: boolean;
}

/** The process that is compacting, so that others leave the load test to it. */
export interface Compacting {
  readonly by: string;
  /** When the reservation expires. */
  readonly untilMs: number;
}

/** Where its points are merged into minutes: rows with this number replace those of batches stored before a time. */
export interface Minutes {
  /** At least `MINUTES_FROM`, in decimal digits. */
  readonly number: string;
  readonly beforeMs: number;
}

export interface StoredLoadTest {
  readonly shardKey: ShardKey;
  readonly loadTest: LoadTest;
  /** Hash of all attributes except copies; differs after every change. */
  readonly attributesText: string;
  readonly compaction: Compaction | undefined;
  readonly compacting: Compacting | undefined;
  readonly minutes: Minutes | undefined;
}

export interface Standing {
  readonly stored: StoredLoadTest | undefined;
  /** Incarnation of a load test created now. */
  readonly nextIncarnation: number;
  /** New rows need a larger version. */
  readonly lastVersion: number;
}

/** The first location wins, so its version decreases with time. */
const CREATED = "created";
const CREATED_VERSION_END = Number.MAX_SAFE_INTEGER;
const TAG = "tag:";
const EVENT = "event:";
/** Fields that index the contents of a load test. */
export const CONTENT = "content:";
/** Attributes of copies do not affect visible data. */
const OF_COPIES: ReadonlySet<string> = new Set(["sealed", "sealing"]);

export type Fields = Readonly<Record<string, string>>;

/** Returns the rows that give fields these values. */
export function attributesOf(
  { loadTestId, incarnation }: ShardKey,
  fields: Fields,
  version: number,
): readonly Attribute[] {
  return Object.entries(fields).map(([field, value]) => ({
    loadTestId,
    incarnation,
    field,
    version: field === CREATED ? CREATED_VERSION_END - version : version,
    value,
  }));
}

export function fieldsOfNew(newLoadTest: NewLoadTest, { shard, testDay }: ShardKey): Fields {
  const { createdAtMs } = newLoadTest;
  const created = JSON.stringify({ createdAtMs, shard, testDay });
  return { [CREATED]: created, ...fieldsOf(beginLoadTest(newLoadTest)) };
}

/** Returns the fields that differ. Removed events have no value. */
export function fieldsOfChange(before: LoadTest, after: LoadTest): Fields {
  const [had, has] = [fieldsOf(before), fieldsOf(after)];
  const removed = Object.keys(had).filter((field) => !(field in has));
  return Object.fromEntries([
    ...Object.entries(has).filter(([field, value]) => had[field] !== value),
    ...removed.map((field) => [field, field.startsWith(TAG) ? "0" : ""]),
  ]);
}

function fieldsOf({ name, pinned, finishedAtMs, tags, events = [] }: LoadTest): Fields {
  return {
    name,
    pinned: pinned ? "1" : "0",
    finished: `${finishedAtMs ?? ""}`,
    ...Object.fromEntries(tags.map((tag) => [`${TAG}${tag}`, "1"])),
    ...Object.fromEntries(events.map((event) => [`${EVENT}${event.id}`, JSON.stringify(event)])),
  };
}

export function contentField({ sizeBytes, digest }: Content): string {
  return `${CONTENT}${sizeBytes} ${digest}`;
}

/** Combines the rows of one id. The same field may occur more than once. */
export function standingOf(attributes: readonly Attribute[]): Standing {
  const incarnation = attributes.reduce(
    (last, attribute) => Math.max(last, attribute.incarnation),
    -1,
  );
  const fields = new Map<string, Attribute>();
  for (const attribute of attributes) {
    if (attribute.incarnation !== incarnation) continue;
    if (attribute.version > (fields.get(attribute.field)?.version ?? -1))
      fields.set(attribute.field, attribute);
  }
  const created = fields.get(CREATED);
  const lastVersion = versionOf([...fields.values()]);
  if (created === undefined) {
    return { stored: undefined, nextIncarnation: Math.max(incarnation, 0), lastVersion };
  }
  if (fields.get("deleted")?.value === "1") {
    return { stored: undefined, nextIncarnation: incarnation + 1, lastVersion };
  }
  return { stored: storedOf(created, fields), nextIncarnation: incarnation, lastVersion };
}

function storedOf(created: Attribute, fields: ReadonlyMap<string, Attribute>): StoredLoadTest {
  const { loadTestId, incarnation } = created;
  const { createdAtMs, ...where } = JSON.parse(created.value) as {
    createdAtMs: number;
    shard: number;
    testDay: number;
  };
  const shown = [...fields.values()].filter(({ field }) => !OF_COPIES.has(field));
  const finished = fields.get("finished")?.value ?? "";
  const events = shown
    .filter(({ field, value }) => field.startsWith(EVENT) && value !== "")
    .map(({ value }) => JSON.parse(value) as LoadTestEvent);
  return {
    shardKey: { loadTestId, incarnation, ...where },
    loadTest: {
      id: loadTestId,
      name: fields.get("name")?.value ?? loadTestId,
      createdAtMs,
      tags: shown
        .filter(({ field, value }) => field.startsWith(TAG) && value === "1")
        .map(({ field }) => field.slice(TAG.length))
        .toSorted(compareLabels),
      pinned: fields.get("pinned")?.value === "1",
      finishedAtMs: finished === "" ? undefined : Number(finished),
      ...(events.length > 0 && { events: changeEvents(events, {}) ?? [] }),
    },
    attributesText: textOf(shown),
    compaction: parsedOf(fields.get("sealed")) as Compaction | undefined,
    compacting: parsedOf(fields.get("sealing")) as Compacting | undefined,
    minutes: parsedOf(fields.get("minutes")) as Minutes | undefined,
  };
}

/** Includes values: two processes can write different ones with the same version within a millisecond. */
function textOf(attributes: readonly Attribute[]): string {
  const lines = attributes.map(({ field, version, value }) =>
    JSON.stringify([field, version, value]),
  );
  return lines.toSorted().join("\n");
}

function parsedOf(attribute: Attribute | undefined): unknown {
  return attribute && JSON.parse(attribute.value);
}

function versionOf(attributes: readonly Attribute[]): number {
  return attributes.reduce(
    (last, { field, version }) => (field === CREATED ? last : Math.max(last, version)),
    0,
  );
}
