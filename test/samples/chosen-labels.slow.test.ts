import { expect, test } from "vitest";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { decodeSource } from "../support/decode-source.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

/** The field used as the label by default. */
const OWN_LABEL: Readonly<Record<string, string>> = {
  "jmeter-csv": "{label}",
  "jmeter-xml": "{label}",
  "k6-csv": "{name}",
  "k6-json": "{name}",
};

const files = FIXTURES.filter(({ ending, file }) => ending !== "refused" && !file.endsWith(".gz"))
  .map(({ file }) => {
    const bytes = readFixture(file);
    const format = detectFormat(bytes.subarray(0, 64 * 1024), FORMATS);
    return { file, bytes, format, labelTemplate: OWN_LABEL[format.name] };
  })
  .filter(({ labelTemplate }) => labelTemplate !== undefined);

test.each(files)(
  "$file with $labelTemplate has the same data as without",
  ({ bytes, format, labelTemplate }) => {
    const chosen = decodeSource(format, bytes, [], { timeZone: "UTC", labelTemplate });
    expect(chosen).toEqual(decodeSource(format, bytes));
    expect(chosen.samples.length).toBeGreaterThan(0);
  },
);
