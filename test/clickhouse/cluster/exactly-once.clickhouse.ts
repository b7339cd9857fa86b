import { storesExactlyOnce } from "../suites/exactly-once.ts";

storesExactlyOnce("cluster");
