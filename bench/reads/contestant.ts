/** A server that answers with the metrics of a dense load test. */

import { DENSE, labelsOf } from "./dense.ts";
import { requireDense, type FoundCells } from "./same-numbers.ts";
import { processorSeconds } from "../frame/child.ts";
import { median } from "../frame/statistics.ts";
import { bodyOf, type Question, type Timed, timedRequest } from "./timed-request.ts";
import type { Measured, OpenCandidate } from "../frame/scenario.ts";
import type { Delays } from "./probe-child.ts";

export type Format = "csv" | "xy" | "default";

export interface Contestant {
  readonly name: string;
  readonly formats: readonly Format[];
  /** What is asked for the load test with this number. */
  question(loadTest: number, format: Format): Question;
  /** How many load tests there are to ask for. */
  readonly loadTests: number;
  /** The cells of its answer in `csv`, or what it has in that place; `labels` by endpoint. */
  cells(body: Buffer, labels: readonly string[]): FoundCells;
  /** Digests of the bytes of its answers, where they are to be those of the others. */
  digests?(bodies: ReadonlyMap<Format, Buffer>): Readonly<Record<string, string>>;
  delays?(): Promise<Delays>;
  /** The server, where its processor time is measured. */
  readonly processId?: number;
  stop(): Promise<void>;
}

/** Answers of other load tests before anything is measured: a server that runs has compiled its code. */
const WARM_ROUNDS = 3;

/** Of each format in a round. */
const QUESTIONS = 3;

/** Compares one answer of each format, warms up, and measures a round: each format once. */
export async function openContestant(contestant: Contestant): Promise<OpenCandidate> {
  const { formats, loadTests } = contestant;
  // Every question is about the next load test, so that no answer is there already.
  let asked = 0;
  const next = (format: Format): Question => contestant.question(asked++ % loadTests, format);
  try {
    const bodies = new Map<Format, Buffer>();
    for (const format of formats) bodies.set(format, await bodyOf(next(format)));
    requireDense(
      contestant.cells(bodies.get("csv") ?? Buffer.alloc(0), labelsOf(DENSE)),
      contestant.name,
    );
    const results = contestant.digests?.(bodies) ?? {};
    for (let round = 0; round < WARM_ROUNDS; round++) {
      for (const format of formats) await timedRequest(next(format));
    }
    return {
      measure: async () => ({ ...(await measureRound(contestant, next)), results }),
      close: () => contestant.stop(),
    };
  } catch (error) {
    await contestant.stop();
    throw error;
  }
}

async function measureRound(
  contestant: Contestant,
  next: (format: Format) => Question,
): Promise<Measured> {
  const figures: Record<string, number> = {};
  await contestant.delays?.();
  const { processId } = contestant;
  for (const format of contestant.formats) {
    const earlierSeconds = processId === undefined ? 0 : processorSeconds(processId);
    const answers: Timed[] = [];
    for (let question = 0; question < QUESTIONS; question++) {
      answers.push(await timedRequest(next(format)));
    }
    figures[format] = median(answers.map(({ wholeMs }) => wholeMs));
    const firstByteMs = Math.max(...answers.map((answer) => answer.firstByteMs));
    figures["firstByte"] = Math.max(figures["firstByte"] ?? 0, firstByteMs);
    if (processId === undefined) continue;
    const taken = processorSeconds(processId) - earlierSeconds;
    figures[`${format}Processor`] = (1000 * taken) / QUESTIONS;
  }
  const delays = await contestant.delays?.();
  if (delays !== undefined) figures["delay"] = delays.p99Ms;
  return { figures };
}
