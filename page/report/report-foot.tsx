import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import { bytes, count } from "../src/format/numbers.ts";
import { facetsOf } from "./facets-of.ts";
import { isEverySecond } from "./is-every-second.ts";

interface ReportFootProps {
  readonly about: WrittenAbout;
  readonly endpoints: number;
  /** See `EmbeddedReport`. */
  readonly embeddedBytes: number;
}

/** What the file contains, what it does not, and what it was made from. */
export function ReportFoot({ about, endpoints, embeddedBytes }: ReportFootProps) {
  return (
    <section class="report-foot" aria-labelledby="contents">
      <h2 id="contents">Contents of this file</h2>
      <ul>
        {statementsOf(about, endpoints, embeddedBytes).map((statement) => (
          <li key={statement}>{statement}</li>
        ))}
      </ul>
      {about.sources.length === 0 ? null : <Sources sources={about.sources} />}
    </section>
  );
}

function statementsOf(about: WrittenAbout, endpoints: number, embeddedBytes: number): string[] {
  const { selection, range, grainSeconds } = about;
  const size = bytes(embeddedBytes);
  const which =
    selection.by === "filter" && selection.filter === ""
      ? "all"
      : `only those ${selectionText(selection)}`;
  const number = `${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"} (${which})`;
  const selected = [number, facetsOf(about)].filter((text) => text !== "").join(", ");
  return [
    `${selected}, ${size.digits} ${size.unit} of data. The file loads nothing from the network.`,
    ...(range === undefined ? [] : ["Only part of the run: the rest is left out."]),
    grainSeconds === 1
      ? "Counts and distributions for every second: every range and selection is exact."
      : `Counts and distributions for every ${grainSeconds} s: ranges start and end at multiples of ` +
        `${grainSeconds} s, and their figures are exact.`,
    ...measuresText(about.measures),
    ...(isEverySecond(about) ? [] : ["Anomalies are those of the full run."]),
    "The run as it was when the report was made: no live data.",
  ];
}

function measuresText({ series, grainSeconds, leftOut }: WrittenAbout["measures"]): string[] {
  if (series + leftOut === 0) return [];
  const every = grainSeconds === 1 ? "every second" : `every ${grainSeconds} s`;
  const others =
    leftOut === 0
      ? ""
      : ` ${count(leftOut)} series of the endpoints with the fewest requests are left out to keep the file small.`;
  return [`${count(series)} series of measures, one value ${every}.${others}`];
}

function selectionText(selection: WrittenAbout["selection"]): string {
  switch (selection.by) {
    case "filter":
      return `whose label contains ${JSON.stringify(selection.filter)}`;
    case "hash":
      return `with the SHA-1 ${selection.hash}`;
    case "hashes":
      return `with one of ${selection.hashes.length} SHA-1`;
    default:
      throw new Error(`BUG: no words for ${JSON.stringify(selection satisfies never)}`);
  }
}

function Sources({ sources }: Pick<WrittenAbout, "sources">) {
  return (
    // Focusable, so that the keyboard can scroll it where it is cut off.
    <div class="wide" tabIndex={0} role="region" aria-label="Sources of the run">
      <table class="rows">
        <thead>
          <tr>
            <th>source</th>
            <th>format</th>
            <th class="numeric">bytes</th>
            <th>digest</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ name, format, sizeBytes, digest }) => (
            <tr key={digest}>
              <td class="name" title={name}>
                {name}
              </td>
              <td>{format}</td>
              <td class="numeric">{count(sizeBytes)}</td>
              <td>
                <code>{digest}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
