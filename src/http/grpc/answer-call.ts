import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { finished } from "node:stream";
import { type HttpLog, loggedTarget, logOutcome } from "../access-log.ts";
import { admit, type AdmissionRules } from "../admit.ts";
import { type AddressCheck, clientAddress } from "../client-address.ts";
import { type Arrival, arrive } from "../exchange.ts";
import { seenBy, type ViewOf } from "../key-view.ts";
import type { Monitoring } from "../monitoring.ts";
import { speaksTls } from "../pipeline.ts";
import type { Handle } from "../record-changes.ts";
import { chunksSent } from "../request/open-body.ts";
import { checkHost, headerValues } from "../request/transport-checks.ts";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError, quoted } from "../response/http-error.ts";
import { isServerFault, problemOf, type Problem } from "../response/problem.ts";
import { PROTOBUF, type Route } from "../route.ts";
import { framed, messageIn } from "./message.ts";
import { field, varint } from "../response/proto-message.ts";

export interface CallDependencies extends AdmissionRules {
  readonly log: HttpLog;
  readonly monitoring: Monitoring;
  readonly createRequestId: () => string;
  readonly isTrustedProxy: AddressCheck;
  readonly isAllowedHost: (host: string) => boolean;
  readonly viewOf: ViewOf;
  readonly handle: Handle;
}

/** A call as it comes in. */
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
