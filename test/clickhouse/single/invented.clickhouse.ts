import { leavesOutInvented } from "../suites/invented.ts";

leavesOutInvented("single");
