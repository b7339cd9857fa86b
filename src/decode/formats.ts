import { abTsv, heyCsv, ohaCsv } from "./tables/hey-oha-ab.ts";
import { aiperfJsonl } from "./tables/aiperf-jsonl.ts";
import { artilleryJson } from "./artillery/artillery-json.ts";
import type { Format } from "./decoder.ts";
import { gooseCsv, gooseJson } from "./goose/goose.ts";
import { guidellmJson } from "./tables/guidellm-json.ts";
import { har } from "./har/har.ts";
import { ghzJson } from "./tables/ghz-json.ts";
import { gatlingBinary } from "./gatling/gatling-binary.ts";
import { gatlingText } from "./gatling/gatling-text.ts";
import { hdrLog } from "./hdr/hdr-log.ts";
import { jmeterCsv } from "./jmeter/jmeter-csv.ts";
import { jmeterXml } from "./jmeter/jmeter-xml.ts";
import { k6Csv } from "./k6/k6-csv.ts";
import { k6Json } from "./k6/k6-json.ts";
import { lineProtocol } from "./line-protocol/line-protocol.ts";
import { locustHistory } from "./locust/locust-history.ts";
import { locustRequests } from "./locust/locust-requests.ts";
import { siegeCsv } from "./tables/siege-csv.ts";
import { tachographCsv, tachographNdjson } from "./tables/tachograph.ts";
import { taurusCsv } from "./tables/taurus-csv.ts";
import { phout } from "./tables/phout.ts";
import { tachographParquet } from "./parquet/tachograph-parquet.ts";
import { tsungDump } from "./tables/tsung-dump.ts";
import { vllmJson } from "./tables/vllm-json.ts";
import { vegetaCsv, vegetaJson } from "./vegeta/vegeta-text.ts";
import { vegetaGob } from "./vegeta/vegeta-gob.ts";

/** All formats, in the order of detection. */
export const FORMATS: readonly Format[] = [
  gatlingBinary,
  tachographParquet,
  // Before JMeter's CSV, whose columns it has in another order.
  taurusCsv,
  jmeterCsv,
  jmeterXml,
  k6Csv,
  k6Json,
  heyCsv,
  ohaCsv,
  abTsv,
  siegeCsv,
  ghzJson,
  tachographCsv,
  tachographNdjson,
  gatlingText,
  artilleryJson,
  har,
  vegetaGob,
  vegetaCsv,
  vegetaJson,
  phout,
  tsungDump,
  lineProtocol,
  locustHistory,
  locustRequests,
  gooseCsv,
  gooseJson,
  aiperfJsonl,
  guidellmJson,
  vllmJson,
  hdrLog,
];
