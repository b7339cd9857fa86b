import { HttpError } from "./response/http-error.ts";
import type { QueryField } from "./request/request-target.ts";
import type { JsonSchema } from "../api/schema.ts";

/** Finds the key in a request. One for each way in which clients can send it. */
export interface KeyReader {
  /** The key as it was sent, right or not. Throws `duplicate-header` for two. */
  read(carrier: KeyCarrier): string | undefined;
  /** `WWW-Authenticate` of the answer to a request without a valid key. */
  readonly challenge: string;
  /** What a client is told to send. */
  readonly expectation: string;
  /** The security schemes of the OpenAPI document, by name; one of them is enough. */
  readonly schemes: Readonly<Record<string, JsonSchema>>;
}

/** The parts of a request that can hold a key. */
interface KeyCarrier {
  /** Every value of a header (lower case), in order. */
  readonly header: (name: string) => readonly string[];
  /** Throws `bad-encoding`. */
  readonly query: () => readonly QueryField[];
}

/** Reads `X-Service-Auth` or one of the other headers (lower case). */
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

/** Two keys could mean two rights, so that nobody should have to guess. */
export function onlyKey(given: readonly string[]): string | undefined {
  if (given.length <= 1) return given[0];
  throw new HttpError("duplicate-header", `expected one key, got ${given.length}`);
}
