import type { ErrorCode } from "../model/errors.ts";
import type { Scope } from "../model/access-key.ts";
import type { HttpErrorCode, ParameterComplaint } from "./http-error.ts";
import type { Parameter, ParameterValues } from "./parameters.ts";

/** One operation: the router, the checks, the OpenAPI document and its test are made from it. */
export interface Route {
  /** `HEAD` and `OPTIONS` come by themselves. */
  readonly method: "GET";
  /** Below the base path; letter case does not matter to the router. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document and in metrics. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What a key must be allowed to do; `undefined`: no key is asked for. */
  readonly scope: Scope | undefined;
  readonly parameters: readonly Parameter[];
  /** Rules that concern several parameters at once; called with what was given, right or not. */
  readonly check?: (values: ParameterValues) => readonly ParameterComplaint[];
  /** Media type of a good answer, without parameters. */
  readonly mediaType: string;
  /** JSON Schema of a good answer. */
  readonly schema: JsonSchema;
  /** Errors beyond those that every route has. */
  readonly errors: readonly (ErrorCode | HttpErrorCode)[];
  /** Called when all checks have passed. Throws `HttpError`, `UserError`. */
  handle(values: ParameterValues): Promise<Answer>;
}

export type JsonSchema = { readonly [key: string]: unknown };

/** A good answer, before it is compressed and sent. */
export interface Answer {
  readonly contentType: string;
  /** Further headers of this route. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * What the bytes depend on, coding aside: the same parts must mean the same bytes. `undefined`
   * for an answer that is new each time and must not be kept by anyone.
   */
  readonly tagParts: readonly string[] | undefined;
  /** Called at most once; a piece is valid until the next one is asked for. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Called exactly once, at the end, whatever happened. */
  release(): void;
}

/** An answer that is there as a whole. */
export function wholeAnswer(
  body: string,
  { contentType, headers, isKept }: WholeAnswerForm,
): Answer {
  return {
    contentType,
    headers: headers ?? {},
    tagParts: isKept ? [body] : undefined,
    async *pieces() {
      yield Buffer.from(body);
    },
    release: () => undefined,
  };
}

export interface WholeAnswerForm {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether clients may keep it and ask whether it is still right. */
  readonly isKept: boolean;
}
