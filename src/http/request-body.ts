import type { IncomingMessage } from "node:http";
import { type BodyCarrier, readSent } from "./body-pieces.ts";
import { type BodyLimit, decodePieces, limitBytes, limitText } from "./decode-pieces.ts";
import { HttpError, quoted } from "./http-error.ts";
import { type Members, readMembers } from "./members.ts";
import type { BodyPlan, Call, StreamPlan } from "./route.ts";
import { announcedBytes, hasBody } from "./transport-checks.ts";

/** JSON bodies name and tag things; none of them needs more. */
const MEMBERS_LIMIT: BodyLimit = { bytesMax: 64 * 1024 };

/** What a call has of its body. */
type CallBody = Omit<Call, "address" | "key">;

/**
 * The body of a request as its route plans it. A sender that waits for `100 Continue` gets it when
 * the first byte is asked for. Throws `unexpected-body`, `length-required`, `body-too-large`,
 * `unsupported-media-type`; with members also what `readMembers` and reading the bytes throw.
 */
export async function openBody(
  carrier: BodyCarrier,
  plan: BodyPlan | undefined,
): Promise<CallBody> {
  const { request } = carrier;
  if (plan === undefined) {
    if (!hasBody(request)) return withoutBody({});
    throw new HttpError("unexpected-body", `cannot take a body with ${request.method} here`);
  }
  if (plan.kind === "stream") return openStream(carrier, plan);
  if (plan.isOptional && !hasBody(request)) return withoutBody({});
  expectLength(request);
  const mediaType = mediaTypeOf(request);
  if (mediaType !== "application/json") {
    throw new HttpError(
      "unsupported-media-type",
      `cannot read the body: expected Content-Type: application/json, got ${quoted(mediaType)}`,
    );
  }
  return withoutBody(readMembers(await readWhole(carrier), plan.members));
}

function withoutBody(members: Members): CallBody {
  return { members, body: nothing(), bodyBytes: 0 };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function openStream(carrier: BodyCarrier, plan: StreamPlan): CallBody {
  const { request } = carrier;
  const { contentEncoding, isOptional = false } = plan;
  if (isOptional && !hasBody(request)) return withoutBody({});
  expectLength(request);
  if (mediaTypeOf(request).startsWith("multipart/")) {
    throw new HttpError(
      "unsupported-media-type",
      "cannot read a form: expected the bytes themselves as the body (curl --data-binary @FILE)",
    );
  }
  const sent = openSent(carrier, plan);
  const coding = codingOf(request);
  if (coding === "identity" || contentEncoding === "kept") {
    return { members: {}, body: sent, bodyBytes: announcedBytes(request) };
  }
  return {
    members: {},
    body: limitBytes(decodePieces(sent, coding), plan),
    bodyBytes: undefined,
  };
}

async function readWhole(carrier: BodyCarrier): Promise<Buffer> {
  const coding = codingOf(carrier.request);
  const sent = openSent(carrier, MEMBERS_LIMIT);
  const copies: Uint8Array[] = [];
  for await (const piece of limitBytes(decodePieces(sent, coding), MEMBERS_LIMIT)) {
    copies.push(Buffer.from(piece));
  }
  return Buffer.concat(copies);
}

/** Refuses what is announced to be too large before a byte of it was read. */
function openSent(carrier: BodyCarrier, limit: BodyLimit): AsyncIterable<Uint8Array> {
  const announced = announcedBytes(carrier.request) ?? 0;
  if (announced > limit.bytesMax) {
    throw new HttpError(
      "body-too-large",
      `cannot take a body of ${announced} bytes: expected at most ${limitText(limit)}`,
    );
  }
  return limitBytes(readSent(carrier), limit);
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
