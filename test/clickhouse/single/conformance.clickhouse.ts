import { storeConforms } from "../../conformance/store.ts";
import { openConformanceStore } from "../stores/open-conformance-store.ts";

storeConforms("ClickHouse 18.16", openConformanceStore("single"));
