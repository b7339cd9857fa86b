import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DecodedFailure,
  type DecodedSample,
  decodeSource,
} from "../../../test/support/decode-source.ts";
import {
  anyGatlingRequests,
  binaryLog,
  type GatlingRequest,
  plainGatlingRequests,
  RUN_START_MS,
  TEXT_VERSIONS,
  textLog,
} from "../../../test/support/gatling-log.ts";
import { mutantsOf, outcomesOf, placesOf } from "../../../test/support/mutants.ts";
import { gatlingBinary } from "./gatling-binary.ts";
import { gatlingText } from "./gatling-text.ts";

const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });

/** Returns the expected sample of a request. */
function sampleOf({ groups, name, startMs, elapsedMs, failure }: GatlingRequest): DecodedSample {
  return {
    label: [...groups, name].join(" / ").toWellFormed(),
    second: Math.trunc((RUN_START_MS + startMs) / 1000),
    elapsedMicros: elapsedMs * 1000,
    receivedBytes: 0,
    requests: 1,
    failedRequests: failure === undefined ? 0 : 1,
  };
}

function failuresOf(requests: readonly GatlingRequest[]): DecodedFailure[] {
  return requests.flatMap((request) => {
    if (request.failure === undefined) return [];
    const { label, second } = sampleOf(request);
    const kind = { code: "", message: request.failure.toWellFormed() };
    return [{ label, second, kind, requests: 1 }];
  });
}

const USERS = [
  { generator: "", second: Math.trunc(RUN_START_MS / 1000), started: 1, ended: 0 },
  { generator: "", second: Math.trunc(RUN_START_MS / 1000) + 2, started: 0, ended: 1 },
];

test.each(TEXT_VERSIONS)(
  "every request of a text log of %s is read, with any chunk size",
  (version) => {
    fc.assert(
      fc.property(plainGatlingRequests, sizes, (requests, pieces) => {
        const decoded = decodeSource(gatlingText, textLog(requests, version), pieces);
        expect(decoded.samples).toEqual(requests.map(sampleOf));
        // The log writes a missing message as one blank.
        const failures = requests.map((each) =>
          each.failure === " " ? { ...each, failure: "" } : each,
        );
        expect(decoded.failures).toEqual(failuresOf(failures));
        expect(decoded.users).toEqual(USERS);
        expect({ rejections: decoded.rejections, truncatedAt: decoded.truncatedAt }).toEqual({
          rejections: [],
          truncatedAt: undefined,
        });
      }),
      { numRuns: 100 },
    );
  },
);

test("every request of a binary log is read, with any names and chunk size", () => {
  fc.assert(
    fc.property(anyGatlingRequests, sizes, (requests, pieces) => {
      const decoded = decodeSource(gatlingBinary, binaryLog(requests), pieces);
      expect(decoded.samples).toEqual(requests.map(sampleOf));
      expect(decoded.failures).toEqual(failuresOf(requests));
      expect(decoded.users).toEqual(USERS);
      expect({ rejections: decoded.rejections, truncatedAt: decoded.truncatedAt }).toEqual({
        rejections: [],
        truncatedAt: undefined,
      });
    }),
    { numRuns: 200 },
  );
});

test("a log cut anywhere gives the first of its requests", () => {
  fc.assert(
    fc.property(plainGatlingRequests, fc.nat(), (requests, where) => {
      for (const [format, whole] of [
        [gatlingText, new TextEncoder().encode(textLog(requests, "3.12"))],
        [gatlingBinary, binaryLog(requests)],
      ] as const) {
        const { samples, rejections } = decodeSource(
          format,
          whole.subarray(0, where % whole.length),
        );
        expect(samples).toEqual(requests.slice(0, samples.length).map(sampleOf));
        expect(rejections).toEqual([]);
      }
    }),
  );
});

const REQUESTS: GatlingRequest[] = [
  { groups: ["a", "b,c"], name: "Home", startMs: 5, elapsedMs: 7, failure: undefined },
  { groups: [], name: "商品\t列表", startMs: 6, elapsedMs: 7, failure: "status.find.is(200)" },
  { groups: [], name: "", startMs: 7, elapsedMs: 0, failure: "" },
];

test.each([
  ...TEXT_VERSIONS.map((version) => ({ format: gatlingText, seed: textLog(REQUESTS, version) })),
  { format: gatlingBinary, seed: binaryLog(REQUESTS) },
])("no byte edit makes $format.name crash or depend on the chunk size", (each) => {
  fc.assert(
    fc.property(mutantsOf(each.seed), (mutant) => {
      const [whole, ...others] = outcomesOf(each.format, mutant);
      for (const other of others) expect(other).toEqual(whole);
      for (const { byte } of placesOf(whole as Exclude<typeof whole, undefined>)) {
        expect(byte).toBeLessThan(mutant.length);
      }
    }),
    { numRuns: 400 },
  );
});
