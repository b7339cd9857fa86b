import { storeConforms } from "../../conformance/store.ts";
import { openConformanceStore } from "../stores/open-conformance-store.ts";

storeConforms("ClickHouse 26.7", openConformanceStore("modern"));
