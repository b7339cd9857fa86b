import { mergesIntoMinutes } from "../suites/downsampling.ts";

mergesIntoMinutes("single");
