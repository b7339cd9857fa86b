import { describe, expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";

/** 2026-11-21 13:04:25.267914198 UTC. */
const NANOS = "1795266265267914198";
const SECOND = 1_795_266_265;

const decode = (text: string): Decoded => decodeSource(lineProtocol, text);

const labelsOf = ({ samples }: Decoded): readonly (string | undefined)[] =>
  samples.map(({ label }) => label);

const sample = (tags: string): string => `http_req_duration,${tags} value=1200.5 ${NANOS}\n`;

describe("k6", () => {
  test("a request starts its duration before the timestamp", () => {
    expect(decode(sample("name=a,status=200")).samples).toEqual([
      {
        label: "a",
        second: SECOND - 1,
        elapsedMicros: 1_200_500,
        receivedBytes: 0,
        requests: 1,
        failedRequests: 0,
      },
    ]);
  });

  test.each([
    ["expected_response=false,status=200", "", 1],
    ["error=EOF,error_code=1000,expected_response=true,status=0", "", 1],
    ["error_code=1404,expected_response=true,status=404", "", 0],
    ["status=404", "", 1],
    ["status=0", "", 1],
    ["status=302", "", 0],
    ["status=404", `http_req_failed,name=a value=0 ${NANOS}\n`, 0],
    ["status=200", `http_req_failed,name=a value=1 ${NANOS}\n`, 1],
    ["status=200", `http_req_failed,name=b value=1 ${NANOS}\n`, 0],
  ])("with the tags %s, then %j, %d failed", (tags, next, failed) => {
    const { samples } = decode(sample(`name=a,${tags}`) + next);
    expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([failed]);
  });

  test("the url replaces a missing name, as a tag or a field", () => {
    const tag = `http_req_duration,url=http://a/?b\\=c value=1 ${NANOS}\n`;
    const field = `http_req_duration,status=200 url="http://d/",value=1 ${NANOS}\n`;
    expect(labelsOf(decode(tag + field))).toEqual(["http://a/?b=c", "http://d/"]);
  });

  test("failures have a status, or the error code and error of k6; users come from vus", () => {
    const refused = "error=connection\\ refused,error_code=1212,name=a,status=0";
    const { failures, users } = decode(
      sample("name=a,status=503") + sample(refused) + `vus value=7 ${NANOS}\n`,
    );
    expect(failures.map(({ kind, requests }) => [kind, requests])).toEqual([
      [{ code: "503", message: "" }, 1],
      [{ code: "1212", message: "connection refused" }, 1],
    ]);
    expect(users).toEqual([{ generator: "", second: SECOND, active: 7 }]);
  });

  test("points of other measurements are counted and named as measures, except k6 metrics", () => {
    const { notes } = decode(
      `${sample("name=a,status=200")}basket_size value=3 ${NANOS}\nhttp_reqs value=1 ${NANOS}\n` +
        `basket_size value=4 ${NANOS}\ncpu,host=a usage=0.5 ${NANOS}\n`,
    );
    expect(notes).toContain(
      'points stored as measures: 3, of the measurements "basket_size" (2), "cpu" (1)',
    );
  });
});
