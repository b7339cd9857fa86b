/** Sentences that describe a capacity. */

import type { Capacity } from "../../api/figures.ts";
import { inWords } from "../../format/changes.ts";
import { count, duration } from "../../format/numbers.ts";

/** The limits that were seen, or how far none was, one sentence each. */
export function limitsOf({ load, levels, isLoadVaried, peak, p95Doubled }: Capacity): string[] {
  const last = levels.at(-1);
  if (last === undefined) return ["No request has a known time"];
  if (!isLoadVaried) {
    return ["The load hardly varies: limits need a run that ramps up to twice its smallest load"];
  }
  const isByUsers = load === "users";
  const highest = Math.max(...levels.map(({ reqPerSec }) => reqPerSec));
  const upTo = `${short(highest)}/s${isByUsers ? ` and ${users(last.load)}` : ""}`;
  const sentences =
    peak === undefined && p95Doubled === undefined ? [`No limit seen up to ${upTo}`] : [];
  if (peak !== undefined) {
    const { reqPerSec, load: at } = peak;
    sentences.push(
      `Peak ${short(reqPerSec.value)}/s (${rangeOf(reqPerSec)}) at ${users(at.value)} (${rangeOf(at)})`,
    );
  } else if (p95Doubled !== undefined && isByUsers) {
    sentences.push(`No peak seen up to ${upTo}`);
  }
  if (p95Doubled !== undefined) {
    const { load: at, p95Before, p95After } = p95Doubled;
    const times = [p95Before, p95After].map((each) => inWords(duration(each)));
    const place = isByUsers ? users(at) : `${short(at)}/s`;
    sentences.push(`p95 doubled at ${place}, from ${times.join(" to ")}`);
  }
  if (!isByUsers) sentences.push("Active users are not recorded, so the peak is unknown");
  return sentences;
}

function rangeOf({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${short(low)} to ${short(high)}`;
}

function users(value: number): string {
  const text = short(value);
  return `${text} user${text === "1" ? "" : "s"}`;
}

/** Three significant digits, and whole numbers from 100 on. */
function short(value: number): string {
  return value < 100 ? String(Number(value.toPrecision(3))) : count(Math.round(value));
}
