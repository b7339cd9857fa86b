/**
 * Bytes per point and times of the block codec, on seeded points cut into blocks of 16 endpoints.
 * Run it with `npm run task bench:block`.
 */

import type { DataPoints } from "../src/model/data-points.ts";
import { type Block, decodeBlock, encodeBlock } from "../src/store/block/block.ts";
import { openPlain } from "../src/store/block/plain-segment.ts";
import { densePoints } from "../test/support/dense-points.ts";

const BLOCK_ENDPOINTS = 16;
const TEST_SECONDS = 3600;
const ROUNDS = 7;

interface Shape {
  readonly endpoints: number;
  readonly requestsPerPoint: number;
  readonly blockSeconds: number;
}

measure("dense, 300 s", { endpoints: 100, requestsPerPoint: 14, blockSeconds: 300 });
measure("dense, 900 s", { endpoints: 100, requestsPerPoint: 14, blockSeconds: 900 });
measure("dense, 3600 s", { endpoints: 100, requestsPerPoint: 14, blockSeconds: 3600 });
measure("sparse, 900 s", { endpoints: 100, requestsPerPoint: 0.1, blockSeconds: 900 });
measure("fat, 900 s", { endpoints: 10, requestsPerPoint: 1000, blockSeconds: 900 });
measure("one second", { endpoints: 1600, requestsPerPoint: 14, blockSeconds: 1 }, 60);

function measure(name: string, shape: Shape, seconds = TEST_SECONDS): void {
  const parts = cut(shape, seconds);
  const blocks = parts.map((part) => encodeBlock(part));
  const points = parts.reduce((sum, part) => sum + part.second.length, 0);
  const perPoint = (segment: keyof Block) =>
    (blocks.reduce((sum, block) => sum + block[segment].length, 0) / points).toFixed(2);
  console.log(`${name}: ${points} points in ${blocks.length} blocks`);
  console.log(`  plain ${perPoint("plain")} B/point, distribution ${perPoint("distribution")}`);
  console.log(`  encode ${medianMs(() => parts.map((part) => encodeBlock(part)))} ms`);
  console.log(`  decode plain ${medianMs(() => blocks.map((block) => decodePlain(block)))} ms`);
  console.log(`  decode all ${medianMs(() => blocks.map((block) => decodeBlock(block)))} ms`);
}

function cut(shape: Shape, seconds: number): DataPoints[] {
  const parts: DataPoints[] = [];
  // A block of one second is what a live sender gives: all of its endpoints mixed.
  const endpointsEach = shape.blockSeconds === 1 ? shape.endpoints : BLOCK_ENDPOINTS;
  for (let first = 0; first < shape.endpoints; first += endpointsEach) {
    for (let second = 0; second < seconds; second += shape.blockSeconds) {
      const endpoints = Math.min(endpointsEach, shape.endpoints - first);
      const part = { ...shape, endpoints, seconds: shape.blockSeconds };
      const firstSecond = 1_790_000_000 + second;
      parts.push(densePoints({ ...part, firstSecond }, first * 10_000 + second));
    }
  }
  return parts;
}

function decodePlain(block: Block): number {
  const plain = openPlain(block.plain);
  const columns = plain.directory.sections.map((section) => plain.section(section));
  return columns.reduce((sum, { second }) => sum + second.length, 0);
}

function medianMs(work: () => unknown): string {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return (times.toSorted((left, right) => left - right)[ROUNDS >> 1] as number).toFixed(1);
}
