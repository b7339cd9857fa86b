/**
 * Resolves conflicts between processes that write different values for one name concurrently, such as two
 * load tests with one id. No server offers compare-and-set, so each process writes a claim first and then
 * reads the claims of the others. It wins if no other claim differs, or if all that do are withdrawn. Of two
 * claims that see each other, the later one is withdrawn. A process acts on a claim only after it has won,
 * and never withdraws a won claim. So two choices never both win, as long as reads see all earlier writes and
 * no process takes minutes to act.
 */

import { createHash, randomBytes } from "node:crypto";
import type { Cluster } from "../cluster/cluster.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";
import { integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";

/** The name that is claimed, and the value. Equal values do not conflict. */
export interface Claim {
  /** From `subjectOf`. */
  readonly subject: bigint;
  readonly choice: bigint;
}

/** Returns the subjects that already have another value, whichever process wrote it. */
export type FindTaken = (undecided: readonly bigint[]) => Promise<ReadonlySet<bigint>>;

interface StoredClaim extends Claim {
  readonly claimant: bigint;
  readonly isWithdrawn: boolean;
  readonly claimedAtMs: number;
}

/** Longer than the time from a claim to the write, and than the clock skew. */
const LIVE_MS = 5 * 60_000;

/** How long a process waits for others to withdraw. */
const PATIENCE_MS = 5000;
const STEP_MS = 10;

const WITHDRAWN = 1;

export class Claims {
  readonly #table: EverywhereTable;
  readonly #waiting: Waiting;
  readonly #nowMs: () => number;

  constructor(cluster: Cluster, { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number }) {
    this.#table = new EverywhereTable(cluster, "claims", waiting);
    this.#waiting = waiting;
    this.#nowMs = nowMs;
  }

  /**
   * Claims distinct subjects. Returns the lost ones; all others are won and must be written within a minute.
   */
  async claim(claims: readonly Claim[], findTaken: FindTaken): Promise<NotWon> {
    const claimant = randomBytes(8).readBigUInt64BE(0);
    await this.#write(claims, claimant, 0);
    const notWon = await this.#decide(claims, findTaken, CLAIMING);
    const { lost, undecided } = notWon;
    const withdrawn = claims.filter(({ subject }) => lost.has(subject) || undecided.has(subject));
    if (withdrawn.length > 0) await this.#write(withdrawn, claimant, WITHDRAWN);
    return notWon;
  }

  /** The same for values already written without a claim. */
  confirm(claims: readonly Claim[], findTaken: FindTaken): Promise<NotWon> {
    return this.#decide(claims, findTaken, CONFIRMING);
  }

  async #decide(claims: readonly Claim[], findTaken: FindTaken, rule: Rule): Promise<NotWon> {
    const lost = new Set<bigint>();
    const giveUpMs = this.#waiting.clockMs() + PATIENCE_MS;
    let open = claims;
    for (;;) {
      const stored = await this.#read(open);
      const verdicts = new Map(open.map((claim) => [claim, verdictOf(claim, stored, rule)]));
      const looked = open.filter((claim) => rule.looked.includes(verdicts.get(claim) ?? "open"));
      // Read after the claims, to find what their owners wrote before.
      const taken = looked.length === 0 ? NONE : await findTaken(looked.map(subjectIn));
      open = open.filter((claim) => {
        const verdict = taken.has(claim.subject) ? "lost" : verdicts.get(claim);
        if (verdict === "lost") lost.add(claim.subject);
        return verdict === "open";
      });
      if (open.length === 0 || this.#waiting.clockMs() > giveUpMs) break;
      await this.#waiting.wait(STEP_MS);
    }
    return { lost, undecided: new Set(open.map(subjectIn)) };
  }

  async #read(claims: readonly Claim[]): Promise<ReadonlyMap<bigint, readonly StoredClaim[]>> {
    if (claims.length === 0) return new Map();
    const live = integerLiteral(Math.max(0, Math.floor(this.#nowMs()) - LIVE_MS));
    const blocks = await this.#table.read(
      "subject, claimant, version, choice, claimed_at_ms",
      `subject IN (${listOf(claims)}) AND claimed_at_ms >= ${live}`,
    );
    return Map.groupBy(newestOf(blocks.flatMap(claimsIn)), subjectIn);
  }

  async #write(claims: readonly Claim[], claimant: bigint, version: number): Promise<void> {
    const block = new NativeBlockWriter();
    const count = claims.length;
    block.unsigned64("subject").appendBigints(BigUint64Array.from(claims, subjectIn));
    block.unsigned64("claimant").repeat(claimant, count);
    block.unsigned64("version").repeat(version, count);
    const choices = BigUint64Array.from(claims, ({ choice }) => choice);
    block.unsigned64("choice").appendBigints(choices);
    block.unsigned64("claimed_at_ms").repeat(Math.floor(this.#nowMs()), count);
    const isKey = `claimant = ${unsigned64Literal(claimant)} AND subject IN (${listOf(claims)})`;
    await this.#table.write(block.finish(), [{ isKey, version, count }]);
  }
}

/** Subjects lost to another value, and undecided ones. */
interface NotWon {
  readonly lost: ReadonlySet<bigint>;
  readonly undecided: ReadonlySet<bigint>;
}

/** Identifies a subject in all processes. */
export function subjectOf(kind: "batch" | "load test" | "replaced", ...names: string[]): bigint {
  const text = JSON.stringify([kind, ...names]);
  return createHash("sha256").update(text).digest().readBigUInt64BE(0);
}

type Verdict = "won" | "lost" | "open";

interface Rule {
  /** Outcome of a claim while others differ. */
  readonly contest: (
    allies: readonly StoredClaim[],
    rivals: readonly StoredClaim[],
  ) => "lost" | "open";
  /** Outcomes that hold only if no other value is stored yet. */
  readonly looked: readonly Verdict[];
}

const CLAIMING: Rule = { contest: byTime, looked: ["won", "open"] };

/** Later claims will find this one, so stored values are read only if others claim. */
const CONFIRMING: Rule = { contest: () => "open", looked: ["open"] };

const NONE: ReadonlySet<bigint> = new Set();

function verdictOf(
  { subject, choice }: Claim,
  stored: ReadonlyMap<bigint, readonly StoredClaim[]>,
  { contest }: Rule,
): Verdict {
  const live = (stored.get(subject) ?? []).filter(({ isWithdrawn }) => !isWithdrawn);
  const rivals = live.filter((each) => each.choice !== choice);
  if (rivals.length === 0) return "won";
  return contest(
    live.filter((each) => each.choice === choice),
    rivals,
  );
}

/** The first claimant waits for others to withdraw; they may have won before. */
function byTime(allies: readonly StoredClaim[], rivals: readonly StoredClaim[]): "lost" | "open" {
  const first = [...allies, ...rivals].toSorted(
    (left, right) =>
      left.claimedAtMs - right.claimedAtMs || (left.claimant < right.claimant ? -1 : 1),
  )[0];
  return first !== undefined && allies.includes(first) ? "open" : "lost";
}

function subjectIn({ subject }: Claim): bigint {
  return subject;
}

function listOf(claims: readonly Claim[]): string {
  return claims.map(({ subject }) => unsigned64Literal(subject)).join(",");
}

function claimsIn(block: NativeBlock): StoredClaim[] {
  const [claimants, choices] = [block.bigints("claimant"), block.bigints("choice")];
  const [versions, times] = [block.numbers("version"), block.numbers("claimed_at_ms")];
  return Array.from(block.bigints("subject"), (subject, row) => ({
    subject,
    claimant: claimants[row] as bigint,
    choice: choices[row] as bigint,
    isWithdrawn: versions[row] === WITHDRAWN,
    claimedAtMs: times[row] as number,
  }));
}

/** If servers disagree about a claim, it counts as withdrawn. */
function newestOf(claims: readonly StoredClaim[]): StoredClaim[] {
  const newest = new Map<string, StoredClaim>();
  for (const claim of claims) {
    const key = `${claim.subject} ${claim.claimant}`;
    if (newest.get(key)?.isWithdrawn !== true) newest.set(key, claim);
  }
  return [...newest.values()];
}
