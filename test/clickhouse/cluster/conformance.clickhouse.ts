import { storeConforms } from "../../conformance/store.ts";
import { openConformanceStore } from "../stores/open-conformance-store.ts";

storeConforms("2 x 2 ClickHouse 18.16", openConformanceStore("cluster"));
