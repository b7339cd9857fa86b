import { useEffect, useMemo } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import type { Facet } from "../../api/facets.ts";
import { askMeasures } from "../../api/measures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { RESPONSES } from "./codes.ts";
import { hostCharts } from "./host-charts.ts";
import {
  type MeasureGroup,
  groupsOf,
  namesIn,
  namesText,
  tagsOf,
  withTags,
} from "./measure-groups.ts";
import { type Phase, phasesOf } from "./phases.ts";
import type { LoadTestPart } from "../part.ts";
import { REST_MS, useSlowly } from "../use-slowly.ts";
import { useIsPart } from "../scope/holding.ts";

type MeasuresRequest = Pick<LoadTestPart, "name" | "scope" | "version" | "parameters">;

export interface ShownMeasures {
  /** All that can be chosen; empty if nothing was measured besides requests. */
  readonly groups: readonly MeasureGroup[];
  /** Names of the shown ones: those in the URL, else stored for the name of the load test, else the first. */
  readonly chosen: readonly string[];
  /** The series of these that have the tags in the URL. */
  readonly shown: readonly MeasureGroup[];
  /** Tags by which the series of the chosen ones differ. */
  readonly tags: readonly Facet[];
  /** Of the selected endpoint, if it is one. */
  readonly phases: readonly Phase[];
  /** Whether codes of passed requests are recorded, judging by their measures. */
  readonly hasCodes: boolean;
}

/** Requests which measures there are. While none are chosen, those by host are shown; without hosts, the `first`. The URL then names them. */
export function useMeasures(
  { name, scope, version, parameters }: MeasuresRequest,
  first = 0,
): ShownMeasures {
  const { id, hashes, filter } = scope;
  const isPart = useIsPart(scope);
  const { value } = useAnswer("measures", id, (signal) => askMeasures(id, signal), {
    version: useSlowly(version, REST_MS),
  });
  const groups = useMemo(() => groupsOf(value ?? [], hashes), [value, hashes]);
  const byHost = useMemo(() => hostCharts(value ?? []), [value]);
  const choices = useMemo(() => [...byHost, ...groups], [byHost, groups]);
  const phases = useMemo(
    () => (hashes.length === 1 ? phasesOf(groups.flatMap(({ series }) => series)) : []),
    [groups, hashes],
  );
  const asked = parameters.get("measures");
  const names = asked === undefined ? pinnedFor(name) : namesIn(asked);
  const own = choices.filter((group) => names?.includes(group.name));
  // What was chosen for another run of the name may not be measured in this one.
  const isOwn = asked !== undefined || names?.length === 0 || own.length > 0;
  const drawn = isOwn ? own : byHost.length > 0 ? byHost : groups.slice(0, first);
  const chosen = [...new Set(drawn.map((group) => group.name))];
  const text = namesText(chosen);
  useEffect(() => {
    if (asked === undefined && text !== "") changeParameters({ measures: text }, "replace");
  }, [asked, text]);
  const shown = withTags(drawn, parameters.get("tags"));
  const areDistinguished = !isPart && (hashes.length > 0 || filter === "");
  const hasCodes =
    areDistinguished && value !== undefined && value.some((each) => each.name === RESPONSES);
  return { groups: choices, chosen, shown, tags: tagsOf(drawn), phases, hasCodes };
}

/** The chosen measures of each test name, stored in this browser. */

const KEY = "tachograph-measures";
/** The least recently chosen are forgotten. */
const NAMES_MAX = 100;

/** The charts last chosen for load tests of this name; an empty choice counts, too. */
function pinnedFor(name: string): readonly string[] | undefined {
  return new Map(all()).get(name);
}

export function pin(name: string, measures: readonly string[]): void {
  const others = all().filter(([each]) => each !== name);
  const kept = [[name, measures], ...others];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept.slice(0, NAMES_MAX)));
  } catch {
    // Without storage the choice lasts as long as the URL.
  }
}

type Pinned = readonly [name: string, measures: readonly string[]];

function all(): readonly Pinned[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPinned) : [];
  } catch {
    return [];
  }
}

function isPinned(entry: unknown): entry is Pinned {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  return Array.isArray(entry[1]) && entry[1].every((each) => typeof each === "string");
}
