/** Rows of batches in the table `measurements`: one block, so that it is stored atomically. */

import { type Contents, type EndpointLabel, failuresBeside } from "./contents.ts";
import { contentsKey } from "./contents-choice.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { countedLabelsOf } from "../read/label-rows.ts";
import { marksJson } from "../catalogue/marks.ts";
import { OutcomeRows } from "../outcome-columns.ts";
import { appendNumbers } from "../measured-columns.ts";
import type { Unsigned64Column } from "../native/native-columns.ts";
import { NUMBERS, sqlName } from "../schema/names.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import type { BatchNote, GoneEvent, PublishedEvent } from "../catalogue/sources.ts";

/** A batch to store, and its location. */
export interface BatchRows {
  readonly shardKey: ShardKey;
  /** Of the source's generation. */
  readonly source: bigint;
  readonly sequence: number;
  /** See `contents-choice.ts`. */
  readonly follows: number;
  readonly note: BatchNote;
  readonly contents: Contents;
  readonly newLabels: readonly EndpointLabel[];
  readonly storedAtMs: number;
  /** Number of the process that stores it. */
  readonly writer: bigint;
  /** Whether it won a claim: see `claims.ts`. */
  readonly isClaimed: boolean;
}

export interface EventRow {
  readonly shardKey: ShardKey;
  readonly source: bigint;
  readonly event: PublishedEvent | GoneEvent;
  readonly marks?: string | undefined;
  readonly storedAtMs: number;
}

const KIND_TYPE = "Enum8('source' = 0, 'batch' = 1, 'label' = 2, 'point' = 3)";
const KIND = { source: 0, batch: 1, label: 2, point: 3 } as const;

/** Sequence numbers of events: at most one event of each kind per source. */
export const EVENT_SEQUENCE = { published: 1, gone: 2 } as const;

const HASH_BYTES = 40;

export function encodeBatches(batches: readonly BatchRows[]): readonly Uint8Array[] {
  const rows = new MeasurementRows();
  for (const batch of batches) rows.addBatch(batch);
  return rows.finish();
}

/** Builds the block of some events, stored atomically. */
export function encodeEvents(events: readonly EventRow[]): readonly Uint8Array[] {
  const rows = new MeasurementRows();
  for (const event of events) rows.addEvent(event);
  return rows.finish();
}

class MeasurementRows {
  readonly #block = new NativeBlockWriter();
  readonly #loadTestId = this.#block.texts("load_test_id");
  readonly #incarnation = this.#block.unsigned32("incarnation");
  readonly #kind = this.#block.enum8("kind", KIND_TYPE);
  readonly #hash = this.#block.fixed("endpoint_hash", HASH_BYTES);
  readonly #second = this.#block.unsigned32("second");
  readonly #source = this.#block.unsigned64("source");
  readonly #sequence = this.#block.unsigned64("sequence");
  readonly #testDay = this.#block.date("test_day");
  readonly #numbers = Object.fromEntries(
    NUMBERS.map((name) => [name, this.#block.unsigned64(sqlName(name))]),
  ) as Record<(typeof NUMBERS)[number], Unsigned64Column>;
  readonly #windowSeconds = this.#block.unsigned16("window_seconds");
  readonly #role = this.#block.unsigned8("role");
  readonly #bucket = this.#block.arrays16("histogram.bucket");
  readonly #bucketRequests = this.#block.arrays64("histogram.requests");
  readonly #failureCode = this.#block.textArrays("failures.code");
  readonly #failureMessage = this.#block.textArrays("failures.message");
  readonly #failureRequests = this.#block.arrays64("failures.requests");
  readonly #text = this.#block.texts("text");
  readonly #users = this.#block.texts("users");
  readonly #digest = this.#block.unsigned64("digest");
  readonly #follows = this.#block.unsigned64("follows");
  readonly #fromSecond = this.#block.unsigned32("from_second");
  readonly #untilSecond = this.#block.unsigned32("until_second");
  readonly #storedAtMs = this.#block.unsigned64("stored_at_ms");
  readonly #contents = this.#block.unsigned32("contents");
  readonly #writer = this.#block.unsigned64("writer");
  readonly #isClaimed = this.#block.unsigned8("is_claimed");
  readonly #outcomes = new OutcomeRows(this.#block);

  finish(): readonly Uint8Array[] {
    return this.#block.finish();
  }

  addBatch(batch: BatchRows): void {
    const { contents, note } = batch;
    this.#addIdentity(batch, 1, "batch");
    this.#numbers.requests.repeat(contents.requests, 1);
    this.#numbers.failedRequests.repeat(contents.failedRequests, 1);
    this.#text.repeat(JSON.stringify(note), 1);
    this.#users.repeat(contents.users, 1);
    this.#digest.repeat(contents.digest, 1);
    this.#follows.repeat(batch.follows, 1);
    this.#fromSecond.repeat(contents.fromSecond, 1);
    this.#untilSecond.repeat(contents.untilSecond, 1);
    this.#writer.repeat(batch.writer, 1);
    this.#isClaimed.repeat(batch.isClaimed ? 1 : 0, 1);
    this.#block.fill();
    this.#addLabels(batch);
    this.#addPoints(batch);
  }

  addEvent({ event, marks, ...about }: EventRow): void {
    this.#addIdentity({ ...about, sequence: EVENT_SEQUENCE[event.event] }, 1, "source");
    this.#text.repeat(JSON.stringify(event), 1);
    // An event has no users: the column, which manifests do not read, holds the marks.
    this.#users.repeat(marksJson(marks), 1);
    this.#block.fill();
  }

  #addPoints(batch: BatchRows): void {
    const { points, failures, labels } = batch.contents;
    const hashes = Buffer.from(labels.map(({ hash }) => hash).join(""), "latin1");
    const { alone, ...beside } = failuresBeside(points, failures);
    this.#addIdentity(batch, points.second.length + alone.length, "point");
    this.#hash.appendByIndex(hashes, points.endpoint);
    this.#hash.appendByIndex(
      hashes,
      Uint32Array.from(alone, ({ endpoint }) => endpoint),
    );
    this.#second.append(points.second);
    this.#second.append(Uint32Array.from(alone, ({ second }) => second));
    for (const name of NUMBERS) {
      const column = points[name];
      if (column !== undefined) appendNumbers(this.#numbers[name], name, column);
    }
    if (points.windowSeconds === undefined) this.#windowSeconds.repeat(1, points.second.length);
    else this.#windowSeconds.append(points.windowSeconds);
    this.#windowSeconds.repeat(1, alone.length);
    this.#bucket.append(points.bucketsFrom, points.bucket);
    this.#bucketRequests.append(points.bucketsFrom, points.bucketCount);
    this.#failureCode.append(beside.from, beside.codes);
    this.#failureMessage.append(beside.from, beside.messages);
    this.#failureRequests.append(beside.from, beside.requests);
    this.#outcomes.append(points);
    this.#block.fill();
  }

  #addLabels(batch: BatchRows): void {
    const labels = countedLabelsOf(batch);
    this.#addIdentity(batch, labels.length, "label");
    this.#hash.append(Buffer.from(labels.map(({ hash }) => hash).join(""), "latin1"));
    this.#numbers.requests.append(labels.map(({ requests }) => requests));
    this.#numbers.failedRequests.append(labels.map(({ failedRequests }) => failedRequests));
    this.#role.append(Uint8Array.from(labels, ({ role }) => role));
    this.#text.append(labels.map(({ label }) => label));
    this.#block.fill();
  }

  #addIdentity(
    {
      shardKey,
      source,
      sequence,
      storedAtMs,
      contents,
    }: Pick<BatchRows, "shardKey" | "source" | "sequence" | "storedAtMs"> & {
      readonly contents?: Pick<Contents, "digest">;
    },
    rows: number,
    kind: keyof typeof KIND,
  ): void {
    this.#loadTestId.repeat(shardKey.loadTestId, rows);
    this.#incarnation.repeat(shardKey.incarnation, rows);
    this.#kind.repeat(KIND[kind], rows);
    this.#source.repeat(source, rows);
    this.#sequence.repeat(sequence, rows);
    this.#testDay.repeat(shardKey.testDay, rows);
    this.#storedAtMs.repeat(storedAtMs, rows);
    this.#contents.repeat(contents === undefined ? 0 : contentsKey(contents.digest), rows);
  }
}
