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
import { gatlingBinary } from "./gatling-binary.ts";
import { gatlingText } from "./gatling-text.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

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
      { numRuns: randomCases(100) },
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
    { numRuns: randomCases(200) },
  );
});
