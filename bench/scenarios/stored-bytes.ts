import { blockBytes, ownBytes } from "../bytes/own-bytes.ts";
import { entropyOf } from "../bytes/entropy.ts";
import { influxDbBytes } from "../bytes/peer-bytes.ts";
import { type PointSet, pointSets, pointsIn } from "../bytes/point-sets.ts";
import type { BenchContext, Candidate, Scenario } from "../frame/scenario.ts";
import { timesLess } from "../frame/targets.ts";
import type { Peer } from "../peers/peer.ts";
import { influxdb } from "../peers/peers.ts";
import { TACHOGRAPH } from "./tachograph.ts";

const OURS = TACHOGRAPH.name;
const APART = "entropy, each column by itself";
const JOINT = "entropy, minimum and maximum with the histogram";
const INFLUXDB = "InfluxDB, compacted";
const SETS = ["dense", "sparse", "fat", "recording"];

export const storedBytes: Scenario = {
  name: "stored-bytes",
  title: "Stored bytes",
  about: `Bytes a data point with everything: seven sums and counts, minimum, maximum, histogram, and what the file needs around
them. dense: 100 endpoints x 3,600 s x 14 requests; sparse: 10,000 endpoints x 60 points of mostly 1 or 2 requests; fat:
10 x 3,600 x 1,000; recording: the demo's, 20 times one after the other with times that differ by up to a tenth. Entropy as
[entropy.ts](bytes/entropy.ts) estimates it, without labels.`,
  columns: SETS.map((key) => ({ key, title: `${key}, bytes a point`, better: "less" as const })),
  targets: SETS.flatMap((column) => [
    timesLess({
      text: `${column}: within 1.25 x of the entropy`,
      ours: OURS,
      peer: APART,
      column,
      unit: "bytes",
      times: 1 / 1.25,
    }),
    timesLess({
      text: `${column}: half of ${INFLUXDB}`,
      ours: OURS,
      peer: INFLUXDB,
      column,
      unit: "bytes",
      times: 2,
    }),
  ]),
  async candidates(context) {
    const sets = await pointSets(context.scratch);
    const candidate = (name: string, count: Count, needs: readonly Peer[] = []): Candidate => ({
      name,
      needs,
      // Sizes are the same every time.
      roundsMax: 1,
      open: () => ({ measure: () => measureAll(sets, count, context) }),
    });
    return [
      candidate(OURS, (set) => ownBytes(set, context.scratch)),
      candidate(`${OURS}, blocks alone`, (set) => blockBytes(set, context.scratch)),
      candidate(APART, (set) => entropyOf(set).apartBytes),
      candidate(JOINT, (set) => entropyOf(set).jointBytes),
      candidate(INFLUXDB, influxDbBytes, [influxdb]),
    ];
  },
};

type Count = (set: PointSet, context: BenchContext) => number | Promise<number>;

async function measureAll(sets: readonly PointSet[], count: Count, context: BenchContext) {
  const figures: Record<string, number> = {};
  for (const set of sets) figures[set.name] = (await count(set, context)) / pointsIn(set);
  return { figures };
}
