import fc from "fast-check";
import { FUZZ_SEED } from "../support/mutate.ts";

fc.configureGlobal({ seed: FUZZ_SEED });
