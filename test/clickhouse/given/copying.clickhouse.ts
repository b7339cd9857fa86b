import { copiesLoadTests } from "../suites/copying.ts";

copiesLoadTests("given");
