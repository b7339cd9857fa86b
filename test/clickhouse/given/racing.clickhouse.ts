import { decidesRaces } from "../suites/racing.ts";

decidesRaces("given");
