import { keepsHouse } from "../suites/housekeeping.ts";

keepsHouse("cluster");
