/**
 * A change within a load test that lasts: from some place on, or from one place to another, the
 * blocks of time lie on another level. What noise is left between blocks is then what differs on
 * either level; the change itself is none.
 */

/** Blocks from `from` to before `until` lie on one level, all others on another. */
export interface LastingChange {
  readonly from: number;
  readonly until: number;
}

/** In fewer blocks drifts look like levels by chance too often. */
const BLOCKS_MIN = 20;
/**
 * Share of all that differs between blocks which two levels have to explain. Of 30 blocks that are
 * alike by 0.8 from each to the next, as in a slow drift, two of a hundred are explained so well by chance.
 */
const EXPLAINED_MIN = 0.8;

/**
 * The two levels that explain nearly all that differs between these values, if there are such, each
 * of `levelBlocks` blocks or more.
 */
export function lastingChangeOf(
  values: Float64Array,
  levelBlocks: number,
): LastingChange | undefined {
  const blocks = values.length;
  if (blocks < BLOCKS_MIN) return undefined;
  const average = values.reduce((sum, value) => sum + value, 0) / blocks;
  const sums = sumsOf(values, average);
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  let most = EXPLAINED_MIN * squares;
  let found: LastingChange | undefined;
  for (let from = 0; from <= blocks - levelBlocks; from++) {
    for (let until = from + levelBlocks; until <= blocks; until++) {
      const inside = until - from;
      if (blocks - inside < levelBlocks) continue;
      const sum = (sums[until] as number) - (sums[from] as number);
      const explained = sum ** 2 * (1 / inside + 1 / (blocks - inside));
      if (explained <= most) continue;
      most = explained;
      found = { from, until };
    }
  }
  return found;
}

/** The values without the average of the level that each of them is on. */
export function withoutLevels(values: Float64Array, { from, until }: LastingChange): Float64Array {
  const isInside = (block: number): boolean => block >= from && block < until;
  const inside = averageOf(values.filter((_, block) => isInside(block)));
  const outside = averageOf(values.filter((_, block) => !isInside(block)));
  return values.map((value, block) => value - (isInside(block) ? inside : outside));
}

/** Of the first n values less the average, for n from 0 to all. */
function sumsOf(values: Float64Array, average: number): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) {
    sums[index + 1] = (sums[index] as number) + value - average;
  }
  return sums;
}

function averageOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
