import { storeConforms } from "../../conformance/store.ts";
import { openConformanceStore } from "../stores/open-conformance-store.ts";

storeConforms("the servers given", openConformanceStore("given"));
