import { GATLING_TEXT } from "./about.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import type { FailureKind } from "../../model/failures.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { FacetedLabels } from "../labels/faceted-labels.ts";
import { KeptRequests } from "../kept-requests.ts";
import { LABEL_TOO_LONG, LabelTable, labelNotes, labelTooLong } from "../labels/label-table.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import { phase } from "../measures/request-measures.ts";
import { RowRepairs } from "../row-repairs.ts";
import { SampleRows } from "../sample-rows.ts";
import { noSizes } from "../notes.ts";

const MICROS_PER_MS = 1000;
const MILLIS_PER_SECOND = 1000;
/** A Gatling log is written by one process. */
const GENERATOR = 0;

/** Separates nested groups. */
export const GROUP_SEPARATOR = " / ";

/** Fields of label templates: all groups, and the name of the request. */
const GATLING_FIELDS = GATLING_TEXT.labelFields;
const GROUP_FIELD = GATLING_FIELDS.indexOf("group");

export interface GatlingRequest {
  /** As `labelOf` returns it. */
  readonly label: number;
  /** As `facetsOf` returns it. */
  readonly set: number;
  /** Times are ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** `undefined` if it passed. */
  readonly failure: string | undefined;
}

export interface GatlingGroup {
  /** Names joined by `GROUP_SEPARATOR`. */
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Sum of the response times within. */
  readonly responseMs: number;
}

/** Records requests, failures and users of both kinds of Gatling logs. */
export class GatlingSamples {
  readonly labels: LabelTable;
  readonly failureKinds: readonly FailureKind[];
  readonly #kinds = new FailureKinds();
  readonly generators = [""];
  /** What is unknown of the last request. */
  readonly repairs = new RowRepairs();
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;
  readonly #kept: KeptRequests;
  readonly #facets: FacetedLabels;
  readonly #grouped: LabelTemplate;
  readonly #ungrouped: LabelTemplate;
  /** Series that are stored, by measure and path. */
  readonly #groups = new Map<string, number>();
  #requests = 0;
  #unreadGroups = 0;
  #errors = 0;

  constructor(sink: SampleSink, { labelTemplate, labels, facets }: DecodeOptions) {
    this.labels = new LabelTable(labels);
    this.#facets = new FacetedLabels(this.labels, facets);
    this.failureKinds = this.#kinds.kinds;
    this.#sink = sink;
    this.#rows = new SampleRows(sink);
    this.#kept = new KeptRequests(sink);
    const grouped = labelTemplate ?? `{group}${GROUP_SEPARATOR}{name}`;
    this.#grouped = new LabelTemplate(grouped, GATLING_FIELDS);
    this.#ungrouped = new LabelTemplate(labelTemplate ?? "{name}", GATLING_FIELDS);
  }

  /** Index of the label of a request, or `LABEL_TOO_LONG`. `group` is joined by `GROUP_SEPARATOR`. */
  labelOf(group: Uint8Array, name: Uint8Array): number {
    const template = group.length === 0 ? this.#ungrouped : this.#grouped;
    return template.indexIn(this.labels, (field) => (field === GROUP_FIELD ? group : name));
  }

  /** Facets of requests in a group, joined by `GROUP_SEPARATOR`. @default scenario: unknown */
  facetsOf(group: string, scenario = ""): number {
    const values = new Map([
      ["group", group],
      ["scenario", scenario],
    ]);
    return this.#facets.setBy([...values.keys()], (name) => values.get(name) ?? "");
  }

  /** Records a request, whose label is shortened if it is too long. Returns why it cannot be recorded. */
  request(request: GatlingRequest): string | undefined {
    if (request.label === LABEL_TOO_LONG) return this.#requestWithLongName(request);
    const { startMs, endMs, failure } = request;
    const second = secondOf(startMs);
    if (second === undefined) return unstorable("the start", startMs);
    const series = this.#facets.series(request.label, request.set);
    const elapsedMicros = (endMs - startMs) * MICROS_PER_MS;
    const hasFailed = failure !== undefined;
    const isTimed = elapsedMicros >= 0 && elapsedMicros <= Number.MAX_SAFE_INTEGER;
    if (isTimed) {
      this.#rows.addRequest(series, second, { elapsedMicros, hasFailed });
    } else {
      const reason = `the end is before the start: got ${endMs} and ${startMs}`;
      this.repairs.add("time-unknown", reason);
      const failedRequests = hasFailed ? 1 : 0;
      this.#rows.addUntimed(series, second, { requests: 1, failedRequests, receivedBytes: 0 });
    }
    this.#requests += 1;
    let kind: FailureKind | undefined;
    if (failure !== undefined) {
      const number = this.#kinds.numberOf(request.label, "", failure);
      this.#sink.recordFailure(series, second, number, 1);
      kind = this.failureKinds[number];
    }
    if (isTimed) {
      const millis = startMs - second * MILLIS_PER_SECOND;
      this.#kept.offer(series, { second, millis, elapsedMicros }, kind);
    }
    return undefined;
  }

  #requestWithLongName(request: GatlingRequest): string | undefined {
    const reason = this.request({ ...request, label: this.labels.indexOfTooLong() });
    if (reason === undefined) this.repairs.add("label-shortened", labelTooLong());
    return reason;
  }

  /** Returns why the event cannot be recorded. */
  user(isStart: boolean, ms: number): string | undefined {
    const second = secondOf(ms);
    if (second === undefined) return unstorable("the time of a user", ms);
    this.#sink.recordUserChanges(GENERATOR, second, isStart ? 1 : 0, isStart ? 0 : 1);
    return undefined;
  }

  /** Records a group that a user has left. `undefined`: it cannot be read. Times are ms since the epoch. */
  group(group: GatlingGroup | undefined): void {
    if (
      group === undefined ||
      secondOf(group.startMs) === undefined ||
      group.endMs < group.startMs
    ) {
      this.#unreadGroups += 1;
      return;
    }
    const { path, startMs, endMs, responseMs } = group;
    this.#measureGroup("group_duration", path, startMs, endMs - startMs);
    this.#measureGroup("group_response_time", path, startMs, responseMs);
  }

  #measureGroup(name: string, path: string, atMs: number, ms: number): void {
    const { measures } = this.#sink;
    const key = `${name} ${path}`;
    const tags = [["group", path]] as const;
    const known = this.#groups.get(key);
    const series = known ?? measures.seriesOf({ ...phase(name), label: undefined, tags });
    if (series >= 0) this.#groups.set(key, series);
    measures.add(series, atMs, ms);
  }

  /** Counts an error that is no request. */
  error(): void {
    this.#errors += 1;
  }

  flush(): void {
    this.#rows.flush();
  }

  notes(): readonly string[] {
    const notes: string[] = [];
    if (this.#requests > 0) notes.push(noSizes("Gatling"));
    if (this.#errors > 0) {
      notes.push(
        `errors without a request (ERROR records), not counted as requests: ${this.#errors}`,
      );
    }
    if (this.#unreadGroups > 0) notes.push(`groups that cannot be read: ${this.#unreadGroups}`);
    const ofLabels = [...labelNotes(this.labels), ...this.#facets.notes()];
    return [...notes, ...failureNotes(this.#kinds), ...ofLabels];
  }
}

function secondOf(ms: number): number | undefined {
  const second = Math.floor(ms / 1000);
  return second > 0 && second < SECOND_LIMIT ? second : undefined;
}

function unstorable(what: string, ms: number): string {
  return `cannot store ${what}: got ${ms} ms since 1970, want 1970 to 2106`;
}
