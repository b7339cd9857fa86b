import { linkTo } from "../address/address.ts";
import type { ImportReport, Rejection } from "../api/upload.ts";
import { bytes, count, duration, share } from "../format/numbers.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatText } from "../format/tool-name.ts";
import { dayAndSecond } from "../format/times.ts";

interface ReportProps {
  readonly report: ImportReport;
  readonly sizeBytes: number;
  /** Imports the file although another run has its content; `undefined` if none has. */
  readonly onAgain: (() => void) | undefined;
  readonly onClose: () => void;
}

/** The import report of a file in a line, with its tables behind it; stays until closed. */
export function Report({ report, sizeBytes, onAgain, onClose }: ReportProps) {
  const { source, format, loadTestId, elapsedSeconds, rejections, repairs, notes } = report;
  const size = bytes(sizeBytes);
  return (
    <div class="upload">
      <details>
        <summary>
          <b>{source}</b> <Outcome report={report} isElsewhere={onAgain !== undefined} />
        </summary>
        <p class="rest">{`${formatText(format)}, ${size.digits} ${size.unit} in ${secondsText(elapsedSeconds)}`}</p>
        <div class="tables">
          <Counts report={report} />
          {rejections.length === 0 ? null : (
            <Places caption="Rejected records" places={rejections} rows={report.samples.rejected} />
          )}
          {repairs.map(({ kind, rows, message, places }) => (
            <Places key={kind} caption={`Recorded ${message}`} places={places} rows={rows} />
          ))}
        </div>
        {notes.map((note) => (
          <p key={note} class="rest note">
            {note}
          </p>
        ))}
      </details>
      <a class="button" href={linkTo({ name: "load-test", id: loadTestId })}>
        Open run
      </a>
      {onAgain === undefined ? null : (
        <button type="button" onClick={onAgain}>
          Import it again
        </button>
      )}
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

/** Where the records are, how many, and whether some are missing. */
function Outcome({
  report,
  isElsewhere,
}: Pick<ReportProps, "report"> & { readonly isElsewhere: boolean }) {
  const { alreadyImported, loadTestId, samples, truncatedAt, notes } = report;
  if (isElsewhere) return <span class="rest">{`already in run ${loadTestId}: nothing added`}</span>;
  if (alreadyImported) return <span class="rest">already imported: nothing changed</span>;
  const { read, recorded, rejected } = samples;
  return (
    <>
      <span class="rest">{`${count(recorded)} of ${count(read)} records`}</span>
      {rejected === 0 ? null : <span class="slow">{` ▲ ${count(rejected)} rejected`}</span>}
      {truncatedAt === null ? null : <span class="slow">{` ▲ ${truncatedAt.reason}`}</span>}
      {notes.length === 0 ? null : <span class="rest">{` · ${notes.join(" · ")}`}</span>}
    </>
  );
}

/** Import time; the service reports milliseconds. */
function secondsText(seconds: number): string {
  const { digits, unit } = duration(seconds);
  return `${digits} ${unit}`;
}

function Counts({ report }: { readonly report: ImportReport }) {
  const { samples, requests, failedRequests, transactions, subresults } = report;
  const { endpoints, from, until, truncatedAt } = report;
  const { read, recorded, rejected } = samples;
  const part = (rows: number): string => {
    const { digits, unit } = share(read === 0 ? 0 : rows / read);
    return `${digits} ${unit}`;
  };
  const rows: readonly (readonly [name: string, value: string, part?: string, kind?: string])[] = [
    ["records read", count(read)],
    ["= recorded", count(recorded), part(recorded)],
    ["+ rejected", count(rejected), part(rejected), rejected > 0 ? "slow" : ""],
    ["requests", count(requests)],
    ["failed", count(failedRequests)],
    ...(transactions === 0 ? [] : [["transactions", count(transactions)] as const]),
    ...(subresults === 0 ? [] : [["sub-results", count(subresults)] as const]),
    ["endpoints", count(endpoints)],
    ["first request", timeText(from)],
    ["last request", timeText(until)],
    ...(truncatedAt === null
      ? []
      : [["truncated", `▲ ${truncatedAt.reason}`, "", "slow cut"] as const]),
  ];
  return (
    <table class="report">
      <tbody>
        {rows.map(([name, value, ofAll, kind]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class={`numeric ${kind ?? ""}`}>{value}</td>
            <td class="numeric rest">{ofAll}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function timeText(second: number | null): string {
  return second === null ? "–" : dayAndSecond(second, Date.now() / 1000, "local");
}

interface PlacesProps {
  readonly caption: string;
  /** The first of `rows`. */
  readonly places: readonly Rejection[];
  readonly rows: number;
}

function Places({ caption, places, rows }: PlacesProps) {
  const isPart = rows > places.length;
  return (
    <div class="rejections">
      <table class="report">
        <caption>
          {caption}{" "}
          <span class="number">
            {count(rows)}
            {isPart ? `; the first ${count(places.length)} are listed` : ""}
          </span>
          <CopyButton name="Copy all" title="Those listed" textOf={() => tabbed(places)} />
        </caption>
        <thead>
          <tr>
            <th class="numeric">line</th>
            <th class="numeric">byte</th>
            <th>reason</th>
          </tr>
        </thead>
        <tbody>
          {places.map(({ line, byte, reason }) => (
            <tr key={`${line} ${byte}`}>
              <td class="numeric">{line === undefined ? "–" : count(line)}</td>
              <td class="numeric">{byte === undefined ? "–" : count(byte)}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** As a table for other programs. */
function tabbed(places: readonly Rejection[]): string {
  const rows = places.map(({ line, byte, reason }) => [line, byte, reason].join("\t"));
  return ["line\tbyte\treason", ...rows].join("\n");
}
