import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mutantsOf, outcomesOf, placesOf } from "../../../test/support/mutants.ts";
import { gooseCsv, gooseJson } from "./goose.ts";
import { locustHistory } from "../locust/locust-history.ts";
import { locustRequests } from "../locust/locust-requests.ts";
import { taurusCsv } from "../tables/taurus-csv.ts";

const HISTORY = `Timestamp,User Count,Type,Name,50%,Total Request Count,Total Failure Count,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size
100,0,,Aggregated,N/A,0,0,0.0,0,0,0
101,2,GET,"/a,b",1,2,1,12.5,5.25,19.75,3.5
101,2,,Aggregated,1,2,1,12.5,5.25,19.75,3.5
102,2,GET,"/a,b",1,5,1,10.5,5.25,19.75,3.5
102,2,,Aggregated,1,5,1,10.5,5.25,19.75,3.5
`;
const REQUESTS = `timestamp,request_type,name,response_time_ms,response_length,status_code,exception\r
1795232784.171469,GET,"/a,b",126.23,8393,200,\r
1795232785.1,POST,cart,48.1,120,500,"500 ""A""\nline 2"\r
1795232786,GET,/reset,18.0,0,0,Remote end closed\r
`;
const GOOSE_CSV = `elapsed,raw,name,response_time,status_code,success,update,user,error,coordinated_omission_elapsed
0,"GooseRawRequest { method: Get, url: ""http://h/"" }",cart,67,200,true,false,0,,0
0,"GooseRawRequest { method: Get, url: ""http://h/"" }",cart,67,200,false,true,0,wrong,0
9,"GooseRawRequest { method: Get, url: ""http://h/"" }",home,5,404,false,false,1,404 Not Found,0
`;
const GOOSE_LINE =
  '{"elapsed":1,"raw":{"method":"Get"},"name":"a","response_time":5,"status_code":200,"success":true,"update":false,"user":0,"error":"","coordinated_omission_elapsed":0,"response_time_fraction_us":7}\n';
const TAURUS = `timeStamp,elapsed,Latency,label,responseCode,responseMessage,success,allThreads,bytes
1795233223353,17,0,http://h/?a,200,OK,true,1,640
1795233223999,0,0,"http://h/,b",999,Connection aborted.,false,2,2
`;

test.each([
  { format: locustHistory, seed: HISTORY },
  { format: locustRequests, seed: REQUESTS },
  { format: gooseCsv, seed: GOOSE_CSV },
  { format: gooseJson, seed: GOOSE_LINE.repeat(3) },
  { format: taurusCsv, seed: TAURUS },
])("no byte edit makes $format.name crash or depend on the chunk size", ({ format, seed }) => {
  fc.assert(
    fc.property(mutantsOf(seed), (mutant) => {
      const [whole = "BUG", ...others] = outcomesOf(format, mutant);
      for (const other of others) expect(other).toEqual(whole);
      for (const { byte } of placesOf(whole)) expect(byte).toBeLessThan(mutant.length);
      if (typeof whole === "string") return;
      for (const window of whole.windows) {
        expect(window.failedRequests).toBeLessThanOrEqual(window.requests);
        const known = window.latencies.reduce((sum, { requests }) => sum + requests, 0);
        expect(known).toBeLessThanOrEqual(window.requests);
        expect(Number.isSafeInteger(window.elapsedMicros + window.receivedBytes)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
