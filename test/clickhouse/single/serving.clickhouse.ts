import { servesSideBySide } from "../suites/serving.ts";

servesSideBySide("single");
