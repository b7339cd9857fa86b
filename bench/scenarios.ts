/** Everything that `npm run bench` runs, in this order. */

import type { Scenario } from "./frame/scenario.ts";
import { importJtl } from "./scenarios/import-jtl.ts";

export const SCENARIOS: readonly Scenario[] = [importJtl];
