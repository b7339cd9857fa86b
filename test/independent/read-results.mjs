import { isGatlingBinary, readGatlingBinary } from "./gatling-binary.mjs";
import { isGatlingText, readGatlingText } from "./gatling-text.mjs";
import { isGhz, readGhz } from "./ghz.mjs";
import { isGoose, readGoose } from "./goose.mjs";
import { isArtillery, readArtillery } from "./artillery.mjs";
import { isHar, readHar } from "./har.mjs";
import { isJmeterCsv, readJmeterCsv } from "./jmeter-csv.mjs";
import { isJmeterXml, readJmeterXml } from "./jmeter-xml.mjs";
import { isK6Csv, isK6Json, readK6Csv, readK6Json } from "./k6.mjs";
import { isLocust, readLocust } from "./locust.mjs";
import { isPlainTable, readPlainTable } from "./plain-tables.mjs";
import { isLineProtocol, readLineProtocol } from "./line-protocol.mjs";
import { isPhout, isTsung, readPhout, readTsung } from "./phout-tsung.mjs";
import { isTaurus, readTaurus } from "./taurus.mjs";
import { isSiege, readSiege } from "./siege.mjs";
import { isTachograph, readTachograph } from "./tachograph.mjs";
import { isVegeta, readVegeta } from "./vegeta.mjs";
import { unpack } from "./unpack.mjs";

const READERS = [
  [isTachograph, readTachograph],
  [isGatlingBinary, readGatlingBinary],
  [isJmeterXml, readJmeterXml],
  [isK6Json, readK6Json],
  [isK6Csv, readK6Csv],
  [isArtillery, readArtillery],
  [isVegeta, readVegeta],
  [isPhout, readPhout],
  [isTsung, readTsung],
  [isHar, readHar],
  [isPlainTable, readPlainTable],
  [isLocust, readLocust],
  [isGoose, readGoose],
  [isTaurus, readTaurus],
  [isJmeterCsv, readJmeterCsv],
  [isGatlingText, readGatlingText],
  [isLineProtocol, readLineProtocol],
  [isSiege, readSiege],
  [isGhz, readGhz],
];

/** Longest label that is stored; a record with a longer one is rejected. */
const LABEL_BYTES_MAX = 1024;

/**
 * Reads a whole result file. Answers its format, samples, rejected records, and whether it was cut;
 * undefined where it is of none of the formats above.
 */
export function readResults(bytes, { timeZone = "UTC", startedAtMs } = {}) {
  const { text, plain, cut } = unpack(bytes);
  const reader = READERS.find(([recognises]) => recognises(text, plain));
  if (!reader) return undefined;
  const reading = reader[1](text, { timeZone, startedAtMs, plain });
  const tooLong = reading.samples.filter(hasLongLabel);
  return {
    ...reading,
    samples: reading.samples.filter((sample) => !hasLongLabel(sample)),
    rejected: [...reading.rejected, ...tooLong.map(() => ({ reason: "label too long" }))],
    cut: reading.cut || cut,
  };
}

function hasLongLabel({ label }) {
  return Buffer.byteLength(label) > LABEL_BYTES_MAX;
}
