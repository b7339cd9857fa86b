/**
 * Gets the peers of the benchmark, all of them or those that are named, into its cache:
 *
 *     npm run task bench:install [-- duckdb questdb]
 *
 * One that cannot be had does not keep the others out; the exit code tells.
 */

import { PEERS } from "./peers/peers.ts";

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());

for (const peer of PEERS) {
  if (wanted.length > 0 && !wanted.includes(peer.name.toLowerCase())) continue;
  if (peer.find().isFound) {
    console.log(`${peer.name}: is there`);
    continue;
  }
  try {
    peer.install();
    const outcome = peer.find();
    console.log(`${peer.name}: ${outcome.isFound ? "installed" : outcome.reason}`);
    if (!outcome.isFound) process.exitCode = 1;
  } catch (error) {
    console.error(`${peer.name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
