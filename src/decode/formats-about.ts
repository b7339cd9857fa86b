import { ARTILLERY_JSON } from "./artillery/about.ts";
import type { FormatAbout } from "./format-about.ts";
import { GATLING_BINARY, GATLING_TEXT } from "./gatling/about.ts";
import { GOOSE_CSV, GOOSE_JSON } from "./goose/about.ts";
import { HAR } from "./har/about.ts";
import { HDR_LOG } from "./hdr/about.ts";
import { JMETER_CSV, JMETER_XML } from "./jmeter/about.ts";
import { K6_CSV, K6_JSON } from "./k6/about.ts";
import { LINE_PROTOCOL, SENT } from "./line-protocol/about.ts";
import { LOCUST_HISTORY, LOCUST_REQUESTS } from "./locust/about.ts";
import { OTLP } from "./otlp/about.ts";
import { TACHOGRAPH_PARQUET } from "./parquet/about.ts";
import { TABLES } from "./tables/about.ts";
import { VEGETA_CSV, VEGETA_GOB, VEGETA_JSON } from "./vegeta/about.ts";

/** All formats of files and of what is sent, in the order of the documents, without their decoders. Pages have parts of it (page/short-formats.ts). */
export const FORMATS_ABOUT: readonly FormatAbout[] = [
  JMETER_CSV,
  JMETER_XML,
  K6_CSV,
  K6_JSON,
  GATLING_TEXT,
  GATLING_BINARY,
  LOCUST_REQUESTS,
  LOCUST_HISTORY,
  GOOSE_CSV,
  GOOSE_JSON,
  ARTILLERY_JSON,
  VEGETA_GOB,
  VEGETA_CSV,
  VEGETA_JSON,
  HAR,
  ...TABLES,
  HDR_LOG,
  LINE_PROTOCOL,
  ...SENT,
  ...OTLP,
  TACHOGRAPH_PARQUET,
];
