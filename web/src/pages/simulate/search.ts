import { countIn, given, oneIn, textIn } from "../../address/read-search.ts";

const SHIFTS = ["both", "place", "time"] as const;

/** The options of the simulation, as they stand in the address. */
export const simulateSearch = (search: Record<string, unknown>) =>
  given({
    jobs: countIn(search, "jobs"),
    seed: countIn(search, "seed"),
    shift: oneIn(search, "shift", SHIFTS),
    duration: textIn(search, "duration"),
    slack: textIn(search, "slack"),
    waitingCost: countIn(search, "waitingCost"),
    frontier: textIn(search, "frontier"),
    maxPauses: countIn(search, "maxPauses"),
    knownHours: countIn(search, "knownHours"),
  });
export type SimulateSearch = ReturnType<typeof simulateSearch>;
