import type { FastifyReply, FastifyRequest } from "fastify";
import { type HttpLog, noteTarget } from "./access-log.ts";
import { rememberAnswer } from "./answer-again.ts";
import type { AnswerCache, AnswerKeeper, KeptAnswer } from "./answer-cache.ts";
import { HttpError, type ParameterComplaint } from "./http-error.ts";
import type { KnownHeads, ReadHead } from "./known-heads.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { type Coding, chooseCoding, isAcceptable } from "./negotiation.ts";
import { type ParameterValues, readParameters } from "./parameters.ts";
import { parseQuery } from "./query-string.ts";
import { openBody } from "./request-body.ts";
import type { Answer, MadeOf, Route } from "./route.ts";
import { followSending } from "./follow-sending.ts";
import { type Compressions, type Sending, sendAnswer, sendKeptAnswer } from "./send-answer.ts";
import type { HttpSettings } from "./settings.ts";
import { hasBody, headerValues } from "./transport-checks.ts";

/** What answering needs besides the request and its route. */
export interface AnswerSurroundings {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
  readonly largeAnswers: LargeAnswers;
  /** Those that anybody may ask for: readers without a key take no place of those with one. */
  readonly largePublicAnswers: LargeAnswers;
  readonly answers: AnswerCache;
  readonly knownHeads: KnownHeads;
  /** Changes whenever the data of a load test do; `undefined` where there is none. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The checks after the key - parameters, `Accept`, body - and then the answer itself. Throws as long
 * as nothing was sent.
 */
export async function answerRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  surroundings: AnswerSurroundings,
): Promise<FastifyReply> {
  const { settings } = surroundings;
  const { values, coding } = request.knownHead ?? readHead(request, route, surroundings);
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
  const place = await placeOfKept(route, values, surroundings);
  const kept = place?.find(coding);
  if (place === undefined || kept === undefined) {
    const address = request.raw.socket.remoteAddress ?? "";
    const answer = await route.handle(values, { ...body, address, key: request.accessKey });
    const isPrivate = route.scope !== undefined;
    // What has changed since the place was named is not to be found under the old name.
    const keeper = place?.besides === answer.besides ? place?.keeper : undefined;
    await sendNew(reply, answer, { coding, isPrivate, keeper, surroundings });
  } else {
    const way = { stallMs: settings.stallMs, largeAnswers: surroundings.largeAnswers };
    await followSending(reply, surroundings, sendKeptAnswer(request.raw, reply.raw, kept, way));
    rememberAnswer(request, reply, place.nameOf(coding));
  }
  return reply.hijack();
}

/** Reads what comes after the key. Throws `bad-parameter`, `not-acceptable`. */
function readHead(
  request: FastifyRequest,
  route: Route,
  { knownHeads }: AnswerSurroundings,
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
  readonly surroundings: AnswerSurroundings;
}

async function sendNew(
  reply: FastifyReply,
  answer: Answer,
  { surroundings, ...sending }: NewAnswer,
): Promise<void> {
  const { request, raw } = reply;
  // What was not read of a body cannot be told from a next request.
  if (hasBody(request.raw) && !request.notes.isBodyRead) raw.shouldKeepAlive = false;
  const plain = chooseCoding(request.headers["accept-encoding"], ["identity"]);
  try {
    const sent = sendAnswer(request.raw, raw, answer, {
      ...sending,
      isPlainAccepted: plain !== undefined,
      compressions: surroundings.compressions,
      largeAnswers: sending.isPrivate ? surroundings.largeAnswers : surroundings.largePublicAnswers,
      stallMs: surroundings.settings.stallMs,
    });
    await followSending(reply, surroundings, sent);
  } finally {
    answer.release();
  }
}

interface PlaceOfKept extends Pick<MadeOf, "besides"> {
  readonly nameOf: (coding: Coding) => string;
  find(coding: Coding): KeptAnswer | undefined;
  readonly keeper: (coding: Coding) => AnswerKeeper;
}

/** Where the answer is kept, if nothing but these parameters and the data of load tests make it. */
async function placeOfKept(
  { operationId, madeOf }: Route,
  values: ParameterValues,
  { answers, revisionOf }: AnswerSurroundings,
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
