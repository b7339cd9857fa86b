import type { ErrorCode } from "../model/errors.ts";
import type { AccessKey, Scope } from "../model/access-key.ts";
import type { HttpErrorCode, ParameterComplaint } from "./response/http-error.ts";
import type { KeyReader } from "./key-reader.ts";
import type { Members } from "./request/json-body.ts";
import type { Parameter, ParameterValues } from "./request/parameters.ts";
import type { ErrorForm } from "./response/problem.ts";
import type { JsonSchema } from "../api/schema.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

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
  /** Name of the operation in the OpenAPI document and in metrics. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it is an operation that the OpenAPI document tells of. @default true */
  readonly isDescribed?: boolean;
  /** What a key must be allowed to do; `any`: whatever it may; `undefined`: no key is asked for. */
  readonly scope: Scope | "any" | undefined;
  /** Where the key stands, if not in the headers that all routes know. */
  readonly keyReader?: KeyReader;
  readonly parameters: readonly Parameter[];
  /** Rules that concern several parameters at once; called with what was given, right or not. */
  readonly check?: (values: ParameterValues) => readonly ParameterComplaint[];
  readonly body?: BodyPlan;
  /**
   * What makes the answer together with these parameters, so that it may be kept until that changes.
   * Throws as `handle` does. @default nothing is kept
   */
  readonly madeOf?: (values: ParameterValues) => MadeOf | Promise<MadeOf>;
  /** Media type of a good answer, without parameters. */
  readonly mediaType: string;
  /** JSON Schema of a good answer. */
  readonly schema: JsonSchema;
  /** Statuses of good answers; 204 has no body. @default [200] */
  readonly statuses?: readonly GoodStatus[];
  /** Errors beyond those that every route has, or every route with such a body. */
  readonly errors: readonly (ErrorCode | HttpErrorCode)[];
  /** How errors are written from the point on where the route is known. @default problem+json */
  readonly errorForm?: ErrorForm;
  /** Called when all checks have passed. Throws `HttpError`, `UserError`. */
  handle(values: ParameterValues, call: Call): Promise<Answer>;
}

/** What an answer is made of besides its parameters. */
export interface MadeOf {
  /** Load tests whose data make it. */
  readonly loadTestIds: readonly string[];
  /** What else does. @default nothing */
  readonly besides?: string;
}

export type GoodStatus = 200 | 201 | 202 | 204;

export type BodyPlan = MembersPlan | StreamPlan;

/** A JSON object. Members that the schema does not list are refused, so that no typing error goes unseen. */
interface MembersPlan {
  readonly kind: "members";
  readonly schema: JsonSchema;
  /** Whether a request without a body means the same as `{}`. */
  readonly isOptional: boolean;
}

export interface StreamPlan {
  readonly kind: "stream";
  readonly description: string;
  /** Whether a request without a body is one with nothing in it. @default false */
  readonly isOptional?: boolean;
  /** Of the bytes as sent, and of those that are decoded; more is `body-too-large`. */
  readonly bytesMax: number;
  /** The setting that says so. @default it is no setting */
  readonly bytesSetting?: string;
  /**
   * `decoded`: gzip and zstd are undone as the header `Content-Encoding` says. `kept`: the bytes are
   * handed over as they come, and their reader finds out by itself. Other codings are refused.
   */
  readonly contentEncoding: "decoded" | "kept";
}

/** What came with the request besides parameters. */
export interface Call {
  /** The members of a JSON body that were given; none where the route's body is of another kind. */
  readonly members: Members;
  /**
   * The chunks of a streamed body, to be read once; the client sends no faster than they are taken.
   * Throws `HttpError` where the body ends early, stalls, breaks the rules of HTTP or passes its
   * limit: what was read until then must not become visible to anyone.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** How many bytes `body` will give, if that is known beforehand. */
  readonly bodyBytes: number | undefined;
  /** The key that came with it; `undefined` where the route asks for none. */
  readonly key: AccessKey | undefined;
  /** IP address of the client; of a proxy, where that is not trusted to name it. */
  readonly address: string;
}

/** A good answer, before it is compressed and sent. */
export interface Answer {
  /** @default 200 */
  readonly status?: GoodStatus;
  readonly contentType: string;
  /** Further headers of this route. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * What the bytes depend on, coding aside: the same parts must mean the same bytes. `undefined`
   * for an answer that is new each time and must not be kept by anyone.
   */
  readonly tagParts: readonly string[] | undefined;
  /** `MadeOf.besides` as it was when the answer was made: it is kept under that name only. */
  readonly besides?: string;
  /** Called at most once; a chunk is valid until the next one is asked for. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Called exactly once, at the end, whatever happened. */
  release(): void;
}

export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";

/** A value as JSON; 204 has no body. */
export function jsonResponse(value: unknown, form: Omit<WholeAnswerForm, "contentType">): Answer {
  return wholeAnswer(JSON.stringify(value), { contentType: JSON_CONTENT_TYPE, ...form });
}

/** An answer that is there as a whole. */
export function wholeAnswer(
  body: string,
  { contentType, headers, isKept, status }: WholeAnswerForm,
): Answer {
  return {
    status: status ?? 200,
    contentType,
    headers: headers ?? {},
    tagParts: isKept ? [body] : undefined,
    async *chunks() {
      yield new TextEncoder().encode(body);
    },
    release: () => undefined,
  };
}

export interface WholeAnswerForm {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether clients may keep it and ask whether it is still right. */
  readonly isKept: boolean;
  readonly status?: GoodStatus;
}
