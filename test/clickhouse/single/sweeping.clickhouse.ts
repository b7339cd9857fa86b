import { sweepsWhatIsGone } from "../suites/sweeping.ts";

sweepsWhatIsGone("single");
