import { fractionOf, floor, roundHalfAway } from "./fractions.mjs";

export function isPhout(text) {
  return /^\d{10}\.\d{3}\t/.test(text);
}

export function readPhout(text) {
  return readLines("phout", text, { separator: "\t", fields: 12, isWhole, sampleOf: phoutSample });
}

export function isTsung(text) {
  return text.startsWith("#date;pid;");
}

export function readTsung(text) {
  return readLines("tsung-dump", text, {
    separator: ";",
    fields: 13,
    isWhole: isWholeTsung,
    sampleOf: tsungSample,
  });
}

function readLines(format, text, { separator, fields, isWhole: isLastWhole, sampleOf }) {
  const reading = { format, samples: [], rejected: [], cut: false };
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const cells = line.split(separator);
    const isLast = index === lines.length - 1;
    if (isLast && (cells.length < fields || !isLastWhole(cells))) reading.cut = true;
    else reading.samples.push({ requests: 1n, ...sampleOf(cells) });
  }
  return reading;
}

/** Decided: the last column of a last line without its end is whole if it is 0 or has three digits. */
function isWhole(cells) {
  return /^(?:0|\d\d\d)$/.test(cells.at(-1));
}

/**
 * Decided: nothing behind the last semicolon counts; but where the URL has semicolons of its own, a
 * broken row can have as many as a whole one, and something else than numbers where these stand.
 */
function isWholeTsung(cells) {
  const [status, size, duration, , , error] = cells.slice(-7);
  return (
    /^\d*$/.test(size) && /^\d+(\.\d+)?$/.test(duration) && (/^\d+$/.test(status) || error !== "")
  );
}

function phoutSample([time, tag, elapsed, , , , , , , sizeIn, net, proto]) {
  const failed = net !== "0" || Number(proto) >= 400;
  return {
    label: tag.replace(/#[^#]*$/, ""),
    second: floor(fractionOf(time)),
    micros: BigInt(elapsed),
    bytes: BigInt(sizeIn),
    ...outcome(failed, proto, net === "0" ? "" : `net code ${net}`),
  };
}

function tsungSample([date, , , method, host, ...others]) {
  const [status, size, duration, , , error] = others.slice(-7);
  const [endTop, endBottom] = fractionOf(date);
  const [top, bottom] = fractionOf(duration);
  return {
    label: `${method.toUpperCase()} ${host}${others.slice(0, -7).join(";")}`,
    second: floor([endTop * bottom * 1000n - top * endBottom, endBottom * bottom * 1000n]),
    micros: roundHalfAway([top * 1000n, bottom]),
    bytes: BigInt(size),
    ...outcome(error !== "" || Number(status) >= 400 || status === "0", status, error),
  };
}

function outcome(failed, code, message) {
  return { failed: failed ? 1n : 0n, kinds: failed ? [{ code, message, requests: 1n }] : [] };
}
