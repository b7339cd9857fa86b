import { fractionOf, roundHalfAway } from "./fractions.mjs";
import { itemsUnder } from "./json-items.mjs";

export function isHar(text) {
  return /^\s*\{\s*"log"/.test(text);
}

export function readHar(text) {
  const { items, isWhole } = itemsUnder("entries", text);
  return { format: "har", samples: items.map(sampleOf), rejected: [], cut: !isWhole };
}

function sampleOf(item) {
  const { request, response, startedDateTime, time } = JSON.parse(item, (_key, value, { source }) =>
    typeof value === "number" ? source : value,
  );
  const failure = response["_failureText"] ?? response["_error"];
  const failed = failure !== undefined || response.status <= 0 || response.status >= 400;
  const message = failure ?? response.statusText;
  const micros = microsOf(time);
  const untimed = micros === undefined ? 1n : 0n;
  return {
    label: `${request.method} ${request.url}`,
    second: BigInt(Math.floor(Date.parse(startedDateTime) / 1000)),
    micros: micros ?? 0n,
    untimed,
    untimedFailed: failed ? untimed : 0n,
    bytes: sizeOf(response),
    requests: 1n,
    failed: failed ? 1n : 0n,
    kinds: failed ? [{ code: response.status, message, requests: 1n }] : [],
  };
}

/** A time of -1 is not known. */
function microsOf(time) {
  const [top, bottom] = fractionOf(time);
  return top < 0n ? undefined : roundHalfAway([top * 1000n, bottom]);
}

/**
 * Decided: the size of the body, else what was transferred, else the content. Playwright takes the
 * headers away from pictures that were measured without them: a body that is not encoded and not
 * empty cannot be smaller than its content.
 */
function sizeOf({ bodySize, _transferSize, content, headers }) {
  const encoded = headers.some(({ name, value }) => /^content-encoding$/i.test(name) && value);
  const [body, transferred, size] = [bodySize, _transferSize, content.size].map((each) =>
    each === undefined || each.startsWith("-") ? undefined : BigInt(each),
  );
  if (body === undefined) return transferred ?? size ?? 0n;
  return !encoded && body > 0n && size > body ? size : body;
}
