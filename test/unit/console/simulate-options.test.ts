import { describe, expect, it } from "vitest";
import { bodyOf, optionsOf, searchOf } from "../../../web/src/pages/simulate/options.ts";
import { simulateSearch } from "../../../web/src/pages/simulate/search.ts";

/** What the fields hold after the address that they write was opened. */
const opened = (written: ReturnType<typeof optionsOf>) => optionsOf(simulateSearch(searchOf(written)));

describe("the options of a simulation in the address", () => {
  it("are those that differ from the defaults", () => {
    const defaults = optionsOf({});
    expect(Object.values(searchOf(defaults)).filter((value) => value !== undefined)).toEqual([]);
    expect(simulateSearch(searchOf({ ...defaults, jobs: "20", shift: "time" }))).toEqual({ jobs: 20, shift: "time" });
  });

  it.each([
    { jobs: "20", seed: "7", shift: "time", duration: "2-3", slack: "5-9", maxPauses: "3", knownHours: "24" },
    { waitingCost: "0", frontier: "5" },
    { frontier: "" },
  ])("come back as they were: %o", (changed) => {
    const options = { ...optionsOf({}), ...changed };
    expect(opened(options)).toEqual(options);
  });

  it("take the default for an emptied number, and for what the address says wrongly", () => {
    expect(opened({ ...optionsOf({}), jobs: "" }).jobs).toBe("500");
    expect(optionsOf(simulateSearch({ jobs: "many", shift: "up" }))).toEqual(optionsOf({}));
  });

  it("ask for pauses only where the place stays", () => {
    const options = { ...optionsOf({}), maxPauses: "3" };
    expect([bodyOf(options).maxPauses, bodyOf({ ...options, shift: "time" }).maxPauses]).toEqual([0, 3]);
  });
});
