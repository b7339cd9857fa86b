import { countsWhatWasStored } from "../suites/counting.ts";

countsWhatWasStored("single");
