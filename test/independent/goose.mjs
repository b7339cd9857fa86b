/** Goose's request log: CSV, or lines of JSON. */

import { parse } from "csv-parse/sync";

export function isGoose(text) {
  return (
    /^elapsed,.*,response_time,.*,success,/.test(text) ||
    /^\{"elapsed":\d+,.*"response_time":.*"success":/.test(text)
  );
}

export function readGoose(text, { startedAtMs }) {
  const isJson = text.startsWith("{");
  const reading = { format: isJson ? "goose-json" : "goose-csv", samples: [], rejected: [] };
  const { lines, cut } = isJson ? linesOf(text) : recordsOf(text);
  const open = new Map();
  for (const line of lines) {
    const request = isJson ? fromJson(line) : fromRow(line);
    if (request === undefined) reading.rejected.push({ reason: "no request" });
    else if (request.omission === 0) take(reading, open, request, startedAtMs);
  }
  return { ...reading, cut };
}

/** A row that corrects takes the place of the last one of its user. */
function take(reading, open, request, startedAtMs) {
  const { user, update, elapsed, name } = request;
  const before = open.get(user);
  if (!update) {
    open.set(user, { elapsed, name, index: reading.samples.length });
    reading.samples.push(sampleOf(request, startedAtMs));
  } else if (before?.elapsed === elapsed && before.name === name) {
    reading.samples[before.index] = sampleOf(request, startedAtMs);
  } else {
    reading.rejected.push({ reason: "corrects nothing" });
  }
}

/** Decided: where nothing tells when the run began, it is second 0; status 0 is no status. */
function sampleOf({ elapsed, method, name, micros, success, status, error }, startedAtMs) {
  const code = status === 0 ? "" : String(status);
  return {
    label: `${method} ${name}`,
    second: startedAtMs === undefined ? 0n : BigInt(startedAtMs + elapsed) / 1000n,
    micros: BigInt(micros),
    bytes: 0n,
    requests: 1n,
    failed: success ? 0n : 1n,
    kinds: success ? [] : [{ code, message: error, requests: 1n }],
  };
}

/** Decided: a last line without its end that is no whole object is cut. */
function linesOf(text) {
  const lines = text.split(/\r?\n/);
  const last = lines.pop();
  const isWhole = last !== "" && fromJson(last) !== undefined;
  return {
    lines: [...lines.filter((line) => line.trim() !== ""), ...(isWhole ? [last] : [])],
    cut: last !== "" && !isWhole,
  };
}

/** Decided: Goose ends every line, so that a last one without its end is cut. */
function recordsOf(text) {
  let openQuote = false;
  const lines = parse(text, {
    columns: true,
    skip_records_with_error: true,
    on_skip: () => {
      openQuote = true;
    },
  });
  const cut = !text.endsWith("\n");
  const isLastShort = openQuote;
  if (cut && !isLastShort) lines.pop();
  return { lines, cut };
}

function fromJson(line) {
  let fields;
  try {
    fields = JSON.parse(line);
  } catch {
    return undefined;
  }
  return {
    method: fields.raw.custom_method || fields.raw.method.toUpperCase(),
    name: fields.name,
    elapsed: fields.elapsed,
    micros: fields.response_time * 1000 + (fields.response_time_fraction_us ?? 0),
    success: fields.success,
    status: fields.status_code,
    error: fields.error,
    user: fields.user,
    update: fields.update,
    omission: fields.coordinated_omission_elapsed,
  };
}

function fromRow(row) {
  return {
    method: row.raw.split("method: ")[1].split(",")[0].toUpperCase(),
    name: row.name,
    elapsed: Number(row.elapsed),
    micros: Number(row.response_time_us ?? Number(row.response_time) * 1000),
    success: row.success === "true",
    status: Number(row.status_code),
    error: row.error,
    user: Number(row.user),
    update: row.update === "true",
    omission: Number(row.coordinated_omission_elapsed),
  };
}
