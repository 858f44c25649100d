import { describe, expect, it } from "vitest";
import { retryTimes, workTimes } from "../../../../src/composition/status/retry-times.ts";
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

describe("a control plane that its provider does not take as it is", () => {
  const EKS = "eks.services.k8s.aws/v1alpha1";
  const control = (message: string, type: string, status: Record<string, unknown>): Found => {
    const conditions = [{ type, status: "True", message }];
    const live = { apiVersion: EKS, kind: "Cluster", metadata: { name: "web" }, status: { ...status, conditions } };
    return { apiVersion: EKS, kind: "Cluster", name: "web", live };
  };
  const pool: Found = { apiVersion: EKS, kind: "Nodegroup", name: "web-a", live: null };
  const made = { endpoint: "https://k.example" };
  const insights = "InvalidStateException: Upgrade readiness issues detected.";

  it("keeps its pools as they are, and says so", () => {
    const refused = control(insights, "ACK.Recoverable", made);
    const seen = retryTimes([refused], new Map(), NOW);
    const { reason, message } = summariseReadiness([pool, refused], NOW + 20, seen);
    expect(reason).toBe("ProviderTerminal");
    expect(message).toBe(
      "Cluster web: InvalidStateException: Upgrade readiness issues detected.; changes of its pools wait until it is ready [REL_PROVIDER_TERMINAL]",
    );
  });

  it("keeps the version of its pools alone where ACK calls it synced beside the error, as it does with EKS", () => {
    const conditions = [
      { type: "ACK.ResourceSynced", status: "True" },
      { type: "ACK.Recoverable", status: "True", message: insights },
      { type: "Ready", status: "False", reason: "ACK.Recoverable", message: insights },
    ];
    const said = (annotations: Record<string, string>): string => {
      const live = { apiVersion: EKS, kind: "Cluster", metadata: { name: "web", annotations } };
      const refused = { ...live, name: "web", live: { ...live, status: { ...made, conditions } } };
      return summariseReadiness([pool, refused], NOW + 20, retryTimes([refused], new Map(), NOW)).message;
    };
    const upgrading = said({ "landfall.dev/upgrades": JSON.stringify({ from: "1.34", synced: "t" }) });
    expect(upgrading).toContain("; its pools keep their version until it is upgraded [REL_PROVIDER_TERMINAL]");
    expect(said({})).not.toContain("pools");
  });

  it("says nothing of pools where nothing is made yet, or where it has none", () => {
    const text = (found: Found[]) => summariseReadiness(found, NOW).message;
    expect(text([control("no: way", "ACK.Terminal", {}), pool])).not.toContain("pools");
    expect(text([control("no: way", "ACK.Terminal", made)])).not.toContain("pools");
  });

  it("names the version to write where EKS has upgraded it", () => {
    const behind = "desired cluster version is less than the observed version: 1.34 < 1.35";
    const { reason, message } = summariseReadiness([control(behind, "ACK.Terminal", made)], NOW);
    expect(reason).toBe("ProviderTerminal");
    expect(message).toBe(
      'Cluster web: UpgradedByProvider: EKS runs 1.35, and upgraded the cluster from 1.34 itself: write kubernetesVersion: "1.35" [REL_PROVIDER_TERMINAL]',
    );
  });
});

describe("work of an operator that does not end", () => {
  const EKS = "eks.services.k8s.aws/v1alpha1";
  const said = "nodegroup has started asynchronously updating, cannot be modified until 'ACTIVE'";
  const group = (message: string, generation = 1): Found => {
    const conditions = [
      { type: "ACK.ResourceSynced", status: "False", message: "Nodegroup is currently being updated" },
      { type: "ACK.Recoverable", status: "True", message },
    ];
    const live = { apiVersion: EKS, kind: "Nodegroup", metadata: { name: "a", generation }, status: { conditions } };
    return { apiVersion: EKS, kind: "Nodegroup", name: "web-a", live };
  };
  const HOUR = 3600;

  it("is reported after 90 minutes, with its usual reason for a node group", () => {
    const begun = workTimes([group(said)], new Map(), NOW);
    const later = workTimes(
      [group("nodegroup in 'UPDATING' state, cannot be modified until 'ACTIVE'")],
      begun,
      NOW + HOUR,
    );
    expect(summariseReadiness([group(said)], NOW + HOUR, later)).toMatchObject({ reason: "Creating" });
    const { reason, message } = summariseReadiness([group(said)], NOW + 1.5 * HOUR, later);
    expect(reason).toBe("ProviderRetrying");
    expect(message).toContain("Nodegroup web-a has been changing for more than 90 minutes without an end");
    expect(message).toContain("PodDisruptionBudget");
    expect(message).toContain("eks.services.k8s.aws/force-update-version");
    expect(message).toContain("[REL_PROVIDER_SLOW]");
  });

  it("begins again with another change, and ends when the resource is ready", () => {
    const begun = workTimes([group(said)], new Map(), NOW);
    const changed = workTimes([group(said, 2)], begun, NOW + HOUR);
    expect(summariseReadiness([group(said, 2)], NOW + 2 * HOUR, changed)).toMatchObject({ reason: "Creating" });
    expect([...workTimes([fine, waiting, refused, retry("2026-06-01T11:59:00Z")], begun, NOW)]).toEqual([]);
  });

  it("is any operator's", () => {
    const begun = workTimes([creating], new Map(), NOW);
    expect(summariseReadiness([creating], NOW + 1.5 * HOUR, begun).message).toBe(
      "VirtualMachine vm has been changing for more than 90 minutes without an end: Reconciling: at work [REL_PROVIDER_SLOW]",
    );
  });
});
