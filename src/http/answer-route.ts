import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpLog } from "./access-log.ts";
import { HttpError, type ParameterComplaint } from "./http-error.ts";
import { type Coding, chooseCoding, isAcceptable } from "./negotiation.ts";
import { readParameters } from "./parameters.ts";
import { parseQuery } from "./query-string.ts";
import { openBody } from "./request-body.ts";
import type { Route } from "./route.ts";
import { type Compressions, sendAnswer } from "./send-answer.ts";
import type { HttpSettings } from "./settings.ts";
import { hasBody, headerValues } from "./transport-checks.ts";

/** What answering needs besides the request and its route. */
export interface AnswerSurroundings {
  readonly settings: HttpSettings;
  readonly log: HttpLog;
  readonly compressions: Compressions;
}

/**
 * The checks after the key - parameters, `Accept`, body - and then the answer itself. Throws as long
 * as nothing was sent.
 */
export async function answerRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  { settings, log, compressions }: AnswerSurroundings,
): Promise<FastifyReply> {
  const fields = parseQuery(request.target.query);
  request.notes.fields = fields;
  const { values, complaints } = readParameters(
    {
      query: fields,
      path: request.params as Readonly<Record<string, string | undefined>>,
      header: (name) => headerValues(request.raw, name),
    },
    route.parameters,
  );
  refuse([...complaints, ...(route.check?.(values) ?? [])]);
  const sending = {
    coding: negotiate(request, route),
    isPlainAccepted: chooseCoding(request.headers["accept-encoding"], ["identity"]) !== undefined,
    compressions,
    isPrivate: route.scope !== undefined,
    stallMs: settings.stallMs,
  };
  const carrier = {
    request: request.raw,
    response: reply.raw,
    broken: request.broken.signal,
    stallMs: settings.bodyStallMs,
    onEnd: () => void (request.notes.isBodyRead = true),
  };
  const address = request.raw.socket.remoteAddress ?? "";
  const body = await openBody(carrier, route.body);
  const answer = await route.handle(values, { ...body, address, key: request.accessKey });
  // What was not read of a body cannot be told from a next request.
  if (hasBody(request.raw) && !request.notes.isBodyRead) reply.raw.shouldKeepAlive = false;
  try {
    const outcome = await sendAnswer(request.raw, reply.raw, answer, sending);
    if (outcome === "stalled") log.warn({ requestId: request.id }, "response_stalled");
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    log.error({ requestId: request.id, err: error }, "response_aborted");
  } finally {
    answer.release();
  }
  return reply.hijack();
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
