import { decidesRaces } from "../suites/racing.ts";

decidesRaces("cluster", { quorum: 2 });
