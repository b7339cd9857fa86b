import { storeConforms } from "../../conformance/store.ts";
import { openConformanceStore } from "../stores/open-conformance-store.ts";
import { compactedBeforeRead } from "../stores/compacted-before-read.ts";

storeConforms(
  "ClickHouse 18.16, read out of copies",
  openConformanceStore("single", compactedBeforeRead),
);
