import { instantOf } from "./wall-clock.mjs";

const TRANSACTION = "Number of samples in transaction : ";

/**
 * The labels of a JMeter CSV file whose rows repeat other rows: label to "transaction" or
 * "subresult". Rows are objects by column name, in the order of the file.
 *
 * Decided: a row is a hop of the last request of its thread if it is named like it with numbers
 * behind, and lies within its time. A label with a request among its rows is not in the answer.
 */
export function derivedLabels(rows, timeZone) {
  const seen = new Map();
  const lastOfThread = new Map();
  for (const row of rows) {
    const what = roleOf(row, lastOfThread.get(row.threadName), seen, timeZone);
    if (!seen.has(row.label)) seen.set(row.label, new Set());
    seen.get(row.label).add(what);
    if (what === "request") lastOfThread.set(row.threadName, row);
    else if (what !== "subresult") lastOfThread.delete(row.threadName);
  }
  const derived = [];
  for (const [label, whats] of seen) {
    if (whats.has("request")) continue;
    const strongest = ["subresult", "transaction"].find((what) => whats.has(what));
    if (strongest !== undefined) derived.push([label, strongest]);
  }
  return new Map(derived);
}

function roleOf(row, request, seen, timeZone) {
  if (row.responseMessage?.startsWith(TRANSACTION)) return "transaction";
  const isBare = row.responseMessage === "" && !row.dataType;
  if (request !== undefined && isHopName(row.label, request.label)) {
    return roleBehind(request, row, { isBare, timeZone });
  }
  const base = row.label.replace(/-\d+$/, "");
  const mayBeHop = base !== row.label && row.threadName !== undefined && seen.has(base);
  return isBare || mayBeHop ? "unknown" : "request";
}

/** What a row is that is named like a hop of the last request of its thread. */
function roleBehind(request, row, { isBare, timeZone }) {
  const [hop, whole] = [timesOf(row, timeZone), timesOf(request, timeZone)];
  if (hop === undefined || whole === undefined || row.threadName === undefined) return "unknown";
  const isLater = hop.start >= whole.end;
  if (!isLater && hop.start >= whole.start && hop.end <= whole.end) return "subresult";
  return isLater && hop.end > whole.end && !isBare ? "request" : "unknown";
}

function isHopName(label, request) {
  return label.startsWith(request) && /^(-\d+)+$/.test(label.slice(request.length));
}

/** Milliseconds; undefined where the timestamp does not tell them. */
function timesOf({ timeStamp = "", elapsed }, timeZone) {
  const hasMillis = /^\d{13}$/.test(timeStamp) || /[.,]\d{3}$/.test(timeStamp);
  if (!hasMillis) return undefined;
  const start = /^\d+$/.test(timeStamp) ? Number(timeStamp) : instantOf(timeStamp, timeZone);
  return { start, end: start + Number(elapsed) };
}
