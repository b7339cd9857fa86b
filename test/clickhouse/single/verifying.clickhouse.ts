import { findsDamage } from "../suites/verifying.ts";

findsDamage("single");
