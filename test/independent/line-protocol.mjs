import { takeRequests } from "./k6.mjs";

// The timestamp at the end tells where a point ends: k6 writes line feeds within values as they are.
const POINT_END = /(?<= \d{19})\r?\n/;
const POINT =
  /^((?:\\.|[^\\, ])+)((?:,[^ ]*?(?:\\ [^ ]*?)*)?) ((?:"(?:\\.|[^"\\])*"|[^" ])+) (\d{19})$/s;
const FIELD = /([^=,]+)=("(?:\\.|[^"\\])*"|[^,]*)/gs;

export function isLineProtocol(text) {
  return POINT.test(text.split(POINT_END, 1)[0].trimEnd());
}

/** Points of k6, of JMeter's listener that sends each sample, and of our own senders. */
export function readLineProtocol(text) {
  const reading = { format: "line-protocol", samples: [], rejected: [], cut: false };
  const points = [];
  let line = 1;
  const chunks = text.split(POINT_END);
  for (const [index, chunk] of chunks.entries()) {
    const point = pointOf(chunk.trimEnd());
    // Decided: what stands behind the last line end and is no point is broken off.
    const isLast = index === chunks.length - 1 && !text.endsWith("\n");
    if (point) points.push({ line, ...point });
    else if (isLast) reading.cut = true;
    else if (chunk.trim() !== "") reading.rejected.push({ line, reason: chunk });
    line += chunk.split("\n").length;
  }
  for (const { metric, tags, fields, time } of points) {
    if (metric === "tachograph") reading.samples.push(ownRequest(tags, fields, BigInt(time)));
    if (fields.duration === undefined || tags.status === undefined) continue;
    reading.samples.push({
      label: tags.transaction,
      second: BigInt(time) / 1_000_000_000n,
      micros: BigInt(fields.duration) * 1000n,
      bytes: 0n,
      requests: 1n,
      failed: tags.status === "ok" ? 0n : 1n,
    });
  }
  const ofK6 = points.map(({ fields, tags, ...point }) => ({
    ...point,
    value: fields.value,
    tags: { ...fields, ...tags },
  }));
  const taken = takeRequests(reading, ofK6);
  const own = reading.samples.flatMap(({ users = [] }) => users);
  return own.length === 0 ? taken : { ...taken, users: own };
}

function ownRequest({ generator = "" }, fields, time) {
  const micros = BigInt(Math.round(Number(fields.elapsedMs) * 1000));
  const isFailed = fields.success !== "true";
  const second = (time / 1000n + micros) / 1_000_000n;
  return {
    label: fields.label,
    second: time / 1_000_000_000n,
    micros,
    bytes: BigInt(fields.receivedBytes.replace("i", "")),
    requests: 1n,
    failed: isFailed ? 1n : 0n,
    kinds: isFailed ? [{ code: fields.code, message: fields.message, requests: 1n }] : [],
    users: [{ generator, second, active: Number.parseInt(fields.users, 10) }],
  };
}

function pointOf(text) {
  const found = POINT.exec(text);
  if (!found) return undefined;
  const [, metric, tagText, fieldText, time] = found;
  return { metric, time, tags: tagsOf(tagText), fields: fieldsOf(fieldText) };
}

/** Decided: what has no equals sign is the rest of the value before it (names of threads). */
function tagsOf(text) {
  const tags = {};
  let last;
  for (const part of text.split(/(?<!\\),/).slice(1)) {
    const equals = part.search(/(?<!\\)=/);
    if (equals < 0) tags[last] += `,${part}`;
    else {
      last = part.slice(0, equals);
      tags[last] = part.slice(equals + 1).replaceAll(/\\([,= ])/g, "$1");
    }
  }
  return tags;
}

function fieldsOf(text) {
  return Object.fromEntries(
    [...text.matchAll(FIELD)].map(([, key, value]) => [
      key,
      value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : value,
    ]),
  );
}
