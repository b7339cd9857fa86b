import { escapeMarkup } from "../../render/escape-markup.ts";
import { printable } from "./printable.ts";

/** A report that build servers show: one suite; `notes` are lines about all of it. */
export function formatJunit(
  suite: string,
  cases: readonly JunitCase[],
  notes: readonly string[],
): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases.map((each) => `    ${caseElement(each)}`),
    ...(notes.length === 0
      ? []
      : [`    <system-out>${notes.map(escaped).join("\n")}</system-out>`]),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** One test case of a report in the form of JUnit. */
interface JunitCase {
  readonly group: string;
  readonly name: string;
  /** Why it failed; `undefined` where it did not. */
  readonly failure: string | undefined;
  /** Why it says nothing; `undefined` where it does. */
  readonly skipped: string | undefined;
}

function caseElement({ group, name, failure, skipped }: JunitCase): string {
  const head = `<testcase classname="${escaped(group)}" name="${escaped(name)}" time="0"`;
  if (failure !== undefined) {
    // Some build servers show the attribute, some the text.
    const text = `${escaped(name)}: ${escaped(failure)}`;
    return `${head}><failure message="${escaped(failure)}">${text}</failure></testcase>`;
  }
  return skipped === undefined
    ? `${head}></testcase>`
    : `${head}><skipped message="${escaped(skipped)}"></skipped></testcase>`;
}

/** XML has no way to write control characters and these two; they are shown as escapes. */
function escaped(text: string): string {
  return escapeMarkup(printable(text.toWellFormed()).replaceAll(/[\ufffe\uffff]/g, "\ufffd"));
}
