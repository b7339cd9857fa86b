import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import { bytes, count } from "../src/format/numbers.ts";

interface ReportFootProps {
  readonly about: WrittenAbout;
  readonly endpoints: number;
  /** See `EmbeddedReport`. */
  readonly embeddedBytes: number;
}

/** What the file contains, what it does not, and what it was made from. */
export function ReportFoot({ about, endpoints, embeddedBytes }: ReportFootProps) {
  return (
    <section class="report-foot" aria-labelledby="holds">
      <h2 id="holds">What this file holds</h2>
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
      ? "every endpoint"
      : `the endpoints ${selectionText(selection)}, and no others`;
  const holds = `${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"}: ${which}`;
  return [
    `${holds}, in ${size.digits} ${size.unit} of measurements. Nothing is fetched from anywhere.`,
    ...(range === undefined ? [] : ["A part of the load test: the rest of its time is not in it."]),
    grainSeconds === 1
      ? "Counts and distributions of every second: every range and selection is exact."
      : `Counts and distributions of every ${grainSeconds} s: ranges begin and end at whole ` +
        `${grainSeconds} s, and their figures are exact. What happened within ${grainSeconds} s ` +
        "is not resolved, and anomalies are those of the whole run.",
    ...measuresText(about.measures),
    "The load test as it was when the report was made: no live data, no comparison.",
  ];
}

function measuresText({ series, grainSeconds, leftOut }: WrittenAbout["measures"]): string[] {
  if (series + leftOut === 0) return [];
  const every = grainSeconds === 1 ? "every second" : `every ${grainSeconds} s`;
  const others =
    leftOut === 0
      ? ""
      : ` ${count(leftOut)} series are left out to keep the file small: of the endpoints with the fewest requests first.`;
  return [`${count(series)} series of measures, of ${every}.${others}`];
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
    <div class="wide" tabIndex={0} role="region" aria-label="Files that the load test was made of">
      <table class="rows">
        <thead>
          <tr>
            <th>made of</th>
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
