import { expect, it } from "vitest";
import { summariseReadiness } from "../../../src/composition/status/summarise-readiness.ts";
import type { Found } from "../../../src/composition/status/summarise-readiness.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z") / 1000;
const apiVersion = "compute.azure.com/v1api20220301";

function found(name: string, condition: Record<string, unknown> | null): Found {
  const status = { conditions: condition ? [{ type: "Ready", ...condition }] : [] };
  return {
    apiVersion,
    kind: "VirtualMachine",
    name,
    live: { apiVersion, kind: "VirtualMachine", metadata: {}, status },
  };
}

const fine = found("fine", { status: "True" });
const creating = found("vm", { status: "False", severity: "Info", reason: "Reconciling", message: "at work" });
const waiting = found("nic", { status: "False", severity: "Info", reason: "WaitingForOwner", message: "no owner" });
const refused = found("bad", { status: "False", severity: "Error", reason: "QuotaExceeded", message: "no cores" });
const retry = (lastTransitionTime: string) =>
  found("busy", { status: "False", severity: "Warning", reason: "Failed", message: "again", lastTransitionTime });

it.each<[string, Found[], string, string]>([
  ["all ready", [fine, fine], "Available", "2 resources are ready"],
  ["nothing to wait for", [], "Available", "0 resources are ready"],
  ["one that works", [fine, creating], "Creating", "waiting for VirtualMachine vm: Reconciling: at work"],
  [
    "the one that explains most is named",
    [waiting, creating],
    "Creating",
    "waiting for VirtualMachine vm: Reconciling: at work (and 1 more)",
  ],
  [
    "one that is not there",
    [{ ...creating, live: null }],
    "Creating",
    "waiting for VirtualMachine vm: Missing: it does not exist yet",
  ],
  [
    "a refusal comes before everything",
    [creating, refused],
    "ProviderTerminal",
    "VirtualMachine bad: QuotaExceeded: no cores [REL_PROVIDER_TERMINAL]",
  ],
  [
    "an error that lasts",
    [creating, retry("2026-06-01T11:59:00Z")],
    "ProviderRetrying",
    "VirtualMachine busy: Failed: again [REL_PROVIDER_RETRY]",
  ],
  [
    "an error that is new",
    [retry("2026-06-01T11:59:55Z")],
    "Creating",
    "waiting for VirtualMachine busy: Failed: again",
  ],
])("%s", (_, resources, reason, message) => {
  expect(summariseReadiness(resources, NOW)).toMatchObject({ type: "Ready", reason, message });
});
