import type { IncomingMessage } from "node:http";
import type { Exchange } from "../exchange.ts";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError, quoted } from "../response/http-error.ts";
import type { BodyPlan, Call, StreamPlan } from "../route.ts";
import { type BodyLimit, decodeChunks, limitBytes, limitText } from "./decode-chunks.ts";
import { type Members, readJsonBody } from "./json-body.ts";
import { announcedBytes, hasBody } from "./transport-checks.ts";

/** JSON bodies name and tag things; none of them needs more. */
const MEMBERS_LIMIT: BodyLimit = { bytesMax: 64 * 1024 };

type Chunks = AsyncIterable<Uint8Array>;

/** What a call has of its body. */
type CallBody = Omit<Call, "address" | "key">;

/**
 * The body of a request as its route plans it. A sender that waits for `100 Continue` gets it when
 * the first byte is asked for. Throws `unexpected-body`, `length-required`, `body-too-large`,
 * `unsupported-media-type`; with members also what `readJsonBody` and reading the bytes throw.
 */
export async function openBody(
  exchange: Exchange,
  plan: BodyPlan | undefined,
  stallMs: number,
): Promise<CallBody> {
  const { request } = exchange;
  if (plan === undefined) {
    if (!hasBody(request)) return withoutBody({});
    throw new HttpError("unexpected-body", `cannot take a body with ${request.method} here`);
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
  const coding = codingOf(request);
  if (coding === "identity" || contentEncoding === "kept") {
    return { members: {}, body: limited, bodyBytes: announcedBytes(request) };
  }
  return {
    members: {},
    body: limitBytes(decodeChunks(limited, coding), plan),
    bodyBytes: undefined,
  };
}

async function readWhole(request: IncomingMessage, sent: Chunks): Promise<Buffer> {
  const coding = codingOf(request);
  const limited = limitSent(request, sent, MEMBERS_LIMIT);
  const copies: Uint8Array[] = [];
  for await (const chunk of limitBytes(decodeChunks(limited, coding), MEMBERS_LIMIT)) {
    copies.push(Buffer.from(chunk));
  }
  return Buffer.concat(copies);
}

/** Refuses what is announced to be too large before a byte of it was read. */
function limitSent(request: IncomingMessage, sent: Chunks, limit: BodyLimit): Chunks {
  const announced = announcedBytes(request) ?? 0;
  if (announced > limit.bytesMax) {
    throw new HttpError(
      "body-too-large",
      `cannot take a body of ${announced} bytes: expected at most ${limitText(limit)}`,
    );
  }
  return limitBytes(sent, limit);
}

function expectLength({ headers }: IncomingMessage): void {
  if (headers["transfer-encoding"] !== undefined) return;
  if (headers["content-length"] !== undefined) return;
  throw new HttpError("length-required", "a body is needed: expected Content-Length or chunks");
}

/** In lower case, without parameters; empty where none was sent. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";", 1).join("").trim().toLowerCase();
}

/** Throws `unsupported-media-type` for codings that cannot be undone. */
function codingOf({ headers }: IncomingMessage): "identity" | "gzip" | "zstd" {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "gzip" || coding === "zstd") return coding;
  if (coding === "x-gzip") return "gzip";
  throw new HttpError(
    "unsupported-media-type",
    `cannot undo the Content-Encoding ${quoted(coding)}: expected gzip, zstd or none`,
    { headers: { "Accept-Encoding": "gzip, zstd" } },
  );
}

/**
 * The bytes of a body as they were sent, chunks undone. Ends only where the body does: throws
 * `body-incomplete` where the client goes away, `request-timeout` where it sends nothing for `stallMs`, and the
 * reason of `broken`. To be read once; reading no further leaves the connection to whoever answers.
 */
async function* readSent(exchange: Exchange, stallMs: number): AsyncGenerator<Uint8Array> {
  const { request, response, broken } = exchange;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  const chunks = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const chunk = await beforeItBreaks(chunks.next(), broken.signal, stallMs);
    if (chunk.done === true) break;
    yield chunk.value as Uint8Array;
  }
  exchange.isBodyRead = true;
}

/** The chunk may never come once the connection is broken: nothing is left waiting for it then. */
async function beforeItBreaks<Result>(
  chunk: Promise<Result>,
  broken: AbortSignal,
  stallMs: number,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const breakOff = (): void => reject(broken.reason as HttpError);
  if (broken.aborted) breakOff();
  broken.addEventListener("abort", breakOff, { once: true });
  const cancel = afterSilence(stallMs, () => {
    reject(
      new HttpError("request-timeout", `nothing of the body came for ${stallMs} ms (bodyStallMs)`),
    );
  });
  chunk.then(resolve, () => reject(incomplete()));
  try {
    return await promise;
  } finally {
    cancel();
    broken.removeEventListener("abort", breakOff);
  }
}

/** A body that ends before its announced length or last chunk. */
export function incomplete(): HttpError {
  return new HttpError("body-incomplete", "the connection ended before the body did");
}
