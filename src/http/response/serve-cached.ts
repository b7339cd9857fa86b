import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type HttpLog, readerOf } from "../access-log.ts";
import type { ResponseCache } from "./response-cache.ts";
import { REQUEST_ID } from "./common-headers.ts";
import { followSending } from "./guarded-writes.ts";
import type { LargeResponses } from "./large-responses.ts";
import { sendKeptBytes } from "./send-response.ts";
import type { HttpSettings } from "../settings.ts";

/** How long an answer is right. */
export interface Validity {
  /** As long as the store has this version, never `undefined`. It was asked for before anything was read. */
  readonly storeVersion: unknown;
  /** Milliseconds since the epoch: then the key ends, or its use is to be noted. */
  readonly untilMs: number;
}

/** What a head was answered with. */
export interface LastAnswer extends Validity {
  readonly keyName: string | undefined;
  readonly status: number;
  /** Names and values in turns, without the id of the request. */
  readonly headers: readonly string[];
  /** The name that its bytes are kept under; `undefined` where there are none. */
  readonly bytesName: string | undefined;
}

/** What is needed to answer again. */
interface AgainDependencies {
  readonly answers: Pick<ResponseCache, "find">;
  readonly now: () => number;
  readonly log: HttpLog;
  readonly settings: Pick<HttpSettings, "stallMs">;
  readonly largeAnswers: LargeResponses;
}

/** Remembers what was sent to a head that had come before. */
export function cacheResponse(
  { knownHead, validity, notes }: FastifyRequest,
  { raw: response }: FastifyReply,
  bytesName: string,
): void {
  if (knownHead === undefined || validity === undefined) return;
  const names = (response as WithRawNames).getRawHeaderNames();
  knownHead.lastAnswer = {
    ...validity,
    keyName: notes.keyName,
    status: response.statusCode,
    headers: names
      .filter((name) => name !== REQUEST_ID)
      .flatMap((name) => [name, String(response.getHeader(name))]),
    bytesName: response.hasHeader("Content-Length") ? bytesName : undefined,
  };
}

/** Node has the names as they were written, its types do not. */
type WithRawNames = ServerResponse & { getRawHeaderNames(): readonly string[] };

/**
 * Answers a head as it was answered before, if nothing has changed since: neither anything in the
 * store, its key among it, nor is that key's time over. Otherwise nothing is done. `storeVersion`
 * must have been asked for after the request had come.
 */
export function serveCached(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: AgainDependencies,
  storeVersion: unknown,
): boolean {
  const { answers, now, settings, largeAnswers } = dependencies;
  const { knownHead, notes } = request;
  const answer = knownHead?.lastAnswer;
  if (knownHead === undefined || answer === undefined) return false;
  if (!isRight(answer, now(), storeVersion)) return false;
  const { bytesName, status, headers } = answer;
  const kept = bytesName === undefined ? undefined : answers.find(bytesName);
  if (bytesName !== undefined && kept === undefined) return false;
  if (!largeAnswers.hasRoomFor(kept?.bytes.length ?? 0)) return false;
  notes.route = knownHead.route.operationId;
  notes.target = knownHead.noted;
  notes.keyName = answer.keyName;
  reply.hijack();
  reply.raw.writeHead(status, [REQUEST_ID, request.id, ...headers]);
  if (kept === undefined) reply.raw.end();
  else {
    const way = { ...settings, largeAnswers, reader: readerOf(notes) };
    const sending = sendKeptBytes(reply.raw, kept, way);
    void followSending(reply, dependencies, sending);
  }
  return true;
}

function isRight({ untilMs, ...last }: Validity, nowMs: number, storeVersion: unknown): boolean {
  return nowMs < untilMs && storeVersion === last.storeVersion;
}
