import { abTsv } from "./ab-tsv.ts";
import { artilleryJson } from "./artillery-json.ts";
import type { Format } from "./decoder.ts";
import { gooseCsv } from "./goose-csv.ts";
import { gooseJson } from "./goose-json.ts";
import { har } from "./har.ts";
import { ghzJson } from "./ghz-json.ts";
import { heyCsv } from "./hey-csv.ts";
import { gatlingBinary } from "./gatling-binary.ts";
import { gatlingText } from "./gatling-text.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { lineProtocol } from "./line-protocol.ts";
import { locustHistory } from "./locust-history.ts";
import { locustRequests } from "./locust-requests.ts";
import { ohaCsv } from "./oha-csv.ts";
import { siegeCsv } from "./siege-csv.ts";
import { tachographCsv } from "./tachograph-csv.ts";
import { tachographNdjson } from "./tachograph-ndjson.ts";
import { taurusCsv } from "./taurus-csv.ts";
import { phout } from "./phout.ts";
import { tsungDump } from "./tsung-dump.ts";
import { vegetaCsv } from "./vegeta-csv.ts";
import { vegetaGob } from "./vegeta-gob.ts";
import { vegetaJson } from "./vegeta-json.ts";

/** Every format that is read, in the order in which a source is offered to them. */
export const FORMATS: readonly Format[] = [
  gatlingBinary,
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
];
