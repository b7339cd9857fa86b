import { storeConforms } from "../../conformance/store.ts";
import { openMemoryStore } from "./memory-store.ts";

storeConforms("memory", async (clock) => openMemoryStore(clock));
