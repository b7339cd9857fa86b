/** Candidates take turns, so that what else goes on at the machine meets all of them alike. */

import { loadAverage } from "./machine.ts";
import type { BenchContext, Candidate, Measured, OpenCandidate, Scenario } from "./scenario.ts";

/** What was measured, and the work of others meanwhile. */
interface Round extends Measured {
  readonly load: number;
}

/** What became of a candidate: its rounds, or why there are none. */
export interface CandidateRounds {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** Names and versions of the peers that it is made of. */
  readonly peers: readonly string[];
  /** Why it was not measured, or not to the end. */
  readonly trouble?: string;
}

export interface RoundsRequest {
  readonly roundCount: number;
  /** Rounds of earlier runs, which these are added to. */
  readonly kept: readonly CandidateRounds[];
}

export async function runRounds(
  scenario: Scenario,
  { roundCount, kept }: RoundsRequest,
  context: BenchContext,
): Promise<readonly CandidateRounds[]> {
  const turns: Turn[] = [];
  try {
    for (const candidate of await scenario.candidates(context)) {
      const earlier = kept.find(({ name }) => name === candidate.name)?.rounds ?? [];
      turns.push(await openTurn(candidate, earlier, context));
    }
    for (let round = 0; round < roundCount * (scenario.turns ?? 1); round++) {
      for (const turn of turns) await takeTurn(turn, context);
    }
  } finally {
    for (const { opened } of turns) await opened?.close?.();
  }
  return turns.map(({ candidate, measured, trouble }) => {
    const peers = (candidate.needs ?? []).map(({ name, version }) => `${name} ${version}`);
    const { name } = candidate;
    return { name, rounds: measured, peers, ...(trouble === undefined ? {} : { trouble }) };
  });
}

interface Turn {
  readonly candidate: Candidate;
  readonly measured: Round[];
  opened: OpenCandidate | undefined;
  trouble: string | undefined;
}

async function openTurn(
  candidate: Candidate,
  earlier: readonly Round[],
  { log }: BenchContext,
): Promise<Turn> {
  const measured = [...earlier];
  const turn: Turn = { candidate, measured, opened: undefined, trouble: undefined };
  if (isDone(turn)) return turn;
  for (const peer of candidate.needs ?? []) {
    const outcome = peer.find();
    if (!outcome.isFound) turn.trouble = `${outcome.reason} (\`npm run task bench:install\`)`;
  }
  if (turn.trouble !== undefined) {
    log(`${candidate.name}: ${turn.trouble}`);
    return turn;
  }
  try {
    turn.opened = await candidate.open();
  } catch (error) {
    turn.trouble = troubleOf(error);
    log(`${candidate.name}: ${turn.trouble}`);
  }
  return turn;
}

function isDone({ candidate, measured }: Turn): boolean {
  return measured.length >= (candidate.roundsMax ?? Infinity);
}

async function takeTurn(turn: Turn, { log }: BenchContext): Promise<void> {
  const { candidate, opened, measured } = turn;
  if (opened === undefined || turn.trouble !== undefined || isDone(turn)) return;
  const round = measured.length;
  try {
    const outcome = await opened.measure(round);
    measured.push({ ...outcome, load: loadAverage() });
    const figures = Object.entries(outcome.figures).map(
      ([key, value]) => `${key} ${Number(value.toPrecision(4))}`,
    );
    log(`${round + 1}. ${candidate.name}: ${figures.join(", ")}`);
  } catch (error) {
    turn.trouble = troubleOf(error);
    log(`${round + 1}. ${candidate.name}: ${turn.trouble}`);
  }
}

function troubleOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `failed: ${message.split("\n").join(" ").slice(0, 300)}`;
}
