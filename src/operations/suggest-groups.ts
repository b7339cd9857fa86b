import type { UrlGrouping } from "../decode/decoder.ts";
import { LabelGroups } from "../decode/label-groups.ts";
import type { LoadTests } from "../store/store.ts";
import { type LabelsQuery, readLabelCounts } from "./list-labels.ts";
import type { Snapshots } from "./open-snapshot.ts";

/** What an import with a grouping would make of the labels that a load test has. */
export interface SuggestedGroups {
  /** Labels that it has now, and that it would have. */
  readonly labels: number;
  readonly labelsLeft: number;
  /** Groups of labels that would be another one, with the most labels first. */
  readonly groups: readonly LabelGroup[];
}

interface LabelGroup {
  /** What they become. */
  readonly label: string;
  /** How many it is made of. */
  readonly labels: number;
  readonly requests: number;
  /** The first of them, by label. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 3;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Throws `bad-parameter` for a rule that is none, and what `readLabelCounts` throws. */
export async function suggestGroups(
  { loadTests, points }: { readonly loadTests: LoadTests; readonly points: Snapshots },
  query: LabelsQuery,
  grouping: UrlGrouping,
): Promise<SuggestedGroups> {
  const formats = (await loadTests.find(query.loadTestId))?.formats ?? [];
  const groups = new LabelGroups(
    grouping,
    formats.some((format) => format.startsWith("jmeter-")),
  );
  const found = new Map<string, OpenGroup>();
  let labels = 0;
  for await (const { label, requests } of readLabelCounts(points, query)) {
    labels += 1;
    const bytes = Buffer.from(label);
    const isFolded = groups.fold(bytes, 0, bytes.length);
    const { folded } = groups;
    const name = isFolded ? utf8.decode(folded.bytes.subarray(0, folded.length)) : label;
    const group = found.get(name) ?? { labels: 0, requests: 0, isFolded: false, examples: [] };
    group.labels += 1;
    group.requests += requests;
    group.isFolded ||= isFolded;
    if (group.examples.length < EXAMPLES_MAX) group.examples.push(label);
    found.set(name, group);
  }
  const made = [...found].filter(([, { isFolded }]) => isFolded);
  return {
    labels,
    labelsLeft: found.size,
    groups: made
      .map(([label, group]) => ({
        label,
        labels: group.labels,
        requests: group.requests,
        examples: group.examples,
      }))
      .toSorted((left, right) => right.labels - left.labels || right.requests - left.requests),
  };
}

interface OpenGroup {
  labels: number;
  requests: number;
  isFolded: boolean;
  readonly examples: string[];
}
