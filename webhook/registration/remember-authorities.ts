import { fingerprintsIn } from "../certificates/authorities.ts";
import { bundleIn } from "./configuration-fault.ts";
import type { Endpoint, Present } from "./register.ts";

/** Which CAs this process knows, and which it saw in each configuration: tells its own progress from a change by others. */
export function rememberAuthorities() {
  const known = new Set<string>();
  const seen = [new Set<string>(), new Set<string>()];
  return {
    know: ({ ca }: Endpoint) => {
      for (const one of fingerprintsIn(ca)) known.add(one);
    },
    see: (present: Present) => {
      for (const [at, one] of present.entries())
        for (const fingerprint of fingerprintsIn(bundleIn(one) ?? "")) seen[at]?.add(fingerprint);
    },
    of: (at: number) => ({ known, seen: seen[at] ?? known }),
  };
}
