import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { CHANGES } from "../../api/client.ts";
import { LINK_KEY } from "../../api/link-key.ts";
import type { Incident as FoundIncident, Summary, Users } from "../../api/figures.ts";
import { type Caption, CaptionContext } from "../../charts/caption.ts";
import { boardPicture } from "../../charts/chart-picture.ts";
import { spanText } from "../../format/axis-texts.ts";
import { count, lasted } from "../../format/numbers.ts";
import { CopyButton, CopyLink } from "../../parts/copy-button.tsx";
import { SaveButton } from "../../parts/save-button.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { compareLink } from "../bases.ts";
import { kindName } from "../causes/failure-kinds.ts";
import { Off } from "../../parts/off-button.tsx";
import { NearSamples } from "../samples/asked-samples.tsx";
import { type Range, stretchOf, WHOLE_TEST } from "../scope/range.ts";
import {
  type Incident,
  incidentBoard,
  incidentMarkdown,
  type Measure,
  measuresOf,
  partText,
  usersIn,
  usersText,
} from "./incident.ts";
import { useEvents, whenText } from "../events/use-events.ts";
import { MovedMeasures } from "../measures/moved-measures.tsx";
import { type IncidentAnswers, useIncident } from "./use-incident.ts";
import type { LoadTestPart } from "../part.ts";

interface IncidentPanelProps extends Pick<
  LoadTestPart,
  "name" | "scope" | "range" | "whole" | "version" | "formatTime" | "parameters"
> {
  /** UNIX seconds, half-open. */
  readonly stretch: Range;
  readonly summary: Summary | undefined;
  readonly findings: readonly FoundIncident[] | undefined;
  readonly users: Users;
}

const [ENDPOINTS_NAMED, KINDS_NAMED, NOTES_NAMED] = [5, 3, 8];
/** A deploy comes before what it breaks. */
const BEFORE_SECONDS = 60;

/** The incident in the URL, if any. */
export function IncidentPanel(props: Omit<IncidentPanelProps, "stretch">) {
  const stretch = stretchOf(props.parameters.get("incident"));
  return stretch === undefined ? null : <Panel {...props} stretch={stretch} />;
}

/** An incident: when, where, what failed, under which load, and what changed. */
function Panel(props: IncidentPanelProps) {
  const { scope, stretch, whole, formatTime } = props;
  const value = useIncident(props);
  const around = { from: stretch.from - BEFORE_SECONDS, until: stretch.until };
  const events = useEvents(scope.id, around, props.version);
  const caption = useContext(CaptionContext);
  if (value === undefined) return <section class="incident" aria-hidden="true" />;
  const notes = events
    .slice(0, NOTES_NAMED)
    .map((event) => `${whenText(event, formatTime)} ${event.text}`);
  const found = findingAt(props);
  const moved = found?.moved ?? [];
  const incident = { ...incidentOf(props, value, found), notes };
  const { endpoints, part, kinds, measures, baseline } = incident;
  const load = usersText(incident.users);
  const { seconds } = value.during;
  return (
    <section class="incident" aria-labelledby="incident">
      <div class="section-head">
        <h2 id="incident">
          {spanText(formatTime(stretch.from), formatTime(stretch.from + seconds - 1))}
          <span class="number">{` ${lasted(seconds)}`}</span>
        </h2>
        <span class="switches">
          <CopyLink />
          <CopyButton
            name="Copy Markdown"
            title="What happened, for a ticket or a chat"
            textOf={() => incidentMarkdown(incident)}
          />
          <SaveButton
            name="PNG"
            title="Save what happened and the charts as an image"
            save={() => savePicture(incident, caption)}
          />
          <Off label="Close the incident" onClick={close} />
        </span>
      </div>
      <p>
        {kinds.length === 0 ? "Nothing failed" : kinds.map(kindText).join(", ")}
        <span class="rest">{` on ${whereText(endpoints, scope.hashes.length, part)}${load === "" ? "" : `; ${load}`}`}</span>
      </p>
      <Measures
        measures={measures}
        baseline={
          baseline === undefined
            ? undefined
            : { id: baseline, link: compareLink(baseline, { ...scope, ...stretch }, whole.from) }
        }
      />
      {moved.length === 0 ? null : <MovedMeasures {...props} id={scope.id} moved={moved} />}
      <NearSamples
        {...{ stretch, formatTime, version: props.version, limit: 1 }}
        scope={{ ...scope, ...stretch, outcome: kinds.length === 0 ? undefined : "failed" }}
      />
      {baseline === undefined && CHANGES && LINK_KEY === undefined ? (
        <p class="hint">No other run of this name is the baseline.</p>
      ) : null}
    </section>
  );
}

async function savePicture(incident: Incident, caption: Caption | undefined): Promise<void> {
  if (caption === undefined) throw new Error("BUG: an incident without charts");
  const charts = [...caption.charts]
    .toSorted(([one], [other]) => (isBefore(one, other) ? -1 : 1))
    .map(([, chart]) => chart);
  const board = incidentBoard(incident, caption.scope);
  const picture = await boardPicture({ ...board, charts, caption });
  saveFile(picture, `${caption.id}-incident.png`);
}

function isBefore(one: Node, other: Node): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function close(): void {
  changeParameters({ ...WHOLE_TEST, incident: undefined, endpoints: undefined });
}

function findingAt({ findings, stretch }: IncidentPanelProps): FoundIncident | undefined {
  return findings?.find(({ from, until }) => from < stretch.until && until >= stretch.from);
}

function incidentOf(
  props: IncidentPanelProps,
  answers: IncidentAnswers,
  found: FoundIncident | undefined,
): Omit<Incident, "notes"> {
  const { name, scope, summary, stretch, users, formatTime } = props;
  const { during, before, failures, baseline } = answers;
  const labels = new Map(summary?.endpoints.map(({ hash, label }) => [hash, label]));
  // In the finding's order: most important first. Of very many endpoints not all are listed.
  const endpoints = scope.hashes.flatMap((hash) => labels.get(hash) ?? []);
  return {
    name,
    address: location.href,
    when: `${formatTime(stretch.from)} to ${formatTime(stretch.from + during.seconds - 1)}`,
    endpoints,
    part: partText(scope, endpoints),
    kinds: failures.kinds.slice(0, KINDS_NAMED),
    users: usersIn(users, stretch),
    measures: measuresOf(before, during, baseline),
    baseline: baseline?.id,
    causes: found?.causes.map(({ text }) => text) ?? [],
    moved: found?.moved?.map(({ text }) => text) ?? [],
  };
}

function kindText(kind: Incident["kinds"][number]): string {
  return `${count(kind.count)} × ${kindName(kind)}`;
}

/** The first names and the number of the others of `all`, then what else narrows the figures. */
function whereText(names: readonly string[], all: number, part: string): string {
  const named = names.slice(0, ENDPOINTS_NAMED);
  const more = names.length === 0 ? 0 : all - named.length;
  const text = named.join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
  const texts = [text, part].filter((each) => each !== "");
  return texts.length === 0 ? "all endpoints" : texts.join(", ");
}

interface MeasuresProps {
  readonly measures: readonly Measure[];
  readonly baseline: { readonly id: string; readonly link: string } | undefined;
}

function Measures({ measures, baseline }: MeasuresProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Measures of the incident">
      <table class="measures">
        <thead>
          <tr>
            <th>
              <span class="hidden-text">when</span>
            </th>
            {measures.map(({ name }) => (
              <th key={name} scope="col" class="numeric">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row name="before" cells={measures.map((each) => each.before)} />
          <tr>
            <th scope="row">during</th>
            {measures.map(({ name, during, change, hasMoved }) => (
              <td key={name} class={hasMoved ? "numeric moved" : "numeric"}>
                {during} <small>{change}</small>
              </td>
            ))}
          </tr>
          {baseline === undefined ? null : (
            <Row
              name={<a href={baseline.link}>{`baseline ${baseline.id}`}</a>}
              cells={measures.map((each) => each.baseline)}
            />
          )}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly name: ComponentChildren;
  readonly cells: readonly string[];
}

function Row({ name, cells }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {cells.map((cell, index) => (
        <td key={index} class="numeric">
          {cell}
        </td>
      ))}
    </tr>
  );
}
