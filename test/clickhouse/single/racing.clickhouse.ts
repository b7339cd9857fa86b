import { decidesRaces } from "../suites/racing.ts";

decidesRaces("single");
