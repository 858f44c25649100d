import { describe, expect, it } from "vitest";
import { retryTimes } from "../../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";
import type { Found } from "../../../../src/composition/status/summarise-readiness.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z") / 1000;
const AWS = "ec2.services.k8s.aws/v1alpha1";
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

const without = (lastTransitionTime: string) => {
  const words = { reason: "InvalidResourceReference", message: "no nic", lastTransitionTime };
  return found("nic", { status: "False", severity: "Warning", ...words });
};

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
    "an error that lasts while another resource is being made, which it waits for",
    [creating, without("2026-06-01T11:59:00Z")],
    "Creating",
    "waiting for VirtualMachine vm: Reconciling: at work (and 1 more)",
  ],
  [
    "the same error while nothing else is at work",
    [fine, without("2026-06-01T11:59:00Z")],
    "ProviderRetrying",
    "VirtualMachine nic: InvalidResourceReference: no nic [REL_PROVIDER_RETRY]",
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

it.each([
  ["Azure", { apiVersion, reason: "AuthorizationFailed", message: "no role", severity: "Warning" }],
  [
    "Google Cloud",
    {
      ...{ apiVersion: "container.cnrm.cloud.google.com/v1beta1", reason: "UpdateFailed" },
      message: 'Update call failed: googleapi: Error 400: Service account "x" does not exist., badRequest',
    },
  ],
])(
  "a new role or account that %s does not know everywhere yet is terminal once that lasts",
  (_, { apiVersion: at, ...words }) => {
    const one = (lastTransitionTime: string): Found => {
      const conditions = [{ type: "Ready", status: "False", ...words, lastTransitionTime }];
      const live = { apiVersion: at, kind: "Any", metadata: {}, status: { conditions } };
      return { apiVersion: at, kind: "Any", name: "a", live };
    };
    expect(summariseReadiness([one("2026-06-01T11:59:55Z")], NOW)).toMatchObject({ reason: "Creating" });
    expect(summariseReadiness([one("2026-06-01T11:59:40Z")], NOW)).toMatchObject({ reason: "ProviderTerminal" });
  },
);

describe("ACK's errors, whose conditions have no time", () => {
  const ack = (name: string, kind: string, conditions: Record<string, unknown>[]): Found => {
    const live = { apiVersion: AWS, kind, metadata: { name }, status: { conditions } };
    return { apiVersion: AWS, kind, name, live };
  };
  const failing = ack("vm", "Instance", [{ type: "ACK.Recoverable", status: "True", message: "Throttling: slower" }]);

  it("are shown when they last, from the first time that they were seen", () => {
    const seen = retryTimes([failing], new Map(), NOW);
    expect(summariseReadiness([failing], NOW, seen)).toMatchObject({ reason: "Creating" });
    const later = retryTimes([failing], seen, NOW + 19);
    expect(summariseReadiness([failing], NOW + 19, later)).toMatchObject({ reason: "Creating" });
    const last = retryTimes([failing], later, NOW + 20);
    expect(summariseReadiness([failing], NOW + 20, last)).toMatchObject({ reason: "ProviderRetrying" });
  });

  it("start again after they were gone", () => {
    const seen = retryTimes([failing], new Map(), NOW);
    const gone = retryTimes([{ ...failing, live: null }], seen, NOW + 10);
    expect([...gone]).toEqual([]);
    expect([...retryTimes([failing], gone, NOW + 30).values()]).toEqual([NOW + 30]);
  });

  it.each([
    ["a role that EKS does not know yet", "ACK.Recoverable", "InvalidParameterException", "Creating"],
    [
      "a machine until what ACK wrote into it is put back",
      "ACK.Recoverable",
      "InvalidParameterCombination",
      "Creating",
    ],
    ["an image that does not exist", "ACK.Recoverable", "InvalidAMIID.NotFound", "ProviderTerminal"],
    ["what ACK has given up", "ACK.Terminal", "InvalidParameterException", "ProviderTerminal"],
  ])("are terminal once they last, where they may pass: %s", (_, type, code, first) => {
    const refused = ack("eks", "Cluster", [{ type, status: "True", message: `${code}: refused` }]);
    const seen = retryTimes([refused], new Map(), NOW);
    expect(summariseReadiness([refused], NOW + 19, seen)).toMatchObject({ reason: first });
    const last = retryTimes([refused], seen, NOW + 20);
    expect(summariseReadiness([refused], NOW + 20, last)).toMatchObject({ reason: "ProviderTerminal" });
  });

  it("are shown immediately where capacity is missing", () => {
    const message = "api error InsufficientInstanceCapacity: none left";
    const full = ack("vm", "Instance", [{ type: "ACK.Recoverable", status: "True", message }]);
    expect(summariseReadiness([full], NOW)).toMatchObject({
      reason: "ProviderCapacity",
      message: "Instance vm: InsufficientInstanceCapacity: none left [REL_PROVIDER_CAPACITY]",
    });
  });

  it("blame the resource at the end of a chain of references", () => {
    const waits = (kind: string, name: string, on: string): Found => {
      const reason = `the referenced resource is not synced yet. resource:${on}, namespace:demo, name:web-${on}`;
      return ack(name, kind, [{ type: "ACK.ReferencesResolved", status: "Unknown", reason }]);
    };
    const chain = [waits("Instance", "web", "Subnet"), waits("Subnet", "web-Subnet", "VPC"), ack("web-VPC", "VPC", [])];
    expect(summariseReadiness(chain, NOW).message).toBe(
      "waiting for VPC web-VPC: Pending: its operator has not reported its state yet (and 2 more)",
    );
    expect(summariseReadiness(chain.slice(0, 1), NOW).message).toBe(
      "waiting for Instance web: WaitingForReferences: Subnet web-Subnet is not ready",
    );
  });
});
