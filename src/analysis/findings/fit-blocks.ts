/** How well what was measured in blocks of time is told by two levels, and how by a rise. */

/** Something by request, such as a share or an average. */
export interface Block {
  /** Middle of its time, in seconds from anywhere. */
  readonly second: number;
  readonly value: number;
  /** At least 1. */
  readonly requests: number;
}

/** The average of blocks, each by its requests. */
export function averageOf(blocks: readonly Block[]): number {
  const requests = sum(blocks, (each) => each.requests);
  return sum(blocks, (each) => each.requests * each.value) / requests;
}

/** Of the average, told by how much the blocks differ; infinite where there is one, which tells nothing of that. */
export function varianceOfAverage(blocks: readonly Block[]): number {
  if (blocks.length < 2) return Infinity;
  const requests = sum(blocks, (each) => each.requests);
  const average = averageOf(blocks);
  const squares = sum(blocks, (each) => (each.requests * (each.value - average)) ** 2);
  return (squares / requests ** 2) * (blocks.length / (blocks.length - 1));
}

/** The squared error that is left when each side has its own level. */
export function errorOfLevels(before: readonly Block[], after: readonly Block[]): number {
  const [low, high] = [averageOf(before), averageOf(after)];
  return errorOf(before, () => low) + errorOf(after, () => high);
}

/**
 * The squared error that is left when values rise (or fall) evenly from so many seconds before a moment
 * until so many after it, and are level before and after that.
 */
export function errorOfRise(blocks: readonly Block[], at: number, halfSeconds: number): number {
  const risen = ({ second }: Block) => Math.min(halfSeconds, Math.max(-halfSeconds, second - at));
  const requests = sum(blocks, (each) => each.requests);
  const middle = sum(blocks, (each) => each.requests * risen(each)) / requests;
  const average = averageOf(blocks);
  const spread = sum(blocks, (each) => each.requests * (risen(each) - middle) ** 2);
  const slope =
    sum(blocks, (each) => each.requests * (risen(each) - middle) * (each.value - average)) / spread;
  return errorOf(blocks, (each) => average + slope * (risen(each) - middle));
}

function errorOf(blocks: readonly Block[], expected: (block: Block) => number): number {
  return sum(blocks, (each) => each.requests * (each.value - expected(each)) ** 2);
}

function sum(blocks: readonly Block[], valueOf: (block: Block) => number): number {
  return blocks.reduce((total, each) => total + valueOf(each), 0);
}
