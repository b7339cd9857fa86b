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

/** One row of the table `load_tests`. */
export interface Attribute {
  readonly loadTestId: string;
  readonly incarnation: number;
  readonly field: string;
  readonly version: number;
  readonly value: string;
}

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

/**
 * Makes all processes prefer the same replica for a load test, so that they see each other's writes.
 */
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

/**
 * Where its points are merged into minutes: in rows with this sequence number, instead of those of all batches that were
 * stored before a time.
 */
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

/** State of one id. */
export interface Standing {
  readonly stored: StoredLoadTest | undefined;
  /** Incarnation of a load test created now. */
  readonly nextIncarnation: number;
  /** New rows need a larger version. */
  readonly lastVersion: number;
}

/** The first location wins, so its version decreases with time. */
const PLACE_VERSION_END = Number.MAX_SAFE_INTEGER;
const TAG = "tag:";
const EVENT = "event:";
/** Fields that index the contents of a load test. */
export const CONTENT = "content:";
/** Attributes of copies do not affect visible data. */
const OF_COPIES: ReadonlySet<string> = new Set(["sealed", "sealing"]);

export function attributesOfNew(
  newLoadTest: NewLoadTest,
  shardKey: ShardKey,
  version: number,
): Attribute[] {
  const { name, createdAtMs, tags, pinned } = beginLoadTest(newLoadTest);
  const { shard, testDay } = shardKey;
  const created = {
    ...attributeOf(shardKey, "created", JSON.stringify({ createdAtMs, shard, testDay }), version),
    version: PLACE_VERSION_END - version,
  };
  return [
    created,
    attributeOf(shardKey, "name", name, version),
    attributeOf(shardKey, "pinned", digit(pinned), version),
    ...tags.map((tag) => attributeOf(shardKey, `${TAG}${tag}`, "1", version)),
  ];
}

/** Returns the rows that change `before` to `after`. */
export function attributesOfChange(
  shardKey: ShardKey,
  before: LoadTest,
  after: LoadTest,
  version: number,
): Attribute[] {
  const attributes: Attribute[] = [];
  const say = (field: string, value: string) => {
    attributes.push(attributeOf(shardKey, field, value, version));
  };
  if (after.name !== before.name) say("name", after.name);
  if (after.pinned !== before.pinned) say("pinned", digit(after.pinned));
  if (after.finishedAtMs !== before.finishedAtMs) say("finished", `${after.finishedAtMs ?? ""}`);
  for (const tag of before.tags) if (!after.tags.includes(tag)) say(`${TAG}${tag}`, "0");
  for (const tag of after.tags) if (!before.tags.includes(tag)) say(`${TAG}${tag}`, "1");
  for (const [id, value] of changedEvents(before, after)) say(`${EVENT}${id}`, value);
  return attributes;
}

/** Removed events have no value. */
function changedEvents(
  { events: before = [] }: LoadTest,
  { events: after = [] }: LoadTest,
): readonly (readonly [id: string, value: string])[] {
  const [had, has] = [before, after].map((events) => new Set(events.map(({ id }) => id)));
  return [
    ...before.flatMap(({ id }) => (has?.has(id) ? [] : [[id, ""] as const])),
    ...after.flatMap((event) =>
      had?.has(event.id) ? [] : [[event.id, JSON.stringify(event)] as const],
    ),
  ];
}

export function attributeOfDeletion(
  shardKey: ShardKey,
  isDeleted: boolean,
  version: number,
): Attribute {
  return attributeOf(shardKey, "deleted", digit(isDeleted), version);
}

export function attributeOfContent(
  shardKey: ShardKey,
  content: Content,
  version: number,
): Attribute {
  return attributeOf(shardKey, contentField(content), "1", version);
}

export function contentField({ sizeBytes, digest }: Content): string {
  return `${CONTENT}${sizeBytes} ${digest}`;
}

export function attributeOfCompaction(
  shardKey: ShardKey,
  compaction: Compaction,
  version: number,
): Attribute {
  return attributeOf(shardKey, "sealed", JSON.stringify(compaction), version);
}

export function attributeOfCompacting(
  shardKey: ShardKey,
  compacting: Compacting,
  version: number,
): Attribute {
  return attributeOf(shardKey, "sealing", JSON.stringify(compacting), version);
}

export function attributeOfMinutes(
  shardKey: ShardKey,
  minutes: Minutes,
  version: number,
): Attribute {
  return attributeOf(shardKey, "minutes", JSON.stringify(minutes), version);
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
  const created = fields.get("created");
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

/**
 * Values are included, too: two processes can write different values with the same version within one
 * millisecond.
 */
function textOf(attributes: readonly Attribute[]): string {
  const lines = attributes.map(({ field, version, value }) =>
    JSON.stringify([field, version, value]),
  );
  return lines.toSorted().join("\n");
}

function parsedOf(attribute: Attribute | undefined): unknown {
  return attribute && JSON.parse(attribute.value);
}

/** The largest version, excluding that of `created`. */
function versionOf(attributes: readonly Attribute[]): number {
  return attributes.reduce(
    (last, { field, version }) => (field === "created" ? last : Math.max(last, version)),
    0,
  );
}

function attributeOf(
  { loadTestId, incarnation }: ShardKey,
  field: string,
  value: string,
  version: number,
): Attribute {
  return { loadTestId, incarnation, field, version, value };
}

function digit(value: boolean): string {
  return value ? "1" : "0";
}
