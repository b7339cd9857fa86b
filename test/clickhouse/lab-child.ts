/** Starts a lab, prints what runs in it, and waits until the test ends it. */

import { Lab } from "./lab/lab.ts";

const lab = await Lab.start({ shards: 1, replicas: 1, hasZooKeeper: true });
console.log(JSON.stringify([lab.folder, ...lab.programs.map(({ processId }) => processId)]));
process.stdin.resume();
