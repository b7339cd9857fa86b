import { findsDamage } from "../suites/verifying.ts";

findsDamage("modern");
