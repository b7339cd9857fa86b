import { keepsHouse } from "../suites/housekeeping.ts";

keepsHouse("single");
