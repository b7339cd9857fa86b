import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { type Arrival, type Exchange, hasBody } from "../exchange.ts";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError, quoted } from "../response/http-error.ts";
import type { BodyPlan, Call, StreamPlan } from "../route.ts";
import { type BodyLimit, decodeChunks, limitBytes, limitText } from "./decode-chunks.ts";
import { type Members, readJsonBody } from "./json-body.ts";
import { announcedBytes } from "./transport-checks.ts";

/** JSON bodies contain names and tags only. */
const MEMBERS_LIMIT: BodyLimit = { bytesMax: 64 * 1024 };

type Chunks = AsyncIterable<Uint8Array>;

type CallBody = Pick<Call, "members" | "body" | "bodyBytes">;

/**
 * Opens the body of a request as its route requires. `100 Continue` is sent when the first byte is
 * read. Throws `unexpected-body`, `length-required`, `body-too-large`, `unsupported-media-type`; for
 * JSON bodies also errors of `readJsonBody` and of reading.
 */
export async function openBody(
  exchange: Exchange,
  plan: BodyPlan | undefined,
  stallMs: number,
): Promise<CallBody> {
  const { request } = exchange;
  if (plan === undefined) {
    if (!hasBody(request)) return withoutBody({});
    throw new HttpError("unexpected-body", `${request.method} must not have a body here`);
  }
  const sent = readSent(exchange, stallMs);
  if (plan.kind === "stream") return openStream(request, sent, plan);
  if (plan.isOptional && !hasBody(request)) return withoutBody({});
  expectLength(request);
  const mediaType = mediaTypeOf(request);
  if (mediaType !== "application/json") {
    throw new HttpError(
      "unsupported-media-type",
      `cannot read the body: expected Content-Type: application/json, got ${quoted(mediaType)}`,
    );
  }
  return withoutBody(readJsonBody(await readWhole(request, sent), plan.schema));
}

function withoutBody(members: Members): CallBody {
  return { members, body: nothing(), bodyBytes: 0 };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function openStream(request: IncomingMessage, sent: Chunks, plan: StreamPlan): CallBody {
  const { contentEncoding, isOptional = false } = plan;
  if (isOptional && !hasBody(request)) return withoutBody({});
  expectLength(request);
  if (mediaTypeOf(request).startsWith("multipart/")) {
    throw new HttpError(
      "unsupported-media-type",
      "cannot read a form: expected the bytes themselves as the body (curl --data-binary @FILE)",
    );
  }
  const limited = limitSent(request, sent, plan);
  if (contentEncoding === "snappy") {
    expectSnappy(request);
    return { members: {}, body: limited, bodyBytes: announcedBytes(request) };
  }
  const coding = codingOf(request);
  if (coding === "identity" || contentEncoding === "kept") {
    return { members: {}, body: limited, bodyBytes: announcedBytes(request) };
  }
  const body = limitBytes(decodeChunks(limited, coding), plan);
  return { members: {}, body, bodyBytes: undefined };
}

async function readWhole(request: IncomingMessage, sent: Chunks): Promise<Buffer> {
  const coding = codingOf(request);
  const limited = limitSent(request, sent, MEMBERS_LIMIT);
  const chunks = limitBytes(decodeChunks(limited, coding), MEMBERS_LIMIT);
  return Buffer.concat(await Array.fromAsync(chunks, (chunk) => Buffer.from(chunk)));
}

/** Rejects a body whose announced length is too large before reading it. */
function limitSent(request: IncomingMessage, sent: Chunks, limit: BodyLimit): Chunks {
  const announced = announcedBytes(request) ?? 0;
  if (announced > limit.bytesMax) {
    throw new HttpError(
      "body-too-large",
      `body of ${announced} bytes is too long: expected at most ${limitText(limit)}`,
    );
  }
  return limitBytes(sent, limit);
}

function expectLength({ headers }: IncomingMessage): void {
  if (headers["transfer-encoding"] !== undefined) return;
  if (headers["content-length"] !== undefined) return;
  throw new HttpError(
    "length-required",
    "the request needs a body: expected Content-Length or a chunked body",
  );
}

/** In lower case, without parameters; empty if there is none. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1).join("").trim().toLowerCase();
}

/** Throws `unsupported-media-type` for unknown codings. */
function codingOf({ headers }: IncomingMessage): "identity" | "gzip" | "zstd" {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "gzip" || coding === "zstd") return coding;
  if (coding === "x-gzip") return "gzip";
  throw new HttpError(
    "unsupported-media-type",
    `unsupported Content-Encoding ${quoted(coding)}: expected gzip, zstd or none`,
    { headers: { "Accept-Encoding": "gzip, zstd" } },
  );
}

/** Throws `unsupported-media-type` for anything but Snappy. */
function expectSnappy({ headers }: IncomingMessage): void {
  const coding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (coding === "snappy") return;
  throw new HttpError(
    "unsupported-media-type",
    `unsupported Content-Encoding ${quoted(coding)}: expected snappy`,
    { headers: { "Accept-Encoding": "snappy" } },
  );
}

async function* readSent(exchange: Exchange, stallMs: number): AsyncGenerator<Uint8Array> {
  const { request, response } = exchange;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  yield* chunksSent(request, exchange, stallMs);
  exchange.isBodyRead = true;
}

/**
 * The bytes of a body, still compressed. Ends only at the end of the body: throws `body-incomplete` if
 * the client disconnects, `request-timeout` after `stallMs` without input, and `brokenBy`.
 * Readable once; abandoning it leaves the connection open for the response.
 */
export async function* chunksSent(
  body: Readable,
  arrival: Arrival,
  stallMs: number,
): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    const chunk = await beforeItBreaks(chunks.next(), arrival, stallMs);
    if (chunk.done === true) return;
    yield chunk.value as Uint8Array;
  }
}

/** Rejects once the connection breaks, since the chunk would never arrive. */
async function beforeItBreaks<Result>(
  chunk: Promise<Result>,
  arrival: Arrival,
  stallMs: number,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  arrival.onBroken = reject;
  if (arrival.brokenBy !== undefined) reject(arrival.brokenBy);
  const cancel = afterSilence(stallMs, () => {
    reject(
      new HttpError(
        "request-timeout",
        `no data of the body arrived for ${stallMs} ms (bodyStallMs)`,
      ),
    );
  });
  chunk.then(resolve, () => reject(incomplete()));
  try {
    return await promise;
  } finally {
    cancel();
    arrival.onBroken = undefined;
  }
}

/** The error of a body that ends before its announced length or last chunk. */
export function incomplete(): HttpError {
  return new HttpError("body-incomplete", "the connection ended before the end of the body");
}
