/** Groups, name, start, end, outcome and message, by the version that wrote the row. */
const REQUESTS = {
  "2.0": /^[^\t]*\t[^\t]*\tREQUEST\t([^\t]*)\t(.*)\t(\d+)\t\d+\t\d+\t(\d+)\t(OK|KO)(?:\t(.*))?$/,
  2.2: /^REQUEST\t[^\t]*\t[^\t]*\t([^\t]*)\t(.*)\t(\d+)\t(\d+)\t(OK|KO)(?:\t(.*))?$/,
  "3.0": /^REQUEST\t[^\t]*\t([^\t]*)\t(.*)\t(\d+)\t(\d+)\t(OK|KO)(?:\t(.*))?$/,
  3.4: /^REQUEST\t([^\t]*)\t(.*)\t(\d+)\t(\d+)\t(OK|KO)(?:\t(.*))?$/,
};

const ROW = /^(REQUEST|USER|GROUP|ERROR|RUN|ASSERTION)\t/;
const OLD_ROW = /^[^\t]*\t[^\t]*\t(REQUEST|USER|GROUP|ERROR|RUN)\t/;

export function isGatlingText(text) {
  const line = text.trimStart().split("\n", 1)[0];
  if (/^RUN\t\d{14}\t/.test(line)) return false;
  return /^(RUN|ASSERTION)\t/.test(line) || /^[^\t]*\t[^\t]*\tRUN\t/.test(line);
}

export function readGatlingText(text) {
  const reading = { format: "gatling-text", samples: [], rejected: [], cut: false };
  reading.users = [];
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const version = versionOf(lines);
  const pattern = version === "2.0" ? OLD_ROW : ROW;
  let unfinished = false;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const kind = pattern.exec(line)?.[1];
    if (index === lines.length - 1 && !isFinished(kind, line)) {
      reading.cut = true;
      break;
    }
    const isOpen = index === lines.length - 1;
    // Decided: what follows a row that a line break in its name has broken is the rest of that row.
    if (kind === undefined && unfinished) continue;
    unfinished = false;
    // Decided: the message of a line without its end may be a part of one, and is left out.
    const known = isOpen ? line.replace(/(\t\d+\t\d+\tKO)\t.*$/, "$1") : line;
    const problem = takeRow(reading, kind, known, version);
    if (problem === undefined) continue;
    reading.rejected.push({ line: index + 1, reason: problem });
    unfinished = kind === "REQUEST";
  }
  return reading;
}

function versionOf(lines) {
  if (lines.some((line) => /^[^\t]*\t[^\t]*\tRUN\t/.test(line))) return "2.0";
  const user = lines.find((line) => line.startsWith("USER\t"))?.split("\t");
  if (user?.[3] !== "START" && user?.[3] !== "END") return "3.4";
  const run = lines.find((line) => line.startsWith("RUN\t")) ?? "";
  return run.endsWith("\t2.0") ? "2.2" : "3.0";
}

/** Decided: a last line without its end is read where none of it that counts can be missing. */
function isFinished(kind, line) {
  if (kind === "REQUEST") return /\t\d+\t\d+\t(OK|KO)(\t.*)?$/.test(line);
  if (kind === "GROUP") return /\t(OK|KO)$/.test(line);
  return (kind === "USER" || kind === "ERROR") && /\t\d{13}$/.test(line);
}

function takeRow(reading, kind, line, version) {
  if (kind === undefined) return "no row";
  if (kind === "REQUEST") return takeRequest(reading, REQUESTS[version].exec(line));
  if (kind === "USER") takeUser(reading, line.split("\t"));
  return undefined;
}

function takeRequest({ samples }, found) {
  if (found === null) return "not a whole request";
  const [, groups, name, start, end, outcome, message = ""] = found;
  const [from, until] = [BigInt(start), BigInt(end)];
  if (until < from) return "ends before it starts";
  const label = [...(groups === "" ? [] : groups.split(",")), name].join(" / ");
  const second = from / 1000n;
  const micros = (until - from) * 1000n;
  const sample = { label, second, micros, bytes: 0n, requests: 1n, failed: 0n };
  // Decided: the log has no codes; a single blank is how it writes that there is no message.
  const kinds = [{ code: "", message: message === " " ? "" : message, requests: 1n }];
  samples.push(outcome === "KO" ? { ...sample, failed: 1n, kinds } : sample);
  return undefined;
}

function takeUser({ users }, columns) {
  const event = columns.findLastIndex((column) => column === "START" || column === "END");
  const started = columns[event] === "START";
  // The start of 2.0 has a 0 behind its time.
  const time = columns.slice(event + 1).findLast((column) => column !== "0");
  const second = BigInt(time) / 1000n;
  users.push({ generator: "", second, started: started ? 1n : 0n, ended: started ? 0n : 1n });
}
