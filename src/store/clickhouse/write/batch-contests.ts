/**
 * Prevents two processes from acknowledging different contents under one number. A process that alone has
 * written to a source stores its batches immediately and checks afterwards whether another one claims their
 * numbers; any other process claims the number first (`claims.ts`).
 */

import { UserError } from "../../../model/errors.ts";
import { sequenceReused } from "../../refusals.ts";
import { type Claims, type FindTaken, subjectOf } from "../catalogue/claims.ts";
import type { Contents } from "./contents.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { preferenceOf } from "../catalogue/attributes.ts";
import type { Replicas } from "../cluster/replicas.ts";
import { batchKey, digestsIn, digestsQuery } from "./stored-digests.ts";
import type { PointBatch } from "../../store.ts";

/** A batch number and the contents that it has, or will have. */
export interface ContestedBatch {
  readonly shardKey: ShardKey;
  readonly batch: PointBatch;
  readonly contents: Contents;
  readonly source: bigint;
  /** "claim": before it is stored. "confirm": after it is stored. "settled": neither is needed. */
  readonly contest: "claim" | "confirm" | "settled";
}

export type Refused = Map<string, "other contents" | "undecided">;

export class BatchContests {
  readonly #replicas: Replicas;
  readonly #claims: Claims;

  constructor(replicas: Replicas, claims: Claims) {
    this.#replicas = replicas;
    this.#claims = claims;
  }

  /** Claims or confirms the numbers of batches. Returns those whose number another process has, or may have. */
  async decide(contest: "claim" | "confirm", batches: readonly ContestedBatch[]): Promise<Refused> {
    const wanted = new Map(
      batches.filter((each) => each.contest === contest).map((each) => [subjectIn(each), each]),
    );
    if (wanted.size === 0) return new Map();
    const claims = [...wanted].map(([subject, { contents }]) => ({
      subject,
      choice: contents.digest,
    }));
    const { lost, undecided } = await this.#claims[contest](claims, this.#findTaken(wanted));
    const refused: Refused = new Map();
    for (const [subject, each] of wanted) {
      if (lost.has(subject)) refused.set(contestKey(each), "other contents");
      if (undecided.has(subject)) refused.set(contestKey(each), "undecided");
    }
    return refused;
  }

  /** Queries all replicas: one of them has what was acknowledged. */
  #findTaken(wanted: ReadonlyMap<bigint, ContestedBatch>): FindTaken {
    return async (subjects) => {
      const asked = subjects.map((subject) => wanted.get(subject) as ContestedBatch);
      const identities = asked.map(({ shardKey, source, batch }) => {
        return { shardKey, source, sequence: batch.sequence };
      });
      const query = digestsQuery(this.#replicas.settings.database, identities);
      const preference = preferenceOf(asked[0]?.shardKey);
      const answers = await this.#replicas.readEach(query, { preference });
      const digests = digestsIn(answers.flatMap(({ blocks }) => blocks));
      const isTaken = (subject: bigint, at: number): boolean => {
        const stored = digests.get(contestKey(asked[at] as ContestedBatch));
        return stored !== undefined && stored.digest !== wanted.get(subject)?.contents.digest;
      };
      return new Set(subjects.filter(isTaken));
    };
  }
}

export function contestKey({ shardKey, source, batch }: Omit<ContestedBatch, "contest">): string {
  return batchKey(shardKey.loadTestId, source, batch.sequence);
}

export function refusalOf(batch: PointBatch, why: "other contents" | "undecided"): UserError {
  if (why === "other contents") return sequenceReused(batch);
  return new UserError(
    "store-behind",
    `cannot store batch ${batch.sequence} of source "${batch.sourceId}" now: another process is ` +
      `storing other contents under this number; send it again later`,
  );
}

function subjectIn({ shardKey, source, batch }: ContestedBatch): bigint {
  const { loadTestId, incarnation } = shardKey;
  return subjectOf("batch", loadTestId, ...[incarnation, source, batch.sequence].map(String));
}
