import type { SeriesColumns } from "../../model/data-points.ts";
import { type BlockPlan, CompareBlocks, planBlocks, type Span } from "./compare-blocks.ts";

/** Sums of an endpoint of one side, in blocks of its own and in those of whole load tests. */
export class EndpointSums {
  readonly own = new CompareBlocks();
  /** Sums in other blocks; the first `#usedCount` belong to this endpoint. */
  readonly #others: CompareBlocks[] = [];
  #usedCount = 0;
  #columns: SeriesColumns | undefined;

  /** Starts an endpoint; `undefined` if this side does not have it. Keeps using the columns until the next call. */
  begin(columns: SeriesColumns | undefined, span: Span | undefined): void {
    this.#columns = columns;
    this.#usedCount = 0;
    this.own.begin(span && planBlocks(span));
    if (columns !== undefined) this.own.add(columns);
  }

  /** In the blocks of a plan. */
  in(plan: BlockPlan | undefined): CompareBlocks {
    const known = [this.own, ...this.#others.slice(0, this.#usedCount)];
    return known.find((each) => areAlike(each.plan, plan)) ?? this.#add(plan);
  }

  #add(plan: BlockPlan | undefined): CompareBlocks {
    const blocks = this.#others[this.#usedCount] ?? new CompareBlocks();
    this.#others[this.#usedCount] = blocks;
    this.#usedCount += 1;
    blocks.begin(plan);
    if (this.#columns !== undefined) blocks.add(this.#columns);
    return blocks;
  }
}

function areAlike(one: BlockPlan | undefined, other: BlockPlan | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.from === other.from &&
    one.blocks === other.blocks &&
    one.blockSeconds === other.blockSeconds
  );
}
