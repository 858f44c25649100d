import type { ObservedBoot } from "../../../src/model/places/boot-times.ts";

/** Boots of as many namespaces, each with one of these times. */
export const bootsOf = (...seconds: number[]): ObservedBoot[] =>
  seconds.map((one, index) => ({ namespace: `team-${String(index)}`, seconds: one }));
