import type { JsonSchema } from "../api/schema.ts";
import type { QueryField } from "./request/request-target.ts";
import { HttpError } from "./response/http-error.ts";
import { readCookie } from "./session-cookie.ts";

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

interface KeyCarrier {
  /** All values of a header (lower-case name), in order. */
  readonly header: (name: string) => readonly string[];
  /** Throws `bad-encoding`. */
  readonly query: () => readonly QueryField[];
}

/**
 * Reads `X-Service-Auth` or one of the other headers (lower-case names). The word `session` in place of a key stands
 * for the session in the cookie: other sites can send neither this header nor, with it, the cookie.
 */
export function createHeaderKeyReader(keyHeaders: readonly string[]): KeyReader {
  return {
    read(carrier) {
      const key = onlyKey(["x-service-auth", ...keyHeaders].flatMap(carrier.header));
      return key === SESSION_WORD ? readCookie(carrier.header, "session") : key;
    },
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

const BEARER = /^bearer +(\S+)$/i;

/** Also reads `Authorization: Bearer KEY`, where other headers have no key: proxies may use `Authorization` for themselves. */
export function createBearerKeyReader(usual: KeyReader): KeyReader {
  return {
    read(carrier) {
      const sent = carrier.header("authorization").map((text) => BEARER.exec(text)?.[1]);
      return usual.read(carrier) || onlyKey(sent.filter((key) => key !== undefined));
    },
    challenge: 'Bearer realm="tachograph"',
    expectation:
      "expected a valid key in the header X-Service-Auth, or as Authorization: Bearer KEY",
    schemes: { ...usual.schemes, bearer: { type: "http", scheme: "bearer" } },
  };
}

const SESSION_WORD = "session";

/** Throws for two keys: they could differ in scope. */
function onlyKey(given: readonly string[]): string | undefined {
  if (given.length <= 1) return given[0];
  throw new HttpError("duplicate-header", `expected one key, got ${given.length}`);
}

/** `Token KEY`, as in InfluxDB 2, or `Token USER:KEY`, as in 1.8. Blanks are read once, however many: the header comes without a key. */
const TOKEN = /^(?:token|bearer) +(?! )(?:[^:]*:)?(\S+)$/i;
const BASIC = /^basic +([A-Za-z0-9+/=_-]+)$/i;

/**
 * Also reads keys where InfluxDB clients send them: `Authorization` with a token or with the key as
 * password, and the parameter `p`. User names are ignored.
 */
export function createInfluxKeyReader(usual: KeyReader): KeyReader {
  return {
    read(carrier) {
      const keys = [
        usual.read(carrier),
        ...carrier.header("authorization").map(keyOfAuthorization),
        ...carrier
          .query()
          .filter(({ name }) => name === "p")
          .map(({ value }) => value),
      ];
      // The same key twice is one key; clients without a key send an empty one.
      const given = keys.filter((key) => key !== undefined).filter((key) => key !== "");
      return onlyKey([...new Set(given)]);
    },
    challenge: 'Basic realm="tachograph"',
    expectation: "expected a valid key as password, as token, or in the header X-Service-Auth",
    schemes: {
      ...usual.schemes,
      token: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description: "`Token KEY` or `Bearer KEY`.",
      },
      password: {
        type: "http",
        scheme: "basic",
        description: "The key is the password; the user name is ignored.",
      },
      parameter: {
        type: "apiKey",
        in: "query",
        name: "p",
        description: "The key, for clients that cannot send headers. It is not logged.",
      },
    },
  };
}

/** Malformed text is returned unchanged, to be rejected as a wrong key. */
function keyOfAuthorization(text: string): string | undefined {
  const token = TOKEN.exec(text)?.[1];
  if (token !== undefined) return token;
  const basic = BASIC.exec(text)?.[1];
  if (basic === undefined) return text;
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}
