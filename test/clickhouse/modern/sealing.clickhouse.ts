import { sealsWithoutNotice } from "../suites/sealing.ts";

sealsWithoutNotice("modern");
