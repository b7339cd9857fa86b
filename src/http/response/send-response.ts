import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CacheWriter } from "./response-cache.ts";
import { encodeChunks, createChunkWriter } from "./through-transform.ts";
import { type SendOutcome, endAtOnce, sendGuarded, untilClosed } from "./guarded-writes.ts";
import { type LargeResponses, WHOLE_BYTES_MAX } from "./large-responses.ts";
import type { Coding } from "../negotiation.ts";
import type { RouteResponse } from "../route.ts";

const LISTED_TAG = /(?:W\/)?("[\x21\x23-\x7E\x80-\xFF]*")/g;

export interface Sending {
  readonly coding: Coding;
  /** Whether the client also accepts uncompressed bytes. */
  readonly isPlainAccepted: boolean;
  readonly compressions: Compressions;
  readonly largeResponses: LargeResponses;
  /** Whom large responses are counted for. */
  readonly reader: string;
  /** Whether the response needed a key. */
  readonly isPrivate: boolean;
  /** A client that does not read for this time is disconnected. */
  readonly stallMs: number;
  /** Caches the bytes in this coding; `undefined` if the response is not cacheable. */
  readonly cacheWriter: ((coding: Coding) => CacheWriter) | undefined;
}

export interface Compressions {
  /**
   * Beyond this, responses are sent uncompressed if the client accepts that: a compression takes 1 to
   * 3 MB per slow client, an uncompressed response half of 1 MB.
   */
  readonly max: number;
  underWay: number;
}

/**
 * Sends a response: only headers for `HEAD`, 304 if the client has it, otherwise its bytes as fast as
 * the client reads. Errors before the first byte are thrown and nothing has been sent. Later errors
 * destroy the connection, since a truncated response must not look complete, and are thrown as well.
 */
export async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RouteResponse,
  sending: Sending,
): Promise<SendOutcome> {
  const headers = headersOf(answer, sending.coding, sending);
  if (sendHeadAlone(request, response, { status: answer.status ?? 200, headers })) return "sent";
  if (answer.status === 204) {
    const { "Content-Type": _, ...others } = headers;
    response.writeHead(204, others);
    response.end();
    return "sent";
  }
  return await sendBody(response, answer, sending);
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Sends the head alone for `HEAD`, or 304 if the client has the response. Returns whether it did. */
export function sendHeadAlone(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers }: ResponseHead,
): boolean {
  const { ETag: tag } = headers;
  const isKnown = tag !== undefined && matchesTag(request.headers["if-none-match"], tag);
  if (!isKnown && request.method !== "HEAD") return false;
  const { "Cache-Control": cacheControl } = headers;
  if (isKnown) response.writeHead(304, { ETag: tag, "Cache-Control": cacheControl });
  else response.writeHead(status, headers);
  response.end();
  return true;
}

async function sendBody(
  response: ServerResponse,
  answer: RouteResponse,
  sending: Sending,
): Promise<SendOutcome> {
  const plain = answer.chunks()[Symbol.asyncIterator]();
  try {
    if (answer.stop !== undefined) return await sendLive(response, answer, plain, sending);
    const started = await begin(plain);
    // A complete body is compressed at once, however slowly it is read.
    if (started.isWhole) {
      const coding = isBrief(answer, started, sending) ? "identity" : sending.coding;
      return await sendCoded(response, answer, started, { ...sending, coding });
    }
    const { largeResponses, reader } = sending;
    largeResponses.requireRoomFor(Infinity, reader);
    const send = () => sendWhereFree(response, answer, started, sending);
    return await largeResponses.count(response, { bytes: Infinity, reader }, send);
  } finally {
    await plain.return?.();
  }
}

/** Sends each chunk as it comes, until there are no more or the client leaves. */
async function sendLive(
  response: ServerResponse,
  answer: RouteResponse,
  rest: AsyncIterator<Uint8Array>,
  sending: Sending,
): Promise<SendOutcome> {
  response.once("close", () => answer.stop?.());
  const started = { start: new Uint8Array(), isWhole: false, rest };
  return await sendCoded(response, answer, started, { ...sending, coding: "identity" });
}

/** Compressing an acknowledgement would take longer than all the rest of it. */
const BRIEF_BYTES_MAX = 1000;

/** Whether a complete body is not worth compressing. A body with a tag stays as the tag says. */
function isBrief(
  { tagParts }: RouteResponse,
  { start }: StartedChunks,
  { isPlainAccepted }: Sending,
): boolean {
  return isPlainAccepted && tagParts === undefined && start.length <= BRIEF_BYTES_MAX;
}

/** The first chunks: all of them, or at least `WHOLE_BYTES_MAX`. `start` is valid until `rest` is read. */
interface StartedChunks {
  readonly start: Uint8Array;
  readonly isWhole: boolean;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** Sends a large response, uncompressed if too many compressions run and the client accepts that. */
async function sendWhereFree(
  response: ServerResponse,
  answer: RouteResponse,
  started: StartedChunks,
  sending: Sending,
): Promise<SendOutcome> {
  const { compressions } = sending;
  const isBusy = compressions.underWay >= compressions.max;
  const coding = isBusy && sending.isPlainAccepted ? "identity" : sending.coding;
  const weight = coding === "identity" ? 0 : 1;
  compressions.underWay += weight;
  try {
    return await sendCoded(response, answer, started, { ...sending, coding });
  } finally {
    compressions.underWay -= weight;
  }
}

async function sendCoded(
  response: ServerResponse,
  answer: RouteResponse,
  started: StartedChunks,
  sending: Sending,
): Promise<SendOutcome> {
  const { coding, stallMs } = sending;
  const headers = headersOf(answer, coding, sending);
  const cacheWriter = sending.cacheWriter?.(coding);
  const way = { status: answer.status ?? 200, headers, stallMs, cacheWriter };
  try {
    if (coding === "identity") return await sendChunks(started, response, way);
    const encoded = encodeChunks(resumed(started), coding)[Symbol.asyncIterator]();
    try {
      return await sendChunks(await begin(encoded), response, way);
    } finally {
      await encoded.return?.();
    }
  } finally {
    cacheWriter?.drop();
  }
}

async function* resumed({ start, rest }: StartedChunks): AsyncGenerator<Uint8Array> {
  yield start;
  for (let chunk = await rest.next(); chunk.done !== true; chunk = await rest.next()) {
    yield chunk.value;
  }
}

interface ResponseHeaders {
  readonly "Content-Type": string;
  readonly "Cache-Control": string;
  readonly ETag?: string;
  readonly [name: string]: string | undefined;
}

function headersOf(answer: RouteResponse, coding: Coding, { isPrivate }: Sending): ResponseHeaders {
  const { tagParts } = answer;
  const kept = isPrivate ? "private, no-cache" : "no-cache";
  return {
    "Content-Type": answer.contentType,
    "Cache-Control": tagParts === undefined ? "no-store" : kept,
    ...(tagParts === undefined ? {} : { ETag: entityTag(tagParts, coding) }),
    ...(coding === "identity" ? {} : { "Content-Encoding": coding }),
    ...answer.headers,
  };
}

interface Way {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly stallMs: number;
  readonly cacheWriter: CacheWriter | undefined;
}

async function sendChunks(
  { start, isWhole, rest }: StartedChunks,
  response: ServerResponse,
  { status, headers, stallMs, cacheWriter }: Way,
): Promise<SendOutcome> {
  cacheWriter?.add(start);
  if (isWhole) {
    cacheWriter?.finish(headers);
    response.writeHead(status, { ...headers, "Content-Length": String(start.length) });
    return endAtOnce(response, start) ? "sent" : await untilClosed(response, stallMs);
  }
  return await sendGuarded(response, stallMs, async (guard) => {
    const write = createChunkWriter(response);
    response.writeHead(status, headers);
    await guard(write(start));
    for (let chunk = await rest.next(); chunk.done !== true; chunk = await rest.next()) {
      cacheWriter?.add(chunk.value);
      await guard(write(chunk.value));
    }
    cacheWriter?.finish(headers);
    response.end();
  });
}

/** Reads the first chunks before the headers are sent, so that early errors get an error response. */
async function begin(rest: AsyncIterator<Uint8Array>): Promise<StartedChunks> {
  const copies: Buffer[] = [];
  let length = 0;
  while (length < WHOLE_BYTES_MAX) {
    const chunk = await rest.next();
    if (chunk.done === true) return { start: Buffer.concat(copies), isWhole: true, rest };
    const isEnough = length === 0 && chunk.value.length >= WHOLE_BYTES_MAX;
    if (isEnough) return { start: chunk.value, isWhole: false, rest };
    copies.push(Buffer.from(chunk.value));
    length += chunk.value.length;
  }
  return { start: Buffer.concat(copies), isWhole: false, rest };
}

/** A strong entity tag: the same for the same parts and coding, quotes included. */
export function entityTag(parts: readonly string[], coding: Coding): string {
  // Digests have a fixed length, so that part boundaries are unambiguous.
  const digests = parts.map((part) => hash("sha256", part)).join("");
  const digest = hash("sha256", digests, "base64url").slice(0, 22);
  return coding === "identity" ? `"${digest}"` : `"${digest}-${coding}"`;
}

/** Whether an `If-None-Match` header contains `tag`; weak comparison, as RFC 9110 requires. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(LISTED_TAG)].some((listed) => listed[1] === tag);
}
