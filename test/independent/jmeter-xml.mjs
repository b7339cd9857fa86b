/**
 * JMeter's XML by a tokenizer that forgives: real files hold character references that XML 1.0
 * forbids, and end anywhere.
 */

import { kindsOf } from "./jmeter-csv.mjs";

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w.:$-]*)((?:\s+[^\s=<>/]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;
const ATTRIBUTE = /([^\s=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function isJmeterXml(text) {
  return /^\s*<(\?xml|testResults)/.test(text) && text.slice(0, 4096).includes("<testResults");
}

/** Every sample element at any depth is a sample. */
export function readJmeterXml(text) {
  const reading = { format: "jmeter-xml", samples: [], rejected: [], cut: true };
  const open = [];
  let textFrom = 0;
  for (const token of text.matchAll(TOKEN)) {
    const [, , slash, name, attributes, selfClosed] = token;
    if (name === undefined) continue;
    if (slash) {
      close(open, name, text.slice(textFrom, token.index), (fields, at) =>
        take(reading, fromFields(fields), text, at),
      );
      if (name === "testResults") reading.cut = false;
    } else {
      if (name === "httpSample" || name === "sample") {
        take(reading, fromAttributes(attributesOf(attributes)), text, token.index);
      }
      const sample = /^(httpSample|sample)$/.test(name) ? reading.samples.at(-1) : undefined;
      if (!selfClosed) open.push({ name, at: token.index, fields: {}, sample });
    }
    textFrom = token.index + token[0].length;
  }
  for (const sample of reading.samples) sample.kinds = kindsOf(sample.why, sample.failed);
  reading.users = reading.samples.flatMap(({ users }) => users);
  return reading;
}

/** Plug-in samplers write the fields of their class as elements; they are complete at their end. */
function close(open, name, content, takeFields) {
  if (open.at(-1)?.name !== name) return;
  const element = open.pop();
  const parent = open.at(-1);
  if (parent) parent.fields[name] = decodeEntities(content);
  if (name === "failureMessage") keepAssertion(open, decodeEntities(content));
  const inResults = parent && /^(testResults|httpSample|sample|subResults)$/.test(parent.name);
  const isClassName = name.includes(".") && !name.startsWith("java.");
  if (inResults && isClassName) takeFields(element.fields, element.at);
}

/** The first message of an assertion of a sample is the one that counts. */
function keepAssertion(open, message) {
  const why = open.at(-1)?.name === "assertionResult" ? open.at(-2)?.sample?.why : undefined;
  if (why) why.failureMessage ||= message;
}

function take(reading, outcome, text, at) {
  if (typeof outcome !== "string") reading.samples.push(outcome);
  else reading.rejected.push({ line: text.slice(0, at).split("\n").length, reason: outcome });
}

function fromAttributes(fields) {
  return sampleOf({
    elapsed: fields.t,
    timeStamp: fields.ts,
    label: fields.lb,
    success: fields.s,
    bytes: fields.by,
    sampleCount: fields.sc,
    errorCount: fields.ec,
    why: { responseCode: fields.rc, responseMessage: fields.rm },
    threads: { active: fields.na, host: fields.hn ?? "" },
  });
}

/** Decided: the class writes timeStamp 0 where it kept startTime, so the start is taken then. */
function fromFields(fields) {
  return sampleOf({
    elapsed: fields.elapsedTime,
    timeStamp: Number(fields.timeStamp ?? 0) === 0 ? fields.startTime : fields.timeStamp,
    label: fields.label,
    success: fields.success,
    bytes: fields.bytes,
    sampleCount: fields.sampleCount,
    errorCount: undefined,
    why: { responseCode: fields.responseCode, responseMessage: fields.responseMessage },
    threads: { active: fields.allThreads, host: "" },
  });
}

/** Decided: an element without a timestamp has an unknown instant; one without bytes received 0. */
function sampleOf({ elapsed, timeStamp = "0", label = "", success, bytes = "0", ...counts }) {
  if (!/^\d+$/.test(elapsed ?? "")) return `no elapsed time: ${elapsed}`;
  if (!/^\d+$/.test(timeStamp)) return `no timestamp: ${timeStamp}`;
  if (!/^\d+$/.test(bytes)) return `no bytes: ${bytes}`;
  const requests = BigInt(counts.sampleCount ?? 1);
  return {
    label,
    second: BigInt(timeStamp) / 1000n,
    micros: BigInt(elapsed) * 1000n,
    bytes: BigInt(bytes),
    requests,
    // Of several requests in one element only the average is known.
    averaged: requests > 1n,
    failed: requests > 1n ? BigInt(counts.errorCount ?? 0) : failedOne(success),
    why: counts.why,
    users: usersOf(counts.threads, BigInt(timeStamp), BigInt(elapsed)),
  };
}

function usersOf({ active, host }, startMs, elapsedMs) {
  if (startMs < 1000n || !/^\d+$/.test(active ?? "")) return [];
  const second = (startMs + elapsedMs) / 1000n;
  return [{ generator: host, second, active: BigInt(active) }];
}

function failedOne(success = "true") {
  return success.toLowerCase() === "true" ? 0n : 1n;
}

/** A raw line break or tab inside an attribute is a blank, as XML says. */
function attributesOf(text) {
  const fields = Object.create(null);
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) {
    fields[name] = decodeEntities((double ?? single).replace(/\r\n|[\r\n\t]/g, " "));
  }
  return fields;
}

const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Decided: a reference to a character that XML forbids still means that character (&#x0; is NUL);
 * what is no character at all (half of a pair, beyond U+10FFFF) is U+FFFD, and an unknown name
 * stays as it is written.
 */
function decodeEntities(text) {
  const decoded = text.replace(/&(?:#x([\da-fA-F]+)|#(\d+)|(\w+));/g, (all, hex, decimal, name) => {
    if (name) return NAMED[name] ?? all;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
  return decoded.toWellFormed();
}
