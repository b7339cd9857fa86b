import type { Format } from "./decoder.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

/** Every format that is read, in the order in which a source is offered to them. */
export const FORMATS: readonly Format[] = [jmeterCsv];
