import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { clusterStatus } from "../../../../src/composition/status/cluster-status.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";
import { aso } from "../../../../src/local/simulators/aso/aso.ts";
import { nextStatus } from "../../../../src/local/simulators/next-status.ts";
import type { Resource } from "../../../../src/local/simulators/types.ts";
import { lookupIn, resources, ruleOf } from "../../simulators/resources.ts";
import { context, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

/** Before the first of these versions lost its support. */
const CREATED = NOW - 90 * 86_400;

interface Said {
  /** `status.version`. */
  runs?: string;
  /** Reason and message of Ready; it is True if omitted. */
  ready?: readonly [reason: string, message: string];
}

function installed(provider: string, kubernetesVersion: string, { runs, ready }: Said): WorkloadObject {
  const spec = { provider, kubernetesVersion, nodePools: [{ name: "system", count: 3, cpu: 2, memory: 8 }] };
  const object: WorkloadObject = { ...vm(spec), kind: "KaasCluster" };
  const request = { uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null } as const;
  const condition = ready && { status: "False", reason: ready[0], message: ready[1] };
  const conditions = [{ type: "Ready", status: "True", reason: "Available", message: "", ...condition }];
  const managed = [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }];
  return {
    ...patched(object, admit(request, context(policy, CREATED))),
    status: { version: runs, conditions, managed },
  };
}

function change(oldObject: WorkloadObject, kubernetesVersion: string): Outcome {
  const object = { ...oldObject, spec: { ...oldObject.spec, kubernetesVersion } };
  const request = { uid: "2", operation: "UPDATE", kind: "KaasCluster", object, oldObject } as const;
  return admit(request, context(policy, NOW + 60));
}

const codes = (outcome: Outcome): string[] => (outcome.allowed ? [] : outcome.codes);

const REFUSED: Readonly<Record<string, Required<Said>>> = {
  aws: { runs: "1.34", ready: ["ProviderTerminal", "Cluster web: InvalidStateException: Upgrade readiness issues."] },
  azure: { runs: "1.34.2", ready: ["ProviderTerminal", "ManagedCluster web: K8sVersionNotSupported: …"] },
  gcp: { runs: "1.34.2-gke.100", ready: ["ProviderTerminal", "ContainerCluster web: BadRequest: Master version …"] },
};

describe.each(Object.entries(REFUSED))("the version of a cluster of %s", (provider, said) => {
  it("goes back after an upgrade that the provider refused", () => {
    const outcome = change(installed(provider, "1.35", said), "1.34");
    expect(codes(outcome)).toEqual([]);
  });

  it("goes back while the provider tries a refused upgrade again", () => {
    const ready = ["ProviderRetrying", said.ready[1]] as const;
    expect(codes(change(installed(provider, "1.35", { ...said, ready }), "1.34"))).toEqual([]);
  });

  it("does not go back while the upgrade is underway, or where another resource fails", () => {
    for (const ready of [
      ["Creating", `waiting for ${said.ready[1]}`],
      ["ProviderCapacity", "Nodegroup web-system: VcpuLimitExceeded: …"],
    ] as const) {
      const outcome = change(installed(provider, "1.35", { ...said, ready }), "1.34");
      expect(codes(outcome)).toEqual(["ADM_UPGRADE_UNDERWAY"]);
      expect(outcome.allowed ? "" : outcome.message).toContain(`${provider} runs 1.34, and its upgrade to 1.35`);
    }
  });

  it("does not go below what runs, or is not known to run", () => {
    const { ready } = said;
    expect(codes(change(installed(provider, "1.35", { ready, runs: "1.35.1" }), "1.34"))).toEqual(["ADM_DOWNGRADE"]);
    expect(codes(change(installed(provider, "1.35", {}), "1.34"))).toEqual(["ADM_DOWNGRADE"]);
  });

  it("rises one step above what runs", () => {
    const outcome = change(installed(provider, "1.35", said), "1.36");
    expect(codes(outcome)).toContain("ADM_UPGRADE_STEP");
    expect(outcome.allowed ? "" : outcome.message).toContain("the installed 1.34");
    expect(codes(change(installed(provider, "1.34", { runs: "1.34.2" }), "1.35"))).toEqual([]);
  });

  it("rises to what the provider has upgraded to itself", () => {
    expect(codes(change(installed(provider, "1.34", { runs: "1.35.1" }), "1.35"))).toEqual([]);
  });
});

/** What the provider says of a cluster that it has not made. */
const NEVER: Readonly<Record<string, Said>> = {
  aws: { ready: ["ProviderTerminal", "Cluster web: UnsupportedAvailabilityZoneException: …"] },
  azure: { ready: ["ProviderTerminal", "ManagedCluster web: ErrCode_InsufficientVCPUQuota: …"] },
  gcp: { ready: ["ProviderTerminal", "ContainerCluster web: BadRequest: Master version must be one of …"] },
};

function changed(oldObject: WorkloadObject, fields: Record<string, unknown>): Outcome {
  const object = { ...oldObject, spec: { ...oldObject.spec, ...fields } };
  return admit({ uid: "2", operation: "UPDATE", kind: "KaasCluster", object, oldObject }, context(policy, NOW + 60));
}

describe.each(Object.entries(NEVER))("a cluster that %s has refused and never made", (provider, said) => {
  const old = installed(provider, "1.35", said);
  const types = { aws: "m6i.large", azure: "Standard_D4s_v5", gcp: "n2-standard-2" }[provider];
  const retyped = { poolInstanceTypes: { system: types } };

  it("can get another version", () => {
    expect(codes(change(old, "1.34"))).toEqual([]);
    const made = { ...old, status: { ...(old.status as object), endpoint: "https://k.example" } };
    expect(codes(change(made, "1.34"))).toEqual(["ADM_DOWNGRADE"]);
  });

  it("can get another type of a pool if its operator takes that, or is to be created again", () => {
    const outcome = changed(old, retyped);
    expect(codes(outcome)).toEqual(provider === "azure" ? [] : ["ADM_POOL_FIXED"]);
    if (!outcome.allowed) expect(outcome.message).toContain("delete the object and create it again");
    const made = { ...old, status: { ...(old.status as object), endpoint: "https://k.example" } };
    expect(codes(changed(made, retyped))).toEqual(["ADM_POOL_FIXED"]);
  });
});

it("a cluster that AWS has refused and never made can get other zones, in which those that stay keep their place", () => {
  const old = installed("aws", "1.35", NEVER["aws"] ?? {});
  const before = old.spec?.["zones"] as string[];
  const other = `${(before[0] ?? "").slice(0, -1)}c`;
  expect(codes(changed(old, { zones: [other, before[1]] }))).toEqual([]);
  expect(codes(changed(old, { zones: [before[1], other] }))).toEqual(["ADM_IMMUTABLE"]);
  const made = { ...old, status: { ...(old.status as object), endpoint: "https://k.example" } };
  expect(codes(changed(made, { zones: [other, before[1]] }))).toEqual(["ADM_IMMUTABLE"]);
});

it("of EKS rises with the warning that its add-ons stay, and goes back without one", () => {
  const warned = (outcome: Outcome): boolean =>
    outcome.allowed && outcome.warnings.some((text) => text.includes("[ADDONS_KEPT]"));
  expect(warned(change(installed("aws", "1.34", { runs: "1.34" }), "1.35"))).toBe(true);
  expect(warned(change(installed("aws", "1.35", REFUSED["aws"] ?? {}), "1.34"))).toBe(false);
  expect(warned(change(installed("azure", "1.34", { runs: "1.34.2" }), "1.35"))).toBe(false);
});

describe("a cluster that AKS accepted and could not make, as the simulator shows it", () => {
  const API = "containerservice.azure.com/v1api20240901";
  const RETYPED = { poolInstanceTypes: { system: "Standard_D4s_v5" } };
  const rule = ruleOf(aso, "ManagedCluster");
  const lookup = lookupIn([]);
  const refusalOf = (resource: Resource) => rule.refuses?.(resource, lookup, []) ?? null;

  function asked(fault: string): Resource {
    const pool = "{name: system, mode: System, count: 3, vmSize: Standard_D2s_v5}";
    const [resource] = resources(`
apiVersion: ${API}
kind: ManagedCluster
metadata: {name: web, annotations: {landfall.dev/simulate: ${fault}}}
spec: {location: westeurope, dnsPrefix: web, kubernetesVersion: "1.35", agentPoolProfiles: [${pool}]}
`) as [Resource];
    return resource;
  }

  /** After one more attempt. */
  function attempted(resource: Resource): Resource {
    const refusal = refusalOf(resource);
    if (refusal === null) throw new TypeError("it is not refused");
    const subject = { family: aso, rule, resource };
    const status = nextStatus(subject, { name: "refused", refusal }, { lookup, nowMs: NOW * 1000 });
    return { ...resource, status: { ...resource.status, ...status } };
  }

  /** The object with the status that its controller writes from these states of its cluster, one after the other. */
  function after(states: readonly Resource[]): WorkloadObject {
    const old = installed("azure", "1.35", {});
    return states.reduce<WorkloadObject>((object, live) => {
      const found = [{ apiVersion: API, kind: live.kind, name: live.metadata.name, live }];
      const conditions = [summariseReadiness(found, NOW)];
      return { ...object, status: { ...(object.status as object), ...clusterStatus(found), conditions } };
    }, old);
  }

  it("is there from the second attempt on, with what cannot change", () => {
    const first = attempted(asked("fails-later"));
    expect(codes(changed(after([first]), RETYPED))).toEqual([]);
    const second = attempted(first);
    expect(second.status).toMatchObject({ provisioningState: "Failed" });
    const retyped = { ...second.spec, agentPoolProfiles: [{ name: "system", mode: "System", count: 3, vmSize: "b" }] };
    expect(refusalOf({ ...second, spec: retyped })?.code).toBe("PropertyChangeNotAllowed");
    const outcome = changed(after([first, second]), RETYPED);
    expect(codes(outcome)).toEqual(["ADM_POOL_FIXED"]);
    expect(outcome.allowed ? "" : outcome.message).toContain(
      "delete the object and create it again: the provider has a cluster that it could not finish",
    );
    expect(codes(changed(after([first]), { zones: ["1"] }))).toEqual([]);
    expect(codes(changed(after([second]), { zones: ["1"] }))).toEqual(["ADM_IMMUTABLE"]);
  });

  it("is known by the call that Azure accepted where ASO gives up and does not look again", () => {
    const annotations = { "serviceoperator.azure.com/poller-resume-id": "GenericClient.CreateOrUpdateByID" };
    const conditions = aso.conditions({ name: "creating" }, asked(""));
    const creating = { ...asked(""), status: { conditions } };
    const accepted = { ...creating, metadata: { ...creating.metadata, annotations } };
    const error = { code: "BadRequest", message: "…", terminal: true };
    const failed = {
      ...creating,
      status: { conditions: aso.conditions({ name: "refused", refusal: error }, creating) },
    };
    expect(codes(changed(after([accepted, failed]), RETYPED))).toEqual(["ADM_POOL_FIXED"]);
    expect(codes(changed(after([creating, failed]), RETYPED))).toEqual([]);
  });
});
