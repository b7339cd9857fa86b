import { UserError } from "../model/errors.ts";
import type { DerivedRole } from "../model/role.ts";
import type { EndpointIndex } from "../store/snapshot.ts";
import type { DistributionSum } from "./distribution-sum.ts";
import { type ShownSeries, shownSeries } from "./series-groups.ts";

/** A sum takes 190 kB. */
const PARENTS_MAX = 256;

interface Parent {
  readonly label: string;
  readonly role: "transaction" | undefined;
  readonly sum: DistributionSum;
}

interface Member extends ShownSeries {
  readonly role: DerivedRole | undefined;
}

/**
 * The values of the facet by which endpoints are split: each with the requests that have it, or, if it names a transaction of the
 * run, with what that itself recorded.
 */
export class ParentSums {
  readonly #members: ReadonlyMap<number, Member>;
  readonly #values: ReadonlySet<string>;
  readonly #newSum: () => DistributionSum;
  readonly #requests = new Map<string, DistributionSum>();
  readonly #transactions = new Map<string, DistributionSum>();

  private constructor(
    members: ReadonlyMap<number, Member>,
    values: ReadonlySet<string>,
    newSum: () => DistributionSum,
  ) {
    this.#members = members;
    this.#values = values;
    this.#newSum = newSum;
  }

  /** Of an index that is split by one facet. Throws `too-many-endpoints`. */
  static async of(
    index: EndpointIndex,
    numbers: Uint32Array,
    newSum: () => DistributionSum,
  ): Promise<ParentSums> {
    const members = new Map<number, Member>();
    const values = new Set<string>();
    for await (const endpoints of index.byLabel(numbers)) {
      for (const { number, label, role } of endpoints) {
        const shown = shownSeries(label);
        members.set(number, { ...shown, role });
        if (shown.value !== undefined) values.add(shown.value);
      }
    }
    if (values.size <= PARENTS_MAX) return new ParentSums(members, values, newSum);
    throw new UserError(
      "too-many-endpoints",
      `cannot show ${values.size} values of a facet as a tree: want at most ${PARENTS_MAX}, choose some of them`,
    );
  }

  /** Takes the requests of an endpoint; `isCounted`: they are part of the overall result. */
  take(number: number, sum: DistributionSum, isCounted: boolean): void {
    const { label, value, role } = this.#members.get(number) ?? {};
    const isParent = role === "transaction" && label !== undefined && this.#values.has(label);
    if (isParent) this.#in(this.#transactions, label).merge(sum);
    // A transaction may hold others alone.
    const parent = value === undefined ? undefined : this.#in(this.#requests, value);
    if (isCounted) parent?.merge(sum);
  }

  #in(sums: Map<string, DistributionSum>, name: string): DistributionSum {
    const sum = sums.get(name) ?? this.#newSum();
    sums.set(name, sum);
    return sum;
  }

  parentOf(number: number): string | undefined {
    return this.#members.get(number)?.value;
  }

  /** Whether an endpoint is shown as a parent, and not within another. */
  isParent(number: number): boolean {
    const { label, value, role } = this.#members.get(number) ?? {};
    const isTop = value === undefined && role === "transaction";
    return isTop && label !== undefined && this.#requests.has(label);
  }

  /** Unordered. */
  all(): readonly Parent[] {
    return Array.from(this.#requests, ([label, requests]) => {
      const own = this.#transactions.get(label);
      return { label, role: own && "transaction", sum: own ?? requests };
    });
  }
}
