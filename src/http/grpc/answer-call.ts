import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { finished } from "node:stream";
import { type HttpLog, loggedTarget, logOutcome } from "../access-log.ts";
import { admit, type AdmissionRules, watchKey } from "../admit.ts";
import { type AddressCheck, clientAddress } from "../client-address.ts";
import { type Arrival, arrive, breakBody } from "../exchange.ts";
import { seenBy, type ViewOf } from "../key-view.ts";
import type { Monitoring } from "../monitoring.ts";
import { speaksTls } from "../pipeline.ts";
import type { Handle } from "../record-changes.ts";
import { chunksSent, incomplete } from "../request/open-body.ts";
import { checkHost, headerValues } from "../request/transport-checks.ts";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError, quoted } from "../response/http-error.ts";
import { isServerFault, problemOf, type Problem } from "../response/problem.ts";
import { PROTOBUF, type Route, type StreamPlan } from "../route.ts";
import { field, varint } from "../response/json-document.ts";
import { decodeChunks, limitBytes, limitText } from "../request/decode-chunks.ts";

export interface CallDependencies extends AdmissionRules {
  readonly log: HttpLog;
  readonly monitoring: Monitoring;
  readonly createRequestId: () => string;
  readonly isTrustedProxy: AddressCheck;
  readonly isAllowedHost: (host: string) => boolean;
  readonly viewOf: ViewOf;
  readonly handle: Handle;
}

export interface IncomingCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: string[];
  readonly socket: Socket;
}

const CONTENT_TYPE = "application/grpc";

/** Code of `RST_STREAM` that takes nothing back of the response. */
const NO_ERROR = 0;

/**
 * Answers a call of a route by its `grpcPath`; what is not a call of gRPC gets a status of HTTP alone. Never rejects. The log and `/metrics` have
 * the status that the same request by HTTP would get.
 */
export async function answerCall(
  call: IncomingCall,
  routes: ReadonlyMap<string, Route>,
  dependencies: CallDependencies,
): Promise<void> {
  const { stream, headers, socket } = call;
  const { createRequestId, isTrustedProxy, settings, log } = dependencies;
  const forwardedFor = headers["x-forwarded-for"]?.toString();
  const { remoteAddress = "" } = socket;
  const address = clientAddress(remoteAddress, forwardedFor, isTrustedProxy);
  const arrival = arrive(createRequestId(), address);
  const { requestId } = arrival;
  let status: number = statusOfTransport(headers);
  // Streams that the client resets end with an error, which `close` reports, too.
  stream.on("error", () => undefined);
  const { promise: closed, resolve } = Promise.withResolvers<boolean>();
  finished(stream, { readable: false }, (error) => resolve(!error));
  const head = { "x-request-id": requestId, "content-type": CONTENT_TYPE };
  if (status !== 200) {
    refuse(stream, { ":status": status });
  } else {
    try {
      const message = await handleCall(call, arrival, routes, dependencies);
      reply(stream, head, message);
    } catch (error) {
      const problem = problemOf(error, requestId, MESSAGE_FORM);
      if (isServerFault(error)) log.error({ requestId, err: error }, "server_fault");
      ({ status } = problem);
      refuse(stream, { ...head, ...trailersOf(problem) });
    }
  }
  // A client that does not read would keep its calls.
  const cancel = afterSilence(settings.stallMs, () => socket.destroy());
  const isComplete = await closed;
  cancel();
  logOutcome(arrival, { method: "GRPC", status, isComplete }, dependencies);
}

/** The message of an error alone. */
const MESSAGE_FORM = {
  mediaType: CONTENT_TYPE,
  schema: {},
  write: ({ detail }: { readonly detail: string }) => detail,
};

function statusOfTransport(headers: IncomingHttpHeaders): 200 | 405 | 415 {
  if (headers[":method"] !== "POST") return 405;
  const type = (headers["content-type"] ?? "").split(";", 1).join("").trim().toLowerCase();
  return type === CONTENT_TYPE || type === `${CONTENT_TYPE}+proto` ? 200 : 415;
}

/** The response message. Throws what the same request by HTTP is refused with. */
async function handleCall(
  { stream, headers, rawHeaders, socket }: IncomingCall,
  arrival: Arrival,
  routes: ReadonlyMap<string, Route>,
  dependencies: CallDependencies,
): Promise<Uint8Array> {
  const { settings, isTrustedProxy, isAllowedHost } = dependencies;
  const metadata = (name: string): readonly string[] => headerValues({ rawHeaders }, name);
  const { ":path": path = "", ":authority": authority = headers.host ?? "" } = headers;
  arrival.loggedTarget = loggedTarget(path, []);
  checkHost([authority], { authority: undefined }, isAllowedHost);
  const route = routes.get(path);
  if (route?.body?.kind !== "stream") throw unknownMethod(path, routes);
  arrival.route = route;
  const head = { route, socket, path, query: "", pathParameters: {}, header: metadata };
  const { key, sentKey, values } = await admit(arrival, head, dependencies);
  const underWay = { route, sentKey, answer: stream };
  watchKey(underWay, dependencies.keyCheck, (reason) => breakBody(arrival, reason));
  const sent = chunksSent(stream, arrival, settings.bodyStallMs);
  const [coding = "identity"] = metadata("grpc-encoding");
  const header = (name: string) => (name === "content-type" ? [PROTOBUF] : metadata(name));
  const isSecure = speaksTls({ socket, headers }, isTrustedProxy);
  const body = messageIn(sent, coding, route.body);
  const about = { members: {}, bodyBytes: undefined, query: "", isForHead: false };
  const call = { ...about, body, address: arrival.address, key, sentKey, isSecure, header };
  const seen = seenBy(key, route, dependencies.viewOf);
  const answer = await dependencies.handle(seen.route, values, call);
  try {
    return Buffer.concat(await Array.fromAsync(answer.chunks(), (chunk) => Buffer.from(chunk)));
  } finally {
    answer.release();
  }
}

function unknownMethod(path: string, routes: ReadonlyMap<string, Route>): HttpError {
  const known = [...routes.keys()].join(" or ");
  return new HttpError("unknown-route", `unknown method ${quoted(path)}: expected ${known}`);
}

function reply(stream: ServerHttp2Stream, head: OutgoingHttpHeaders, message: Uint8Array): void {
  if (stream.closed) return;
  stream.respond(head, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(framed(message));
}

/** Sends a response without a body and tells the client to stop sending its request. */
function refuse(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  if (!stream.closed) stream.respond(headers, { endStream: true });
  if (stream.readableEnded) return;
  stream.close(NO_ERROR);
  // What has arrived would keep the stream open.
  stream.removeAllListeners("readable");
  stream.resume();
}

/** gRPC status codes by the HTTP status of the same error. OTLP senders retry 4, 14, and 8 if it comes with a delay. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 12,
  408: 4,
  409: 9,
  413: 8,
  415: 12,
  421: 7,
  422: 3,
  429: 8,
  500: 13,
  503: 14,
};

const UNKNOWN_CODE = 2;

/** The trailers of a call that failed; the body is the message, and `Retry-After` becomes a `RetryInfo`. */
function trailersOf({ status, body, headers }: Problem): Readonly<Record<string, string>> {
  const code = CODES[status] ?? UNKNOWN_CODE;
  const trailers = { "grpc-status": String(code), "grpc-message": percentEncoded(body) };
  const { "Retry-After": retryAfter } = headers;
  if (retryAfter === undefined) return trailers;
  const details = statusWithDelay(code, body, Number(retryAfter)).toString("base64");
  return { ...trailers, "grpc-status-details-bin": details };
}

/** As gRPC asks for: printable ASCII but the percent sign stays, other bytes of UTF-8 become `%XX`. */
function percentEncoded(text: string): string {
  const bytes = [...Buffer.from(text)];
  return bytes
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

/** A `google.rpc.Status` with a `google.rpc.RetryInfo`. */
function statusWithDelay(code: number, message: string, seconds: number): Buffer {
  const duration = [8, ...varint(seconds)];
  const type = field(1, Buffer.from("type.googleapis.com/google.rpc.RetryInfo"));
  const details = field(3, [...type, ...field(2, field(1, duration))]);
  return Buffer.from([8, code, ...field(2, Buffer.from(message)), ...details]);
}

/** One byte that says whether the message is compressed, and its length in four (big endian). */
const PREFIX_BYTES = 5;

/**
 * The bytes of the only message of a call, decompressed. Throws `bad-body`, `body-incomplete`, `body-too-large`, `unsupported-media-type`, and errors
 * of `chunks`.
 */
async function* messageIn(
  chunks: AsyncIterable<Uint8Array>,
  coding: string,
  plan: StreamPlan,
): AsyncGenerator<Uint8Array> {
  const rest = chunks[Symbol.asyncIterator]();
  const { prefix, start } = await readPrefix(rest);
  const bytes = prefix.readUInt32BE(1);
  if (bytes > plan.bytesMax) {
    throw new HttpError(
      "body-too-large",
      `message of ${bytes} bytes is too long: expected at most ${limitText(plan)}`,
    );
  }
  const sent = exactly(bytes, start, rest);
  if (prefix[0] === 0) yield* sent;
  else yield* limitBytes(decodeChunks(sent, codingOf(prefix[0], coding)), plan);
}

async function readPrefix(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly prefix: Buffer; readonly start: Uint8Array }> {
  let read = Buffer.alloc(0);
  while (read.length < PREFIX_BYTES) {
    const chunk = await chunks.next();
    if (chunk.done === true) throw incomplete();
    read = Buffer.concat([read, chunk.value]);
  }
  return { prefix: read.subarray(0, PREFIX_BYTES), start: read.subarray(PREFIX_BYTES) };
}

/** Each chunk has its own memory: those of Node share one buffer, also with other calls of the connection. */
async function* exactly(
  bytes: number,
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for (let chunk = start; ;) {
    left -= chunk.length;
    if (left < 0) throw new HttpError("bad-body", "expected one message, and nothing behind it");
    if (chunk.length > 0) yield new Uint8Array(chunk);
    const next = await rest.next();
    if (next.done === true) break;
    chunk = next.value;
  }
  if (left > 0) throw incomplete();
}

function codingOf(flag: number | undefined, coding: string): "gzip" | "zstd" {
  if (flag !== 1) throw new HttpError("bad-body", "the body is not a message of gRPC");
  if (coding === "gzip" || coding === "zstd") return coding;
  throw new HttpError(
    "unsupported-media-type",
    `unsupported grpc-encoding ${quoted(coding)}: expected gzip, zstd or identity`,
  );
}

/** A message, uncompressed. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
