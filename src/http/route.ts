import type { ErrorCode } from "../model/errors.ts";
import type { AccessKey, Scope } from "../model/access-key.ts";
import type { HttpErrorCode, ParameterComplaint } from "./response/http-error.ts";
import type { KeyReader } from "./key-reader.ts";
import type { Members } from "./request/json-body.ts";
import type { Parameter, ParameterValues } from "./request/parameters.ts";
import type { ErrorForm } from "./response/problem.ts";
import type { JsonSchema } from "../api/schema.ts";
import type { CsvItems, CsvTable } from "../render/csv-table.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * One operation: the router, the checks, the OpenAPI document and its test are made from it. A new
 * one is a file in `routes/` that exports a `Route` (or makes one of the operation it calls), named
 * in the list of `server.ts`; what it takes as a body is said by `body`:
 *
 * - no `body`: a request with one is refused;
 * - `kind: "members"`: a small JSON object, read and checked before `handle` sees `call.members`;
 * - `kind: "stream"`: bytes of any number, which `handle` reads from `call.body` as they come.
 *
 * The body is read only after key, scope and parameters are accepted.
 */
export interface Route {
  /** `HEAD` comes with `GET`, and `OPTIONS` with every path. */
  readonly method: Method;
  /**
   * Below the base path; `{name}` stands for a parameter that is `in: "path"`. Letter case does not
   * matter to the router, and that of parameters is kept.
   */
  readonly path: string;
  /**
   * Path of a unary method of gRPC that does the same: its message is the body, of the type `PROTOBUF`, as is the response.
   * @default none
   */
  readonly grpcPath?: string;
  /** Name of the operation in the OpenAPI document and in metrics. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Whether the OpenAPI document describes it. @default true */
  readonly isDescribed?: boolean;
  /** Scope that the key must have; `any`: every valid key; `undefined`: no key needed. */
  readonly scope: Scope | "any" | undefined;
  /** Reads the key where it is not in the headers that all routes accept. */
  readonly keyReader?: KeyReader;
  /** @default none */
  readonly parameters?: readonly Parameter[];
  /** Rules across several parameters; called with the given values, valid or not. */
  readonly check?: (values: ParameterValues) => readonly ParameterComplaint[];
  readonly body?: BodyPlan;
  /**
   * What the response depends on besides its parameters: it is cached until that changes.
   * Throws as `handle` does. @default not cached
   */
  readonly cacheInputs?: (values: ParameterValues) => CacheInputs | Promise<CacheInputs>;
  /**
   * Of a change: whether the audit log has each, or one of a key and load test, or none.
   * @default each
   */
  readonly audited?: "once" | "never";
  /** Whether few are computed at once for a long load test: those that read its seconds. @default false */
  readonly readsSeconds?: boolean;
  /** Media type of a successful response, without parameters. @default "application/json" */
  readonly mediaType?: string;
  /** JSON Schema of a successful response. @default it has no body */
  readonly schema?: JsonSchema;
  /** What clients get that ask for `text/csv`. @default JSON */
  readonly csv?: CsvTable;
  /** Statuses of successful responses; 204 has no body. @default [200] */
  readonly statuses?: readonly GoodStatus[];
  /** Errors beyond those of every route, and of every route with such a body. @default none */
  readonly errors?: readonly (ErrorCode | HttpErrorCode)[];
  /** How errors are written once the route is known. @default problem+json */
  readonly errorForm?: ErrorForm;
  /** Called when all checks have passed. Throws `HttpError`, `UserError`. */
  handle(values: ParameterValues, call: Call): Promise<RouteResponse>;
}

/** What a cached response depends on besides its parameters. */
export interface CacheInputs {
  /** Load tests whose data it shows. */
  readonly loadTestIds: readonly string[];
  /** Any other state, as a text that changes with it. @default none */
  readonly besides?: string;
}

/** 303: another page, which `Location` names. */
type GoodStatus = 200 | 201 | 202 | 204 | 206 | 303;

export type BodyPlan = MembersPlan | StreamPlan;

/** A JSON object. Members that the schema does not list are rejected, so that a typing error is noticed. */
interface MembersPlan {
  readonly kind: "members";
  readonly schema: JsonSchema;
  /** Whether a request without a body means the same as `{}`. */
  readonly isOptional: boolean;
}

export interface StreamPlan {
  readonly kind: "stream";
  readonly description: string;
  /** Whether a request without a body counts as an empty one. @default false */
  readonly isOptional?: boolean;
  /** Limit of the bytes as sent and as decoded; more is `body-too-large`. */
  readonly bytesMax: number;
  /** The setting that changes the limit. @default fixed */
  readonly bytesSetting?: string;
  /**
   * `decoded`: gzip and zstd are decoded by the header `Content-Encoding`. `kept`: the handler gets the
   * bytes as sent and detects the compression itself. `snappy`: one block of Snappy, which the handler decodes. Other codings are rejected.
   */
  readonly contentEncoding: "decoded" | "kept" | "snappy";
}

/** The request, apart from its parameters. */
export interface Call {
  /** Members of the JSON body; none where the route takes another kind of body. */
  readonly members: Members;
  /**
   * The chunks of a streamed body, readable once, with backpressure.
   * Throws `HttpError` if the body ends early, stalls, is malformed or exceeds its limit: nothing
   * read until then may become visible.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of `body`, if known in advance. */
  readonly bodyBytes: number | undefined;
  /** `undefined` where the route needs no key. */
  readonly key: AccessKey | undefined;
  /** As sent: a key or a session. */
  readonly sentKey: string | undefined;
  /** As sent, behind the question mark. */
  readonly query: string;
  /** IP address of the client, or of an untrusted proxy. */
  readonly address: string;
  /** Whether the client speaks TLS, to this server or to a trusted proxy. */
  readonly isSecure: boolean;
  /** For `HEAD`, which must change nothing. */
  readonly isForHead: boolean;
  /** All values of a header (lower-case name), in order. */
  readonly header: (name: string) => readonly string[];
}

/** A successful response, before compression. */
export interface RouteResponse {
  /** @default 200 */
  readonly status?: GoodStatus;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * What the bytes depend on, apart from compression: equal parts must mean equal bytes; the entity
   * tag is made of them. `undefined`: not cacheable by anyone.
   */
  readonly tagParts: readonly string[] | undefined;
  /** Whether it is never compressed, as its length is in the headers. @default false */
  readonly isPlain?: boolean;
  /** What was changed, for the audit log. @default what the request names */
  readonly targets?: readonly (string | undefined)[];
  /** `CacheInputs.besides` when the response was made: it is cached under that value only. */
  readonly besides?: string;
  /** The items of `Route.csv`, in the place of `chunks`. */
  readonly items?: () => CsvItems;
  /** Ends `chunks` early. Chunks are then sent as they come, uncompressed, and may take any time. @default a response that has an end */
  readonly stop?: () => void;
  /** Called at most once; a chunk is valid until the next one is requested. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Called exactly once, at the end, also after errors. */
  release(): void;
}

/** Errors of routes that store something. */
export const STORE_ERRORS = ["storage-full", "store-read-only"] as const;

/** Content type of a message of Protocol Buffers. */
export const PROTOBUF = "application/x-protobuf";

export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";

/** A value as JSON; 204 has no body. */
export function jsonResponse(
  value: unknown,
  form?: Omit<ResponseForm, "contentType">,
): RouteResponse {
  return textResponse(JSON.stringify(value), { contentType: JSON_CONTENT_TYPE, ...form });
}

export const NO_CONTENT = textResponse("", { contentType: JSON_CONTENT_TYPE, status: 204 });

/** A JSON document that is written while it is sent; `tagParts`: see `RouteResponse`. */
export function jsonStream(
  tagParts: readonly string[],
  chunks: RouteResponse["chunks"],
  release: () => void = () => undefined,
): RouteResponse {
  return { contentType: JSON_CONTENT_TYPE, headers: {}, tagParts, chunks, release };
}

export function textResponse(
  body: string,
  { contentType, headers, isCacheable, status, targets }: ResponseForm,
): RouteResponse {
  return {
    status: status ?? 200,
    ...(targets === undefined ? {} : { targets }),
    contentType,
    headers: headers ?? {},
    tagParts: isCacheable ? [body] : undefined,
    async *chunks() {
      yield new TextEncoder().encode(body);
    },
    release: () => undefined,
  };
}

export interface ResponseForm {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it gets an entity tag, so that clients can revalidate it. @default false */
  readonly isCacheable?: boolean;
  readonly status?: GoodStatus;
  readonly targets?: RouteResponse["targets"];
}
