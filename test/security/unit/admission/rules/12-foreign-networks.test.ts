import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { NamespaceData } from "../../../../../src/model/kubernetes.ts";
import { context, create, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const TEAM: NamespaceData = { name: "team", labels: {}, annotations: {} };
const PLACE = {
  gcp: { provider: "gcp", schedulingLocation: "europe-west8" },
  azure: { provider: "azure", schedulingLocation: "italynorth" },
  aws: { provider: "aws", schedulingLocation: "eu-south-1" },
};
const PROD = "projects/other-team/global/networks/prod";
const SUBNET = "projects/other-team/regions/europe-west8/subnetworks/prod";
const HUB = "/subscriptions/1/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/hub/subnets/a";

const ask = (place: keyof typeof PLACE, existing: object, namespace = TEAM) => {
  const object = vm({ cpu: 2, memory: 4, ...PLACE[place], network: { existing } }, { namespace: namespace.name });
  return admit(create(object), { ...context(policy), namespace });
};

describe("12: network.existing of another project or subscription", () => {
  it.each<[string, keyof typeof PLACE, object]>([
    ["a network of another project, open to all", "gcp", { network: PROD, subnet: SUBNET }],
    ["a self link", "gcp", { network: `https://www.googleapis.com/compute/v1/${PROD}`, subnet: "a" }],
    ["a subnet of another subscription", "azure", { subnet: HUB }],
  ])("denies %s", (_name, place, existing) => {
    const outcome = ask(place, existing);
    expect(outcome.allowed).toBe(false);
    expect(outcome.allowed ? "" : outcome.message).toContain("POL_NETWORK_FOREIGN");
  });

  it("allows the namespace's own project, and ids without an owner", () => {
    const own = { ...TEAM, annotations: { "cnrm.cloud.google.com/project-id": "other-team" } };
    expect(ask("gcp", { network: PROD, subnet: SUBNET }, own)).toMatchObject({ allowed: true });
    expect(ask("aws", { network: "vpc-1", subnet: "subnet-1" })).toMatchObject({ allowed: true });
  });

  it("denies a change to it", () => {
    const before = vm({ cpu: 2, memory: 4, ...PLACE.gcp, network: { existing: { network: "a", subnet: "b" } } });
    const namespace = { ...TEAM, name: "demo" };
    const stored = patched(before, admit(create(before), { ...context(policy), namespace }));
    const after = { ...stored, spec: { ...stored.spec, network: { existing: { network: PROD, subnet: SUBNET } } } };
    expect(admit(update(stored, after), { ...context(policy), namespace })).toMatchObject({ allowed: false });
  });
});
