/**
 * Two growing files are sent to one load test over a network that loses, repeats, delays and reorders, by a
 * sender that is killed and restarted at any point. In the end the store has exactly the sum over distinct
 * samples: the result of importing both files.
 */

import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stored } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { HEADER, importWhole, K6, ROWS } from "../support/follow.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";
import { WrittenFile } from "../support/written-file.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { BadNetwork } from "./bad-network.ts";
import { live } from "./mortal-sender.ts";

/** 1,000 and more before a release. */
const RUNS = Number(process.env["TACHOGRAPH_MODEL_RUNS"] ?? 40);

const CONTENTS = [HEADER + ROWS.join(""), K6].map((text) => Buffer.from(text));

let world: TestServer;
let key = "";
let expected: unknown;

beforeAll(async () => {
  world = await createTestServer();
  key = await world.makeKey("write");
  const store = openMemoryStore();
  for (const content of CONTENTS) await importWhole(store, content);
  expected = await stored(store);
});

afterAll(() => world.server.close());

const life = fc.record({
  /** Which file grows at each poll, and by how much. */
  growth: fc.array(fc.record({ file: fc.nat(1), by: fc.nat(900) }), { maxLength: 10 }),
  effectsMax: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
});

let runs = 0;
const outcomes = { ended: 0, killed: 0 };

test(
  `nothing is lost or duplicated in ${RUNS} runs`,
  async () => {
    const property = fc.asyncProperty(
      fc.array(life, { minLength: 1, maxLength: 5 }),
      fc.integer(),
      async (lives, seed) => {
        const random = randomFrom(seed);
        const network = new BadNetwork(world, random);
        const loadTestId = `model-${runs++}`;
        const files = CONTENTS.map(() => new WrittenFile());
        const grow = (file: number, by: number): void => {
          const [content, written] = [CONTENTS[file], files[file]];
          const from = written?.bytes.length ?? 0;
          written?.append(content?.subarray(from, from + by) ?? "");
        };
        const disk = new Map<string, Uint8Array>();
        const plan = { loadTestId, key, files, fetch: network.fetch, random, disk };
        grow(0, 120);
        grow(1, 500);
        for (const { growth, effectsMax } of lives) {
          const steps = growth.map(
            ({ file, by }) =>
              () =>
                grow(file, by),
          );
          outcomes[await live({ ...plan, steps, effectsMax, isPatient: random() < 0.5 })] += 1;
        }
        grow(0, 1e6);
        grow(1, 1e6);
        network.faults = 0.2;
        const steps = Array.from({ length: 9 }, () => () => undefined);
        // Restarts if a delayed request arrived meanwhile.
        for (let round = 0; round < 3; round++) {
          await live({ ...plan, steps: [...steps], effectsMax: undefined, isPatient: true });
          await network.letAllThrough();
        }
        expect(await stored(world.store, loadTestId)).toEqual(expected);
        expect([...disk.keys()]).toEqual([]);
        await world.store.loadTests.delete(loadTestId);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
    expect(Math.min(outcomes.ended, outcomes.killed)).toBeGreaterThan(RUNS / 4);
  },
  RUNS * 3000,
);
