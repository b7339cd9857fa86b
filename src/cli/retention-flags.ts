import type { Option } from "commander";
import { flag, wholeNumber } from "./flags.ts";

/** Which load tests stay: of `serve`, and of `tests prune`. */
export function keepFlags(): readonly Option[] {
  return [
    flag("--keep-days <number>", "delete load tests without data for so many days").argParser(
      wholeNumber(1, 36_500),
    ),
    flag("--keep-tests <number>", "delete all load tests but so many").argParser(
      wholeNumber(1, 1_000_000),
    ),
  ];
}
