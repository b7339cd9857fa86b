import { badParameter } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { listLoadTests } from "./list-load-tests.ts";
import { type LocationOptions, openApi } from "./opened-store.ts";

/** Ids of a run of the base and of what is checked. */
export interface PairOfIds {
  readonly base: string;
  readonly id: string;
}

export interface PairOptions extends LocationOptions {
  /** `BASE:HEAD` each. */
  readonly pairs?: readonly string[];
  readonly pairTags?: string;
}

/** Returns the pairs of flags in their order, or those of two tags in order of start; `undefined` without a flag. Throws `bad-parameter`. */
export async function readPairs(
  options: PairOptions,
  context: CommandContext,
): Promise<readonly PairOfIds[] | undefined> {
  const read = await pairsOf(options, context);
  const ids = read?.flatMap(({ base, id }) => [base, id]) ?? [];
  const again = ids.find((id, at) => ids.indexOf(id) < at);
  if (again !== undefined) {
    throw badParameter(`expected each run in one pair, got "${again}" again`);
  }
  return read;
}

async function pairsOf(
  { pairs, pairTags, ...options }: PairOptions,
  context: CommandContext,
): Promise<readonly PairOfIds[] | undefined> {
  if (pairTags === undefined) return pairs?.map((pair) => splitPair("--pairs", pair));
  if (pairs !== undefined) {
    throw badParameter("expected --pairs or --pair-tags, got both");
  }
  const tags = splitPair("--pair-tags", pairTags);
  await using api = await openApi(options, context);
  const withTag = async (tag: string): Promise<readonly string[]> =>
    (await listLoadTests(api, { tag })).map(({ id }) => id).toReversed();
  const [ofBase, ofHead] = [await withTag(tags.base), await withTag(tags.id)];
  if (ofBase.length === 0 || ofBase.length !== ofHead.length) {
    throw badParameter(
      `--pair-tags: expected as many runs with either tag, got ${ofBase.length} and ${ofHead.length}`,
    );
  }
  return ofBase.map((base, at) => ({ base, id: ofHead[at] ?? "" }));
}

function splitPair(name: string, text: string): PairOfIds {
  const [base = "", id = "", ...more] = text.split(":");
  if (base !== "" && id !== "" && more.length === 0) return { base, id };
  throw badParameter(`${name}: expected BASE:HEAD, got ${JSON.stringify(text.slice(0, 200))}`);
}
