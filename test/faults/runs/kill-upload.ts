import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { IN_ALL_LABELS, resultFile, upload } from "../around/result-file.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 40_000;

export const killUpload: Fault = {
  id: "C1b",
  title:
    "The server is killed while a file is uploaded: nothing or all of it is visible, and the same upload again gives what an undisturbed one gives, with the original.",
  rounds: { fast: 4, nightly: 50, release: 200 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, ROWS);
    const sha256 = hash("sha256", readFileSync(file));
    await using server = await ServedStore.startIn(folder);
    const beganAtMs = performance.now();
    assert.equal(await upload(server, file, "undisturbed", true), 201);
    const undisturbedMs = performance.now() - beganAtMs;
    const undisturbed = await answers(server, "undisturbed");
    assert.ok(undisturbed[0] !== undefined && undisturbed[0].length > 1_000_000);

    let [unanswered, wasThere] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const id = `killed-${round}`;
      const uploading = upload(server, file, id, true).catch(() => undefined);
      await setTimeout((undisturbedMs * (round + random())) / rounds);
      await server.kill();
      const status = await uploading;
      if (status === undefined) unanswered += 1;
      await server.start();
      const isThere = await isWholeOrAbsent(server, id, undisturbed);
      const left = await originals(server, id);
      assert.ok(left.length <= (isThere ? 1 : 0) && left.every((each) => each === sha256));
      assert.ok(status === undefined || left.length === 1, "the original is lost");
      assert.ok(isThere || status === undefined, "what was acknowledged is lost");
      if (isThere && status === undefined) wasThere += 1;
      assert.equal(await upload(server, file, id, true), isThere ? 200 : 201);
      assert.deepEqual(await answers(server, id), undisturbed);
      assert.deepEqual(await originals(server, id), [sha256]);
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

/** The SHA-256 of each one's bytes. */
async function originals(server: ServedStore, id: string): Promise<readonly string[]> {
  const folder = `/Api/LoadTests/${id}/Files`;
  const answer = await server.fetch(folder);
  if (answer.status === 404) return [];
  const { files } = (await answer.json()) as { readonly files: readonly { readonly id: string }[] };
  return Promise.all(
    files.map(async (file) => {
      const response = await server.fetch(`${folder}/${file.id}`);
      return hash("sha256", Buffer.from(await response.arrayBuffer()));
    }),
  );
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
