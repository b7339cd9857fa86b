import { projectConforms, storeConforms } from "../../../test/conformance/store.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

storeConforms("sqlite", (clock) => openStoreIn(temporaryDirectory(), clock));
projectConforms("sqlite", (clock) => openStoreIn(temporaryDirectory(), clock));
