import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, type LookupFunction, type Socket } from "node:net";
import { errorMessage, systemCode } from "../../model/errors.ts";

/** A request without a body; headers include signatures, if any. */
export interface HttpRequest {
  /** @default "GET" */
  readonly method?: "GET" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A connection without data for this time is closed. */
const STALL_MS = 30_000;

/** The head of a response takes no longer, and nor does each part of a body. */
const PART_MS_MAX = 120_000;

/** A body may end earlier. */
export const PART_BYTES_MIN = 64 * 1024;

/** Networks of this machine, and of what only it should reach, such as the metadata of a cloud: of Alibaba, Azure and Oracle the last three. */
const OWN_IPV4 = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
] as const;

/** How IPv6 writes those of IPv4 that a gateway or the system leads there: NAT64, SIIT, IPv4-compatible and 6to4. `BlockList` knows `::ffff:0:0/96`. */
const TRANSLATED = [
  ["64:ff9b::", "", 96],
  ["::ffff:0:", "", 96],
  ["::", "", 96],
  ["2002:", "::", 16],
] as const;

const OWN_NETWORKS = new BlockList();
for (const [network, bits] of OWN_IPV4) {
  OWN_NETWORKS.addSubnet(network, bits);
  const [a = 0, b = 0, c = 0, d = 0] = network.split(".").map(Number);
  const words = [256 * a + b, 256 * c + d].map((word) => word.toString(16)).join(":");
  for (const [before, after, prefixBits] of TRANSLATED) {
    OWN_NETWORKS.addSubnet(`${before}${words}${after}`, prefixBits + bits, "ipv6");
  }
}
OWN_NETWORKS.addSubnet("::", 127, "ipv6");
OWN_NETWORKS.addSubnet("fe80::", 10, "ipv6");
// Of Amazon and Google.
for (const address of ["fd00:ec2::254", "fd20:ce::254"]) OWN_NETWORKS.addAddress(address, "ipv6");

/**
 * Sends a request and follows redirects, from other networks never to this machine or link-local addresses. The body is as sent: a `Content-Encoding` is not decoded, so that ranges
 * count the same bytes. Rejects with the error of the connection, and for redirects that are not followed.
 */
export async function sendRequest(
  sent: HttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let { url, headers } = sent;
  let [isFromOwn, resolve]: [boolean?, LookupFunction?] = [];
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchange({ ...sent, url, headers }, signal, resolve);
    isFromOwn ??= isPeerOwn(response.socket);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    if (redirects === REDIRECTS_MAX) throw new Error("too many redirects");
    const next = new URL(location, url);
    if (next.protocol !== "https:" && next.protocol !== url.protocol) {
      throw new Error(`a redirect to ${next.protocol}//${next.host}`);
    }
    // Credentials are for the first host only.
    if (next.host !== url.host) headers = withoutCredentials(headers);
    resolve = await addressOfRedirect(next, isFromOwn);
    url = next;
  }
}

/** Returns how to find the address of a redirect, which a later look-up cannot change. Throws for one that other networks may not name. */
export async function addressOfRedirect(
  { hostname, host }: URL,
  isFromOwn: boolean,
): Promise<LookupFunction> {
  const found = await lookup(hostname.replaceAll(/[[\]]/g, ""), { all: true });
  if (!isFromOwn && found.some(isOwn)) {
    throw new Error(`a redirect to ${host}, which only this machine can reach`);
  }
  const [first = { address: "", family: 4 }] = found;
  return (_, { all }, done) =>
    all === true ? done(null, found) : done(null, first.address, first.family);
}

function isPeerOwn({ remoteAddress: address = "", remoteFamily }: Socket): boolean {
  return isOwn({ address, family: remoteFamily === "IPv6" ? 6 : 4 });
}

function isOwn({ address, family }: { readonly address: string; readonly family: number }) {
  return OWN_NETWORKS.check(address, family === 6 ? "ipv6" : "ipv4");
}

function exchange(
  sent: HttpRequest,
  signal: AbortSignal,
  lookupAddress: LookupFunction | undefined,
): Promise<IncomingMessage> {
  const { method = "GET", url, headers } = sent;
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const options = { method, headers, signal, agent: false } as const;
    const request = send(url, { ...options, lookup: lookupAddress }, (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    const endAfter = (ms: number, what: string) =>
      request.destroy(timeOut(`${what} for ${ms / 1000} s`));
    const timer = setTimeout(endAfter, PART_MS_MAX, PART_MS_MAX, "no whole head of a response");
    request.setTimeout(STALL_MS, () => endAfter(STALL_MS, "no data"));
    request.on("close", () => clearTimeout(timer));
    request.on("error", reject).end();
  });
}

function withoutCredentials(headers: HttpRequest["headers"]): HttpRequest["headers"] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(authorization|x-(amz|aws)-.*)$/i.test(name)),
  );
}

/**
 * Yields the chunks of a body. A byte now and then does not keep it open for ever: throws a temporary error if a part of `PART_BYTES_MIN` takes longer than
 * two minutes. The time of the reader does not count.
 */
export async function* steadily(
  body: AsyncIterable<Uint8Array>,
  clockMs: () => number,
): AsyncGenerator<Uint8Array> {
  let [bytes, sinceMs] = [0, clockMs()];
  for await (const chunk of body) {
    const atMs = clockMs();
    bytes += chunk.length;
    if (bytes >= PART_BYTES_MIN) [bytes, sinceMs] = [0, atMs];
    else if (atMs - sinceMs > PART_MS_MAX) throw timeOut(`fewer than 64 KiB in two minutes`);
    yield chunk;
    sinceMs += clockMs() - atMs;
  }
}

function timeOut(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

const TEXT_CHARACTERS_MAX = 1024 * 1024;

/** The body as text, at most its first million characters. Throws what `steadily` throws. */
export async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of steadily(response, () => performance.now())) {
    text += Buffer.from(chunk).toString();
    if (text.length > TEXT_CHARACTERS_MAX) break;
  }
  return text;
}

export function messageOf(error: unknown): string {
  return errorMessage(causeOf(error));
}

/** System errors that may be over a moment later; a name that does not exist is not among them. */
const TEMPORARY: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
]);

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return TEMPORARY.has(systemCode(causeOf(error)));
}

/** Several addresses of one name fail together, without a message. */
function causeOf(error: unknown): unknown {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first === undefined ? error : causeOf(first);
}
