/** A client for Tachograph servers, for Node and browsers, with the operations of `/openapi.json`. */

// Not committed: `npm run task build:client` generates it.
import { OPERATIONS, type Operations } from "./generated/operations.ts";
import { readItems } from "./read-items.ts";

export { type Operations, TachographError };

export type OperationName = keyof Operations;

export type Parameters<Name extends OperationName> = Operations[Name]["parameters"];

export type Answer<Name extends OperationName> = Operations[Name]["answer"];

/** An item of a list response; `never` for other operations. */
export type Item<Name extends OperationName> =
  Answer<Name> extends ReadonlyArray<infer Each> ? Each : never;

/** Operations whose response is a list. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends readonly unknown[] ? Name : never;
}[OperationName];

export interface TachographOptions {
  /** URL of the server with its base path: `https://results.example.org/load-tests`. */
  readonly url: string;
  readonly key?: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
}

/** Options besides the parameters: the body, if the operation takes one. */
export type Request<Name extends OperationName> = Pick<Operations[Name], "body"> & {
  readonly signal?: AbortSignal;
  /** Media type of the response, where there are several: `text/csv`. */
  readonly accept?: string;
};

export type Preferences<Name extends OperationName> = undefined extends Operations[Name]["body"]
  ? [request?: Request<Name>]
  : [request: Request<Name>];

/** Calls a server with a key. Does not retry or cache. */
export class Tachograph {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #fetch: typeof fetch;

  constructor({ url, key, fetch: fetchOption = fetch }: TachographOptions) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#fetch = fetchOption;
  }

  /** The parsed response. Throws `TachographError`, or the reason of an abort. */
  async ask<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    ...requests: Preferences<Name>
  ): Promise<Answer<Name>> {
    const response = await this.open(name, parameters, ...requests);
    try {
      return (await contentOf(response)) as Answer<Name>;
    } catch (error) {
      throw brokenOff("broken-answer", error, requests[0]?.signal);
    }
  }

  /** Streams the items of a list response, one in memory at a time. */
  async *items<Name extends ListName>(
    name: Name,
    parameters: Parameters<Name>,
    ...requests: Preferences<Name>
  ): AsyncGenerator<Item<Name>> {
    const response = await this.open(name, parameters, ...requests);
    const items = readItems(piecesOf(response));
    for (;;) {
      // Errors of the consumer must not be wrapped.
      const { done, value } = await items.next().catch((error: unknown) => {
        throw brokenOff("broken-answer", error, requests[0]?.signal);
      });
      if (done === true) return;
      yield value as Item<Name>;
    }
  }

  /** The successful response, unread. */
  async open<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    ...[request]: Preferences<Name>
  ): Promise<Response> {
    const { method } = OPERATIONS[name];
    const url = this.address(name, parameters);
    // The key must not be sent to the target of a redirect.
    const asked = { method, redirect: "manual", ...this.#requestOf(request) } as const;
    const response = await this.#reach(url, asked);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  address<Name extends OperationName>(name: Name, parameters: Parameters<Name>): string {
    return this.#url + addressOf(OPERATIONS[name].path, parameters);
  }

  async #reach(url: string, request: RequestInit & { signal?: AbortSignal }): Promise<Response> {
    // Browsers reject `fetch` as a method of another object.
    const fetchFrom = this.#fetch;
    try {
      return await fetchFrom(url, request);
    } catch (error) {
      throw brokenOff("unreachable", error, request.signal);
    }
  }

  #requestOf({ body, signal, accept }: Partial<Request<OperationName>> = {}) {
    const key = {
      ...(this.#key !== undefined && { "X-Service-Auth": this.#key }),
      ...(accept !== undefined && { Accept: accept }),
    };
    const common = signal === undefined ? {} : { signal };
    if (body === undefined) return { ...common, headers: key };
    const isPlain = Object.getPrototypeOf(body) === Object.prototype;
    const type = isPlain ? "application/json" : "application/octet-stream";
    return {
      ...common,
      headers: { ...key, "Content-Type": type },
      body: isPlain ? JSON.stringify(body) : (body as NonNullable<RequestInit["body"]>),
      // `fetch` requires this for streamed bodies.
      ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
    };
  }
}

async function contentOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  return isJson ? await response.json() : await response.text();
}

/** A body's bytes; returning early cancels the response. */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** A failed call, with the server's message if there is one. */
class TachographError extends Error {
  /** Error code such as `unknown-load-test`; `unreachable` and `broken-answer` come from the client. */
  readonly code: string;
  /** `undefined` if there was no response. */
  readonly status: number | undefined;
  /** The request's id in the server's log. */
  readonly requestId: string | undefined;

  constructor(code: string, message: string, { status, requestId, cause }: Circumstances = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TachographError";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

interface Circumstances {
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** The error of an error response. If a proxy sent it, only the status is known; in browsers a redirect has not even that. */
export async function refusalOf(response: Response): Promise<TachographError> {
  const { status, statusText, headers } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    const target = headers.get("Location") ?? "another address";
    const message = `the server redirects to ${target}, and redirects are not followed, since the key would go along: set \`url\` to the address of the server itself`;
    return new TachographError("refused", message, status === 0 ? {} : { status });
  }
  const problem = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const { type, title, detail } = problem;
  const code = typeof type === "string" ? type.slice(type.lastIndexOf(":") + 1) : "refused";
  const words = [detail, title].find((text) => typeof text === "string");
  const message = typeof words === "string" ? words : `the answer was ${status} ${statusText}`;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  return new TachographError(code, message.trim(), { status, requestId });
}

/** The error of a request without a complete response; the reason of an abort is returned unchanged. */
function brokenOff(
  code: "unreachable" | "broken-answer",
  error: unknown,
  signal: AbortSignal | undefined,
): unknown {
  if (signal?.aborted === true) return error;
  const message =
    code === "unreachable" ? "the server does not respond" : "the response is incomplete";
  return new TachographError(code, message, { cause: error });
}

type Plain = string | number | boolean | undefined;

/** Fills path parameters in; the others become the query. */
export function addressOf(path: string, parameters: object): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(parameters as Readonly<Record<string, Plain>>)) {
    if (value === undefined) continue;
    const [place, text] = [`{${name}}`, String(value)];
    if (filled.includes(place)) filled = filled.replace(place, encodeURIComponent(text));
    else query.append(name, text);
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}
