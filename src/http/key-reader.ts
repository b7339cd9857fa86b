import { HttpError } from "./response/http-error.ts";
import type { QueryField } from "./request/request-target.ts";
import type { JsonSchema } from "../api/schema.ts";

/** Finds the key in a request; one implementation for each way to send it. */
export interface KeyReader {
  /** The key as sent, not checked yet. Throws `duplicate-header` for two. */
  read(carrier: KeyCarrier): string | undefined;
  /** `WWW-Authenticate` of the 401 response. */
  readonly challenge: string;
  /** What the error message asks the client to send. */
  readonly expectation: string;
  /** OpenAPI security schemes by name; one of them is enough. */
  readonly schemes: Readonly<Record<string, JsonSchema>>;
}

/** The parts of a request that can contain a key. */
interface KeyCarrier {
  /** All values of a header (lower-case name), in order. */
  readonly header: (name: string) => readonly string[];
  /** Throws `bad-encoding`. */
  readonly query: () => readonly QueryField[];
}

/** Reads `X-Service-Auth` or one of the other headers (lower-case names). */
export function createHeaderKeyReader(keyHeaders: readonly string[]): KeyReader {
  return {
    read: (carrier) => onlyKey(["x-service-auth", ...keyHeaders].flatMap(carrier.header)),
    challenge: 'X-Service-Auth realm="tachograph"',
    expectation: "expected a valid key in the header X-Service-Auth",
    schemes: {
      key: {
        type: "apiKey",
        in: "header",
        name: "X-Service-Auth",
        description: "A key made with `tachograph keys create`.",
      },
    },
  };
}

/** Throws for two keys: they could differ in scope. */
export function onlyKey(given: readonly string[]): string | undefined {
  if (given.length <= 1) return given[0];
  throw new HttpError("duplicate-header", `expected one key, got ${given.length}`);
}
