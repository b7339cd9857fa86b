import { compareLabels } from "../label.ts";
import type { FailureKind } from "../failures.ts";

/** Times of a request in whole microseconds, and sizes in bytes; absent if the source does not say. */
export const SAMPLE_NUMBERS = [
  "latencyMicros",
  "connectMicros",
  "idleMicros",
  "blockedMicros",
  "dnsMicros",
  "tlsMicros",
  "sendMicros",
  "waitMicros",
  "receiveMicros",
  "sentBytes",
  "receivedBytes",
] as const;

/** What else a source may know, the most useful first, with the bytes (UTF-8) that are kept of each. */
export const SAMPLE_TEXTS = {
  traceId: 128,
  spanId: 128,
  method: 64,
  generator: 256,
  thread: 256,
  url: 2048,
  exception: 4096,
  responseBody: 4096,
  requestBody: 4096,
  responseHeaders: 4096,
  requestHeaders: 4096,
} as const;

type SampleNumber = (typeof SAMPLE_NUMBERS)[number];
export type SampleText = keyof typeof SAMPLE_TEXTS;

const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/** What a source may say of a request beside its times and its outcome. Headers are lines of `Name: value`. */
export interface FurtherDetails
  extends
    Partial<Record<SampleNumber, number | undefined>>,
    Partial<Record<SampleText, string | undefined>> {}

/** What a source says of one request. */
export interface RequestDetails extends FurtherDetails {
  /** Start, in whole milliseconds since the epoch; 0: unknown. */
  readonly timeMs: number;
  readonly elapsedMicros: number;
  /** Why it failed, as the failures of its endpoint say; both absent if it passed. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** One request as it was, without secrets. */
export interface RequestSample extends RequestDetails {
  /** 53 bits of its details, the same wherever they were read. */
  readonly hash: number;
  /** Whether a text is shorter than it was. */
  readonly isCut?: true;
}

/** With the name of its series (`series/facets.ts`). */
export interface LabelledSample extends RequestSample {
  readonly label: string;
}

/** The kind of a failed request. */
export function kindOfSample({
  code,
  message,
}: Pick<RequestDetails, "code" | "message">): FailureKind | undefined {
  return code === undefined && message === undefined
    ? undefined
    : { code: code ?? "", message: message ?? "" };
}

/** What is read of a text beyond what is kept shows what a secret is that begins before it. */
export function charactersRead(name: SampleText): number {
  return 4 * SAMPLE_TEXTS[name];
}

/** Makes a sample of details: `redact` takes secrets out of each text before it is cut. */
export function sampleOf(
  { code, message, ...details }: RequestDetails,
  redact: (text: string, name: SampleText) => string,
): RequestSample {
  const texts: Partial<Record<SampleText, string>> = {};
  let isCut = false;
  for (const name of TEXT_NAMES) {
    const text = details[name];
    if (text === undefined || text === "") continue;
    const read = text.slice(0, charactersRead(name)).toWellFormed();
    const clean = redact(read, name);
    const kept = cutText(clean, SAMPLE_TEXTS[name]);
    isCut ||= kept.length < clean.length || read.length < text.length;
    texts[name] = ownText(kept);
  }
  const known: Partial<Record<SampleNumber, number>> = {};
  const numbers: (number | undefined)[] = [];
  for (const name of SAMPLE_NUMBERS) {
    const value = details[name];
    numbers.push(value);
    if (value !== undefined) known[name] = value;
  }
  const { timeMs, elapsedMicros } = details;
  const hashed = JSON.stringify([timeMs, elapsedMicros, code, message, numbers, texts]);
  return {
    timeMs,
    elapsedMicros,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...known,
    ...texts,
    hash: hashText(hashed),
    ...(isCut && { isCut: true }),
  };
}

/**
 * Cuts the texts of a sample, one after the other, to so many bytes together. Cutting it twice is cutting it to the smaller
 * size: what is left of a text ends at the same character, and all texts behind it are gone.
 */
export function fitSample<Sample extends RequestSample>(sample: Sample, bytesMax: number): Sample {
  if (sampleBytes(sample) * UTF8_BYTES_MAX <= bytesMax) return sample;
  let left = bytesMax;
  let cut: Sample | undefined;
  for (const name of TEXT_NAMES) {
    const text = sample[name];
    if (text === undefined) continue;
    const kept = cutText(text, left);
    left -= utf8Length(kept);
    if (kept.length === text.length) continue;
    left = 0;
    cut = { ...(cut ?? sample), [name]: kept, isCut: true };
    if (kept === "") delete (cut as { [Name in SampleText]?: string })[name];
  }
  return cut ?? sample;
}

/** Roughly, of its texts, without label, code and message, which are those of endpoints and failures. */
export function sampleBytes(details: RequestDetails): number {
  return TEXT_NAMES.reduce((sum, name) => sum + (details[name]?.length ?? 0), 0);
}

/** A request that may be kept: most are passed over before all of it is needed. */
export interface UnreadRequest extends SampleTimes {
  /** Of a failed one. */
  readonly kind: FailureKind | undefined;
  /** Of its texts, at least roughly. */
  readonly bytes: number;
  /** Returns all of it, perhaps much later. */
  readonly read: () => RequestDetails;
}

/** One that was read at once. */
export function readAtOnce(details: RequestDetails): UnreadRequest {
  const { timeMs, elapsedMicros } = details;
  const [kind, bytes] = [kindOfSample(details), sampleBytes(details)];
  return { timeMs, elapsedMicros, kind, bytes, read: () => details };
}

/** By label, then time, then hash. */
export function compareSamples(left: LabelledSample, right: LabelledSample): number {
  return (
    compareLabels(left.label, right.label) || left.timeMs - right.timeMs || left.hash - right.hash
  );
}

/** 32 bits of time and response time, known before anything else of a request is read. */
export function mixTimes({ timeMs, elapsedMicros }: SampleTimes): number {
  let hash = Math.imul(timeMs ^ 0x9e3779b1, 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 15) ^ Math.floor(timeMs / 2 ** 32), 0xc2b2ae3d);
  hash = Math.imul(hash ^ (hash >>> 13) ^ elapsedMicros, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca77);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export type SampleTimes = Pick<RequestDetails, "timeMs" | "elapsedMicros">;

/** 53 bits (cyrb53, public domain). */
export function hashText(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 2654435761);
    high = Math.imul(high ^ unit, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}

/** Of a UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const room = new Uint8Array(Math.max(...Object.values(SAMPLE_TEXTS)));

/** Cuts between characters; `bytesMax` beyond those of any text changes nothing. */
export function cutText(text: string, bytesMax: number): string {
  if (text.length * UTF8_BYTES_MAX <= bytesMax) return text;
  const { read } = utf8.encodeInto(text, room.subarray(0, bytesMax));
  return read === text.length ? text : text.slice(0, read);
}

/** The same text in memory of its own: a part of a text keeps all of it. */
function ownText(text: string): string {
  return fromUtf8.decode(room.subarray(0, utf8Length(text)));
}

function utf8Length(text: string): number {
  return utf8.encodeInto(text, room).written;
}
