import type { UrlGrouping } from "../decode/decoder.ts";
import { LabelGroups } from "../decode/labels/label-groups.ts";
import { compareLabels } from "../model/label.ts";
import type { LoadTests } from "../store/store.ts";
import { type LabelCount, type LabelsQuery, openLabelCounts } from "./list-labels.ts";
import type { Snapshots } from "../series/open-snapshot.ts";

/** Predicts how an import with a grouping would change the labels of a load test. */
export interface SuggestedGroups {
  /** Number of labels before and after. */
  readonly labels: number;
  readonly labelsLeft: number;
  /** Groups of labels that would change, largest first. */
  readonly groups: readonly LabelGroup[];
}

interface LabelGroup {
  /** Resulting label. */
  readonly label: string;
  readonly labels: number;
  readonly requests: number;
  /** The first ones by label. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 3;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Buffers no unchanged labels. Throws `bad-parameter` for an invalid rule, and what `openLabelCounts` throws. */
export async function suggestGroups(
  { loadTests, points }: { readonly loadTests: LoadTests; readonly points: Snapshots },
  query: LabelsQuery,
  grouping: UrlGrouping,
): Promise<SuggestedGroups> {
  const formats = (await loadTests.find(query.loadTestId))?.formats ?? [];
  const isJmeter = formats.some((format) => format.startsWith("jmeter-"));
  const folding = new Folding(new LabelGroups(grouping, isJmeter));
  using counts = await openLabelCounts(points, query);
  for await (const chunk of counts.chunks()) chunk.forEach((count) => folding.fold(count));
  // An unchanged label may be the result of others, which is known only now.
  if (folding.groups.size > 0) {
    for await (const chunk of counts.chunks()) chunk.forEach((count) => folding.join(count));
  }
  const { groups, folded, joined } = folding;
  return {
    labels: counts.labels,
    labelsLeft: counts.labels - folded - joined + groups.size,
    groups: [...groups.values()].toSorted(
      (left, right) =>
        right.labels - left.labels ||
        right.requests - left.requests ||
        compareLabels(left.label, right.label),
    ),
  };
}

/** Collects groups: first all changed labels, then unchanged ones that are the result of others. */
class Folding {
  readonly groups = new Map<string, OpenGroup>();
  /** Changed labels. */
  folded = 0;
  /** Unchanged labels that are the result of others. */
  joined = 0;
  readonly #grouping: LabelGroups;

  constructor(grouping: LabelGroups) {
    this.#grouping = grouping;
  }

  fold(count: LabelCount): void {
    const label = this.#foldedLabel(count);
    if (label === undefined) return;
    const group = this.groups.get(label) ?? { label, labels: 0, requests: 0, examples: [] };
    this.groups.set(label, group);
    add(group, count);
    this.folded += 1;
  }

  join(count: LabelCount): void {
    const group = this.groups.get(count.label);
    if (group === undefined || this.#foldedLabel(count) !== undefined) return;
    add(group, count);
    this.joined += 1;
  }

  #foldedLabel({ label }: LabelCount): string | undefined {
    const bytes = Buffer.from(label);
    if (!this.#grouping.fold(bytes, 0, bytes.length)) return undefined;
    const { folded } = this.#grouping;
    return utf8.decode(folded.bytes.subarray(0, folded.length));
  }
}

type OpenGroup = { -readonly [Member in keyof LabelGroup]: LabelGroup[Member] };

function add(group: OpenGroup, { label, requests }: LabelCount): void {
  group.labels += 1;
  group.requests += requests;
  const last = group.examples.at(EXAMPLES_MAX - 1);
  if (last !== undefined && compareLabels(last, label) <= 0) return;
  group.examples = [...group.examples, label].toSorted(compareLabels).slice(0, EXAMPLES_MAX);
}
