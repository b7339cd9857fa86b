/** Timestamps that a tool wrote without a zone, as the clock on the wall showed them. */

const PATTERNS = [
  {
    shape: /^(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,3}))?$/,
    order: "ymd",
  },
  { shape: /^(\d\d)\/(\d\d)\/(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,3}))?$/, order: "mdy" },
];

/** Milliseconds since the epoch, or undefined where the text is no date and time. */
export function instantOf(text, timeZone) {
  for (const { shape, order } of PATTERNS) {
    const found = shape.exec(text);
    if (found) return atZone(partsOf(found, order), timeZone);
  }
  return undefined;
}

/** A time of day alone: real, but of an unknown day. */
export function isTimeOfDay(text) {
  return /^\d\d:\d\d:\d\d(?:[.,]\d{1,3})?$/.test(text);
}

function partsOf(found, order) {
  const [a, b, c, hour, minute, second] = found.slice(1, 7).map(Number);
  const [year, month, day] = order === "ymd" ? [a, b, c] : [2000 + c, a, b];
  const ms = Number((found[7] ?? "0").padEnd(3, "0"));
  return [year, month - 1, day, hour, minute, second, ms];
}

/**
 * Decided: a wall time that the clock showed twice (end of summer time) is the earlier instant, one
 * that it skipped counts with the offset from before the jump; Java's LocalDateTime.atZone does so.
 */
function atZone(parts, timeZone) {
  const asIfUtc = Date.UTC(...parts);
  if (!survives(asIfUtc, parts)) return undefined;
  const day = 86_400_000;
  const before = offsetMs(asIfUtc - day, timeZone);
  const after = offsetMs(asIfUtc + day, timeZone);
  const candidates = [asIfUtc - before, asIfUtc - after].toSorted((x, y) => x - y);
  const exact = candidates.find((instant) => instant + offsetMs(instant, timeZone) === asIfUtc);
  return exact ?? asIfUtc - before;
}

/** Whether the date exists: Date.UTC turns month 20 into August of the next year. */
function survives(instant, [year, month, day, hour, minute, second]) {
  const date = new Date(instant);
  const back = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  return [...back, ...clock].join() === [year, month, day, hour, minute, second].join();
}

const formats = new Map();

function formatOf(timeZone) {
  const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric" };
  const options = { ...numeric, minute: "numeric", second: "numeric", hourCycle: "h23", timeZone };
  if (!formats.has(timeZone)) formats.set(timeZone, new Intl.DateTimeFormat("en-US", options));
  return formats.get(timeZone);
}

function offsetMs(instant, timeZone) {
  const shown = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const wall = Date.UTC(
    shown.year,
    shown.month - 1,
    shown.day,
    shown.hour,
    shown.minute,
    shown.second,
  );
  return wall - Math.floor(instant / 1000) * 1000;
}
