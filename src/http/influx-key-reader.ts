import { type KeyReader, onlyKey } from "./key-reader.ts";

/** `Token KEY`, as in InfluxDB 2, or `Token USER:KEY`, as in 1.8. */
const TOKEN = /^(?:token|bearer) +(?:[^:]*:)?(\S+)$/i;
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

/** Unreadable text is returned as it is, and rejected as a wrong key. */
function keyOfAuthorization(text: string): string | undefined {
  const token = TOKEN.exec(text)?.[1];
  if (token !== undefined) return token;
  const basic = BASIC.exec(text)?.[1];
  if (basic === undefined) return text;
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}
