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
import { EverywhereTable } from "./everywhere-table.ts";
import { integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import { CLAIMS, type StoredClaim } from "./tables.ts";

/** The name that is claimed, and the value. Equal values do not conflict. */
export interface Claim {
  /** From `subjectOf`. */
  readonly subject: bigint;
  readonly choice: bigint;
}

/** Returns the subjects that already have another value, whichever process wrote it. */
export type FindTaken = (undecided: readonly bigint[]) => Promise<ReadonlySet<bigint>>;

/** Longer than the time from a claim to the write, and than the clock skew. */
const LIVE_MS = 5 * 60_000;

/** How long a process waits for others to withdraw. */
const PATIENCE_MS = 5000;
const STEP_MS = 10;

/** Versions of a claim. If servers disagree about it, it counts as withdrawn. */
const [CLAIMED, WITHDRAWN] = [0, 1];

export class Claims {
  readonly #table: EverywhereTable<StoredClaim>;
  readonly #clock: Cluster["clock"];
  readonly #nowMs: () => number;

  constructor(cluster: Cluster, nowMs: () => number) {
    this.#table = new EverywhereTable(cluster, CLAIMS);
    this.#clock = cluster.clock;
    this.#nowMs = nowMs;
  }

  /** Claims distinct subjects. Returns the lost ones; all others are won and must be written within a minute. */
  async claim(claims: readonly Claim[], findTaken: FindTaken): Promise<NotWon> {
    const claimant = randomBytes(8).readBigUInt64BE(0);
    await this.#write(claims, claimant, CLAIMED);
    const notWon = await this.#decide(claims, findTaken, byTime);
    const { lost, undecided } = notWon;
    const withdrawn = claims.filter(({ subject }) => lost.has(subject) || undecided.has(subject));
    await this.#write(withdrawn, claimant, WITHDRAWN);
    return notWon;
  }

  /** The same for values already written without a claim. */
  confirm(claims: readonly Claim[], findTaken: FindTaken): Promise<NotWon> {
    return this.#decide(claims, findTaken);
  }

  /** Returns the first claim of a subject that is not withdrawn, and the time until none is left. */
  async standing(
    subject: bigint,
  ): Promise<{ readonly choice: bigint; readonly leftMs: number } | undefined> {
    const stored = (await this.#read([{ subject, choice: 0n }])).get(subject) ?? [];
    const live = stored.filter(({ version }) => version === CLAIMED).toSorted(inOrder);
    const [first, last] = [live[0], live.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return { choice: first.choice, leftMs: last.claimedAtMs + LIVE_MS - this.#nowMs() };
  }

  /** Without a `contest`, a claim stays open while others differ. */
  async #decide(
    claims: readonly Claim[],
    findTaken: FindTaken,
    contest?: typeof byTime,
  ): Promise<NotWon> {
    const lost = new Set<bigint>();
    const giveUpMs = this.#clock.clockMs() + PATIENCE_MS;
    let open = claims;
    for (;;) {
      const stored = await this.#read(open);
      const verdicts = new Map(open.map((claim) => [claim, verdictOf(claim, stored, contest)]));
      // Later claims will find a confirmed one, so stored values are read only if others claim.
      const isLooked = (verdict?: Verdict) => verdict === "open" || (contest && verdict === "won");
      const looked = open.filter((claim) => isLooked(verdicts.get(claim)));
      // Read after the claims, to find what their owners wrote before.
      const taken = looked.length === 0 ? NONE : await findTaken(looked.map(subjectIn));
      open = open.filter((claim) => {
        const verdict = taken.has(claim.subject) ? "lost" : verdicts.get(claim);
        if (verdict === "lost") lost.add(claim.subject);
        return verdict === "open";
      });
      if (open.length === 0 || this.#clock.clockMs() > giveUpMs) break;
      await this.#clock.wait(STEP_MS);
    }
    return { lost, undecided: new Set(open.map(subjectIn)) };
  }

  async #read(claims: readonly Claim[]): Promise<ReadonlyMap<bigint, readonly StoredClaim[]>> {
    if (claims.length === 0) return new Map();
    const live = integerLiteral(Math.max(0, Math.floor(this.#nowMs()) - LIVE_MS));
    const subjects = claims.map(({ subject }) => unsigned64Literal(subject)).join(",");
    const isLive = `subject IN (${subjects}) AND claimed_at_ms >= ${live}`;
    return Map.groupBy(await this.#table.read(isLive), subjectIn);
  }

  #write(claims: readonly Claim[], claimant: bigint, version: number): Promise<void> {
    const claimedAtMs = Math.floor(this.#nowMs());
    return this.#table.write(
      claims.map(({ subject, choice }) => ({ subject, claimant, version, choice, claimedAtMs })),
    );
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

const NONE: ReadonlySet<bigint> = new Set();

function verdictOf(
  { subject, choice }: Claim,
  stored: ReadonlyMap<bigint, readonly StoredClaim[]>,
  contest: typeof byTime = () => "open",
): Verdict {
  const live = (stored.get(subject) ?? []).filter(({ version }) => version === CLAIMED);
  const rivals = live.filter((each) => each.choice !== choice);
  if (rivals.length === 0) return "won";
  return contest(
    live.filter((each) => each.choice === choice),
    rivals,
  );
}

/** The first claimant waits for others to withdraw; they may have won before. */
function byTime(allies: readonly StoredClaim[], rivals: readonly StoredClaim[]): "lost" | "open" {
  const [first] = [...allies, ...rivals].toSorted(inOrder);
  return first !== undefined && allies.includes(first) ? "open" : "lost";
}

function inOrder(left: StoredClaim, right: StoredClaim): number {
  return left.claimedAtMs - right.claimedAtMs || (left.claimant < right.claimant ? -1 : 1);
}

function subjectIn({ subject }: Claim): bigint {
  return subject;
}
