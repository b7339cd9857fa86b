import { countsWhatWasStored } from "../suites/counting.ts";

countsWhatWasStored("modern");
