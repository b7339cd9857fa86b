/**
 * The attributes of load tests: one row for each field, so that two processes that change different
 * fields at the same instant lose nothing. Of the rows of one field the one with the largest version
 * counts. A load test that is deleted keeps its rows for ever; made again, it has the next
 * incarnation, and whatever still comes for the earlier one is never seen.
 */

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

/** Where a load test lies, which never changes. */
export interface ShardKey {
  readonly loadTestId: string;
  /** How many load tests of this id were deleted before. */
  readonly incarnation: number;
  /** Index of the shard among those configured, from 0. */
  readonly shard: number;
  /** Days since the epoch; all rows of a load test have it, so that they lie in one partition. */
  readonly testDay: number;
}

/**
 * A number by which all processes prefer the same replica for a load test, so that what one of them
 * has written is there for the others.
 */
export function preferenceOf(shardKey: ShardKey | undefined): number {
  let number = 0;
  for (const character of shardKey?.loadTestId ?? "") {
    number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return number;
}

/** A compacted copy of what was visible at some time. */
export interface Compaction {
  /** What the rows of the copy are known by, as 16 hex digits; a later copy has a larger one. */
  readonly number: string;
  /** Digest of the sources that it holds (`visible.ts`). */
  readonly contents: string;
  readonly rows: number;
  readonly publishedAtMs: number;
}

/** Which process is making a copy, so that others leave it to that one. */
export interface Compacting {
  readonly by: string;
  /** When the others need not wait for it any longer. */
  readonly untilMs: number;
}

/** A load test that is there. */
export interface StoredLoadTest {
  readonly shardKey: ShardKey;
  readonly loadTest: LoadTest;
  /** All attributes, those of copies aside: another text with every change, whoever made it. */
  readonly attributesText: string;
  readonly compaction: Compaction | undefined;
  readonly compacting: Compacting | undefined;
}

/** What is known of one id. */
export interface Standing {
  readonly stored: StoredLoadTest | undefined;
  /** Of the load test that would be made now. */
  readonly nextIncarnation: number;
  /** A new row must have a larger one. */
  readonly lastVersion: number;
}

/** The first that is told of where a load test lies counts, so its version falls with time. */
const PLACE_VERSION_END = Number.MAX_SAFE_INTEGER;
const TAG = "tag:";
/** Fields that say which contents a load test was given, to find it by. */
export const CONTENT = "content:";
/** Attributes of copies change nothing that readers see. */
const OF_COPIES: ReadonlySet<string> = new Set(["sealed", "sealing"]);

/** The rows of a load test that begins. */
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

/** The rows that say how `after` differs from `before`. */
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
  return attributes;
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

/** What the rows of one id say together. Rows of the same field may be there more than once. */
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
    },
    attributesText: textOf(shown),
    compaction: parsedOf(fields.get("sealed")) as Compaction | undefined,
    compacting: parsedOf(fields.get("sealing")) as Compacting | undefined,
  };
}

/**
 * Values are part of it, too: two processes that change it in one millisecond say so with the same
 * version.
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

/** The largest version, that of `created` aside. */
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
