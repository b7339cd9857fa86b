import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type HttpLog, noteTarget, readerOf } from "../access-log.ts";
import { cacheResponse } from "./serve-cached.ts";
import type { ResponseCache, ResponseKeeper, CachedResponse } from "./response-cache.ts";
import { type BodyCarrier, readSent } from "../request/body-pieces.ts";
import { type BodyLimit, decodePieces, limitBytes, limitText } from "../request/decode-pieces.ts";
import { followSending } from "./guarded-writes.ts";
import { HttpError, type ParameterComplaint, quoted } from "./http-error.ts";
import type { RequestHeadCache, ReadHead } from "../request/request-head-cache.ts";
import type { LargeResponses } from "./large-responses.ts";
import { type Members, readJsonBody } from "../request/json-body.ts";
import { type Coding, chooseCoding, isAcceptable } from "../request/negotiation.ts";
import { type ParameterValues, readParameters } from "../request/parameters.ts";
import { parseQuery } from "../request/request-target.ts";
import type { Answer, BodyPlan, Call, MadeOf, Route, StreamPlan } from "../route.ts";
import {
  type Compressions,
  type Sending,
  sendResponse,
  sendCachedResponse,
} from "./send-response.ts";
import type { HttpSettings } from "../settings.ts";
import { announcedBytes, hasBody, headerValues } from "../request/transport-checks.ts";

/** JSON bodies name and tag things; none of them needs more. */
const MEMBERS_LIMIT: BodyLimit = { bytesMax: 64 * 1024 };

/** What answering needs besides the request and its route. */
export interface ResponseDependencies {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
  readonly largeAnswers: LargeResponses;
  /** Those that anybody may ask for: readers without a key take no place of those with one. */
  readonly largePublicAnswers: LargeResponses;
  readonly answers: ResponseCache;
  readonly knownHeads: RequestHeadCache;
  /** Changes whenever the data of a load test do; `undefined` where there is none. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The checks after the key - parameters, `Accept`, body - and then the answer itself. Throws as long
 * as nothing was sent.
 */
export async function handleRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  dependencies: ResponseDependencies,
): Promise<FastifyReply> {
  const { settings } = dependencies;
  const { values, coding } = request.knownHead ?? readHead(request, route, dependencies);
  const carrier = {
    request: request.raw,
    response: reply.raw,
    // Made when it is asked for: most requests have no body.
    get broken() {
      return request.broken.signal;
    },
    stallMs: settings.bodyStallMs,
    onEnd: () => void (request.notes.isBodyRead = true),
  };
  const body = await openBody(carrier, route.body);
  const place = await placeOfKept(route, values, dependencies);
  const kept = place?.find(coding);
  if (place === undefined || kept === undefined) {
    const { address } = request.notes;
    const answer = await route.handle(values, { ...body, address, key: request.accessKey });
    const isPrivate = route.scope !== undefined;
    // What has changed since the place was named is not to be found under the old name.
    const keeper = place?.besides === answer.besides ? place?.keeper : undefined;
    await sendNew(reply, answer, { coding, isPrivate, keeper, dependencies });
  } else {
    const { largeAnswers } = dependencies;
    const way = { stallMs: settings.stallMs, largeAnswers, reader: readerOf(request.notes) };
    await followSending(reply, dependencies, sendCachedResponse(request.raw, reply.raw, kept, way));
    cacheResponse(request, reply, place.nameOf(coding));
  }
  return reply.hijack();
}

/** Reads what comes after the key. Throws `bad-parameter`, `not-acceptable`. */
function readHead(
  request: FastifyRequest,
  route: Route,
  { knownHeads }: ResponseDependencies,
): Pick<ReadHead, "values" | "coding"> {
  const fields = parseQuery(request.target.query);
  const noted = noteTarget(request.target.path, fields);
  request.notes.target = noted;
  const { values, complaints } = readParameters(
    {
      query: fields,
      path: request.pathParameters,
      header: (name) => headerValues(request.raw, name),
    },
    route.parameters,
  );
  refuse([...complaints, ...(route.check?.(values) ?? [])]);
  const coding = negotiate(request, route);
  if (route.method === "GET") {
    const { target, sentKey: key } = request;
    const lastAnswer = undefined;
    knownHeads.keep(request, { route, target, key, noted, values, coding, lastAnswer });
  }
  return { values, coding };
}

interface NewAnswer extends Pick<Sending, "coding" | "isPrivate" | "keeper"> {
  readonly dependencies: ResponseDependencies;
}

async function sendNew(
  reply: FastifyReply,
  answer: Answer,
  { dependencies, ...sending }: NewAnswer,
): Promise<void> {
  const { request, raw } = reply;
  // What was not read of a body cannot be told from a next request.
  if (hasBody(request.raw) && !request.notes.isBodyRead) raw.shouldKeepAlive = false;
  const plain = chooseCoding(request.headers["accept-encoding"], ["identity"]);
  try {
    const sent = sendResponse(request.raw, raw, answer, {
      ...sending,
      isPlainAccepted: plain !== undefined,
      compressions: dependencies.compressions,
      largeAnswers: sending.isPrivate ? dependencies.largeAnswers : dependencies.largePublicAnswers,
      reader: readerOf(request.notes),
      stallMs: dependencies.settings.stallMs,
    });
    await followSending(reply, dependencies, sent);
  } finally {
    answer.release();
  }
}

interface PlaceOfKept extends Pick<MadeOf, "besides"> {
  readonly nameOf: (coding: Coding) => string;
  find(coding: Coding): CachedResponse | undefined;
  readonly keeper: (coding: Coding) => ResponseKeeper;
}

/** Where the answer is kept, if nothing but these parameters and the data of load tests make it. */
async function placeOfKept(
  { operationId, madeOf }: Route,
  values: ParameterValues,
  { answers, revisionOf }: ResponseDependencies,
): Promise<PlaceOfKept | undefined> {
  if (madeOf === undefined) return undefined;
  const { loadTestIds, ...others } = await madeOf(values);
  const revisions = await Promise.all(loadTestIds.map((id) => revisionOf(id)));
  if (revisions.includes(undefined)) return undefined;
  const nameOf = (coding: Coding): string =>
    JSON.stringify([operationId, coding, revisions, others.besides ?? null, ...values]);
  return {
    ...others,
    nameOf,
    find: (coding) => answers.find(nameOf(coding)),
    keeper: (coding) => answers.keeper(nameOf(coding)),
  };
}

function refuse(complaints: readonly ParameterComplaint[]): void {
  if (complaints.length === 0) return;
  const details = complaints.map(({ detail }) => detail);
  throw new HttpError("bad-parameter", details.join("; "), { complaints });
}

/** Throws `not-acceptable`. */
function negotiate({ headers }: FastifyRequest, { mediaType }: Route): Coding {
  if (!isAcceptable(headers.accept, mediaType)) {
    throw new HttpError("not-acceptable", `Accept refuses ${mediaType}, the only form there is`);
  }
  const coding = chooseCoding(headers["accept-encoding"]);
  if (coding === undefined) {
    throw new HttpError("not-acceptable", "Accept-Encoding refuses every coding there is");
  }
  return coding;
}

/** What a call has of its body. */
type CallBody = Omit<Call, "address" | "key">;

/**
 * The body of a request as its route plans it. A sender that waits for `100 Continue` gets it when
 * the first byte is asked for. Throws `unexpected-body`, `length-required`, `body-too-large`,
 * `unsupported-media-type`; with members also what `readJsonBody` and reading the bytes throw.
 */
async function openBody(carrier: BodyCarrier, plan: BodyPlan | undefined): Promise<CallBody> {
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
  return withoutBody(readJsonBody(await readWhole(carrier), plan.schema));
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
