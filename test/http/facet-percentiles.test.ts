/** Percentiles of the values of facets of recordings are those of their raw rows, as pandas and numpy compute them. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createTestServer } from "../support/test-server.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures");

type Figures = readonly [requests: number, p50: number, p90: number, p95: number, p99: number];
type ByValue = Readonly<Record<string, Figures>>;

/** By file, facet and value: see percentiles.py. */
const EXPECTED = JSON.parse(
  readFileSync(path.join(FOLDER, "facet-percentiles/expected.json"), "utf8"),
) as Readonly<Record<string, Readonly<Record<string, ByValue>>>>;

/** Of histograms. */
const PRECISION = 0.01;

const world = await createTestServer();

test.each(Object.entries(EXPECTED))("%s", async (file, facets) => {
  const id = path.basename(file).replaceAll(/[^\w-]/g, "-");
  const headers = { "x-service-auth": await world.makeKey("read", "write") };
  const sent = await world.server.inject({
    method: "POST",
    url: `/Api/LoadTests/${id}/Results?facet=region`,
    headers,
    payload: gunzipSync(readFileSync(path.join(FOLDER, file))),
  });
  expect(sent.statusCode).toBe(201);
  const read = async <Answer>(what: string) =>
    (await world.server.inject({ url: `/Api/LoadTests/${id}/${what}`, headers })).json<Answer>();
  for (const [name, values] of Object.entries(facets)) {
    for (const [value, [requests, ...percentiles]] of Object.entries(values)) {
      const where = encodeURIComponent(`${name}:${value.replaceAll(",", String.raw`\,`)}`);
      const { overall } = await read<{ readonly overall: Readonly<Record<string, number>> }>(
        `Summary?where=${where}`,
      );
      expect([name, value, overall["count"]]).toEqual([name, value, requests]);
      for (const [at, percentile] of ["p50", "p90", "p95", "p99"].entries()) {
        const [got, want] = [(overall[percentile] ?? 0) * 1000, percentiles[at] as number];
        expect(Math.abs(got - want), `${percentile} of ${name} ${value}`).toBeLessThanOrEqual(
          PRECISION * want,
        );
      }
    }
  }
});
