import { projectConforms, storeConforms } from "../../conformance/store.ts";
import { openMemoryStore } from "./memory-store.ts";

storeConforms("memory", async (clock) => openMemoryStore(clock));
projectConforms("memory", async (clock) => openMemoryStore(clock));
