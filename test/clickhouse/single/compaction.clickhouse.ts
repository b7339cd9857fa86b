import { sealsWithoutNotice } from "../suites/compaction.ts";

sealsWithoutNotice("single");
