import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { IN_ALL_LABELS, resultFile, upload } from "../around/result-file.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 40_000;

export const killUpload: Fault = {
  id: "C1b",
  title:
    "The server is killed while a file is uploaded: nothing or all of it is visible, and the same upload again gives what an undisturbed one gives.",
  rounds: { fast: 4, nightly: 50, release: 200 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, ROWS);
    await using server = await ServedStore.startIn(folder);
    const beganAtMs = performance.now();
    assert.equal(await upload(server, file, "undisturbed"), 201);
    const undisturbedMs = performance.now() - beganAtMs;
    const undisturbed = await answers(server, "undisturbed");
    assert.ok(undisturbed[0] !== undefined && undisturbed[0].length > 1_000_000);

    let [unanswered, wasThere] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const id = `killed-${round}`;
      const uploading = upload(server, file, id).catch(() => undefined);
      await setTimeout((undisturbedMs * (round + random())) / rounds);
      await server.kill();
      const status = await uploading;
      if (status === undefined) unanswered += 1;
      await server.start();
      const isThere = await isWholeOrAbsent(server, id, undisturbed);
      assert.ok(isThere || status === undefined, "what was acknowledged is lost");
      if (isThere && status === undefined) wasThere += 1;
      assert.equal(await upload(server, file, id), isThere ? 200 : 201);
      assert.deepEqual(await answers(server, id), undisturbed);
      await server.fetch(`/Api/LoadTests/${id}`, { method: "DELETE" });
      log(`${round + 1} of ${rounds}`);
    }
    return {
      kills: rounds,
      "before the answer": unanswered,
      "of them stored": wasThere,
      "lost, doubled or partial": 0,
    };
  },
};

/** What readers see of it: each number by second, percentiles, failures. */
async function answers(server: ServedStore, id: string): Promise<string[]> {
  return [
    await server.text(`/Api/Metrics?loadTestId=${id}&filter=${IN_ALL_LABELS}&format=csv`),
    await server.text(`/Api/LoadTests/${id}/Summary`),
    await server.text(`/Api/LoadTests/${id}/Failures?series=true`),
  ];
}

async function isWholeOrAbsent(
  server: ServedStore,
  id: string,
  undisturbed: readonly string[],
): Promise<boolean> {
  const query = `loadTestId=${id}&filter=${IN_ALL_LABELS}&format=csv`;
  const answer = await server.fetch(`/Api/Metrics?${query}`);
  const text = await answer.text();
  if (answer.status === 404 || text === "[]") return false;
  assert.deepEqual(await answers(server, id), undisturbed);
  return true;
}
