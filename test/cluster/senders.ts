/** Senders whose every batch can be told from each other, and what a service must return when all are acknowledged. */

import { setTimeout as delay } from "node:timers/promises";
import { encodeBatch, BATCH_MEDIA_TYPE } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import type { Service } from "./services.ts";

const SENDERS = 4;
/** The sender of which each batch has two versions, sent through two servers at once. */
const CONTEST = "contest";
/** Batches of each label: few, so that new labels are numbered all the time. */
const BATCHES_OF_LABEL = 8;
const PAUSE_MS = 20;
/** After this time without an answer, a sender changes to the other server. */
const ANSWER_PATIENCE_MS = 10_000;

export interface Acknowledgement {
  readonly sender: string;
  readonly sequence: number;
  readonly version: number;
  readonly sentAtMs: number;
  readonly atMs: number;
  readonly isDuplicate: boolean;
}

export interface Sending {
  readonly acknowledged: readonly Acknowledgement[];
  /** Resolves when each has the answer to its last batch. Rejects if a batch was refused, or both versions of one were stored. */
  readonly ended: Promise<void>;
  /** Lets each end with the batch that it sends. */
  stop(): void;
}

export interface Target {
  readonly services: readonly Service[];
  readonly key: string;
  readonly loadTestId: string;
}

/** Begins to send. `onAcknowledged` is called once for each batch. */
export function startSending(
  target: Target,
  onAcknowledged: (acknowledgement: Acknowledgement) => void,
): Sending {
  const acknowledged: Acknowledgement[] = [];
  const stopping = new AbortController();
  const note = (each: Acknowledgement): void => {
    acknowledged.push(each);
    onAcknowledged(each);
  };
  const repeat = async (sendOne: (sequence: number) => Promise<void>): Promise<void> => {
    for (let sequence = 0; !stopping.signal.aborted; sequence++) {
      await sendOne(sequence);
      await delay(PAUSE_MS);
    }
  };
  const ordinary = Array.from({ length: SENDERS }, (_, number) => {
    // Each begins at a server and stays there until it is away.
    const at = { server: number };
    return repeat(async (sequence) => {
      const stored = await deliver(target, at, { sender: `sender-${number}`, sequence });
      if (stored === undefined) throw new Error(`sender-${number}: batch ${sequence} is refused`);
      note(stored);
    });
  });
  const contest = repeat(async (sequence) => {
    const versions = [0, 1].map((version) =>
      deliver(target, { server: version }, { sender: CONTEST, sequence, version }),
    );
    const stored = (await Promise.all(versions)).filter((each) => each !== undefined);
    if (stored.length !== 1) {
      throw new Error(`of two versions of batch ${sequence}, ${stored.length} are stored`);
    }
    for (const each of stored) note(each);
  });
  const ended = Promise.all([...ordinary, contest]).then(() => undefined);
  // Reported where it is awaited.
  ended.catch(() => undefined);
  return { acknowledged, ended, stop: () => stopping.abort() };
}

interface Numbered {
  readonly sender: string;
  readonly sequence: number;
  readonly version?: number;
}

/** Sends a batch until there is an answer, to one server after the other; `undefined`: another version of it is stored. */
async function deliver(
  target: Target,
  at: { server: number },
  numbered: Numbered,
): Promise<Acknowledgement | undefined> {
  const { services, loadTestId } = target;
  const { sender, sequence, version = 0 } = numbered;
  const about = { loadTestId, sourceId: sender, sequence };
  const body = encodeBatch(batchOf(samplesOf(numbered), about));
  const sentAtMs = performance.now();
  for (;;) {
    const answer = await post(services[at.server % services.length], target, body);
    if (answer?.status === 200) {
      const isDuplicate = answer.text.includes('"duplicate":true');
      return { sender, sequence, version, sentAtMs, atMs: performance.now(), isDuplicate };
    }
    if (answer?.status === 409 && answer.text.includes("sequence-reused")) return undefined;
    if (answer !== undefined && answer.status < 500) {
      throw new Error(`${sender}: batch ${sequence} gets ${answer.status} ${answer.text}`);
    }
    if (answer === undefined) at.server += 1;
    await delay(200);
  }
}

/** `undefined`: the server does not answer. */
async function post(
  service: Service | undefined,
  { key, loadTestId }: Target,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const response = await fetch(`${service?.url}/Api/LoadTests/${loadTestId}/Batches`, {
      method: "POST",
      headers: { "x-service-auth": key, "content-type": BATCH_MEDIA_TYPE },
      body,
      signal: AbortSignal.timeout(ANSWER_PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** All requests of a batch are in one second, equally long, so that count and average tell their sum exactly. */
function samplesOf({ sender, sequence, version = 0 }: Numbered) {
  const { second, requests, elapsedMicros } = pointOf({ sender, sequence, version });
  return labelsOf(sender, sequence).flatMap((label) =>
    Array.from({ length: requests }, () => sample(label, second, elapsedMicros)),
  );
}

function pointOf({ sequence, version = 0 }: Numbered) {
  return {
    second: 1 + sequence,
    requests: 1 + (sequence % 3),
    elapsedMicros: 1000 + ((7919 * sequence) % 100_000) + 500_000 * version,
  };
}

function labelsOf(sender: string, sequence: number): readonly string[] {
  return [sender, `${sender} part ${Math.floor(sequence / BATCHES_OF_LABEL)}`];
}

/** Returns how the rows of a load test differ from what was acknowledged, by label and second; empty: in nothing. */
export async function differences(
  { url }: Service,
  { key, loadTestId }: Target,
  acknowledged: readonly Acknowledgement[],
): Promise<readonly string[]> {
  const address = `${url}/Api/Metrics?loadTestId=${loadTestId}&all=true&format=csv`;
  const response = await fetch(address, { headers: { "x-service-auth": key } });
  if (!response.ok) return [`${url} answers ${response.status} ${await response.text()}`];
  const series = (await response.json()) as readonly { label: string; data: string[][] }[];
  const stored = new Map(
    series.flatMap(({ label, data }) =>
      data
        .slice(1)
        .map(([second, average, count]) => [`${label} at ${second}`, `${count} x ${average}`]),
    ),
  );
  const wanted = new Map(
    acknowledged.flatMap((each) => {
      const { second, requests, elapsedMicros } = pointOf(each);
      const value = `${requests} x ${elapsedMicros / 1_000_000}`;
      return labelsOf(each.sender, each.sequence).map((label) => [`${label} at ${second}`, value]);
    }),
  );
  return [...new Set([...stored.keys(), ...wanted.keys()])]
    .filter((each) => stored.get(each) !== wanted.get(each))
    .map((each) => `${each}: acknowledged ${wanted.get(each)}, stored ${stored.get(each)}`);
}
