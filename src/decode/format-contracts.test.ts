import { formatContract } from "../../test/support/format-contract.ts";
import { gatlingBinary } from "./gatling/gatling-binary.ts";
import { gatlingText } from "./gatling/gatling-text.ts";
import { jmeterCsv } from "./jmeter/jmeter-csv.ts";
import { jmeterXml } from "./jmeter/jmeter-xml.ts";
import { k6Csv } from "./k6/k6-csv.ts";
import { k6Json } from "./k6/k6-json.ts";
import { lineProtocol } from "./line-protocol/line-protocol.ts";
import { locustHistory } from "./locust/locust-history.ts";

/** Formats with several test files; the others are tested beside their decoders. */
for (const format of [gatlingBinary, gatlingText, jmeterCsv, jmeterXml]) formatContract(format);
for (const format of [k6Csv, k6Json, lineProtocol, locustHistory]) formatContract(format);
