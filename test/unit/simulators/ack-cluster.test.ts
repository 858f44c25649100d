import { describe, expect, it } from "vitest";
import { readiness } from "../../../src/composition/status/readiness.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { RUNNING } from "../../../src/local/simulators/pool-versions.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const rule = ruleOf(ack, "Cluster");

/** A cluster that EKS has made with this spec, with the fault that is asked for. */
function clusterOf(spec: string, fault: string): Resource {
  const [one] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Cluster
metadata: {name: web, labels: {simulate: "${fault}"}, annotations: {${RUNNING}: "1.35"}}
spec: {name: web, version: "1.35", ${spec}}
`) as [Resource];
  return withMemory(made(ack, one));
}

function withMemory(resource: Resource): Resource {
  const known = Object.entries(rule.remembers?.(resource) ?? {}).filter(
    (one): one is [string, string] => one[1] !== null,
  );
  const annotations = { ...resource.metadata.annotations, ...Object.fromEntries(known) };
  return { ...resource, metadata: { ...resource.metadata, annotations } };
}

const refusal = (resource: Resource, spec: object = {}) =>
  rule.refuses?.({ ...resource, spec: { ...resource.spec, ...spec } }, lookupIn([])) ?? null;

describe("a cluster without Auto Mode of which EKS shows the switches", () => {
  const shown = "shows-auto-mode";
  const off = { enabled: false };
  const all = {
    ...{ computeConfig: off, storageConfig: { blockStorage: off } },
    kubernetesNetworkConfig: { elasticLoadBalancing: off },
  };
  const text =
    "computeConfig: {enabled: false}, storageConfig: {blockStorage: {enabled: false}}, kubernetesNetworkConfig: {elasticLoadBalancing: {enabled: false}}";

  it("gets an update from ACK again and again that EKS refuses, also with all switches off", () => {
    const without = clusterOf("", shown);
    expect(refusal(without)).toMatchObject({ code: "InvalidParameterException", terminal: false });
    expect(refusal(without, all)).toMatchObject({ code: "InvalidRequestException", terminal: false });
    expect(refusal(clusterOf("", ""))).toBeNull();
    // The version is sent before.
    expect(refusal(without, { version: "1.36" })).toBeNull();
  });

  it("is left alone if it was made with them", () => {
    expect(refusal(clusterOf(text, shown))).toBeNull();
  });

  it("says what to write in place of EKS's words", () => {
    const without = clusterOf("", shown);
    const refused = refusal(without);
    if (refused === null) throw new TypeError("it is refused");
    const conditions = ack.conditions({ name: "refused", refusal: refused }, without);
    const { reason, message, terminal } = readiness({ ...without, status: { ...without.status, conditions } });
    expect({ reason, terminal }).toEqual({ reason: "OperatorFault", terminal: true });
    expect(message).toContain("aws eks describe-cluster");
  });
});

describe("a cluster whose spec does not name who reaches its public endpoint", () => {
  const access = (endpointPublicAccess: boolean, publicAccessCIDRs?: string[]) => ({
    resourcesVPCConfig: { endpointPublicAccess, ...(publicAccessCIDRs && { publicAccessCIDRs }) },
  });
  const open = ["0.0.0.0/0"];

  it("never ends if it becomes public, or was so: ACK asks for what EKS has", () => {
    const isPrivate = clusterOf("resourcesVPCConfig: {endpointPublicAccess: false}", "");
    expect(refusal(isPrivate)).toBeNull();
    expect(refusal(isPrivate, access(true))?.message).toContain("Cluster is already at the desired configuration");
    expect(refusal(isPrivate, access(true, open))).toBeNull();
    const opened = withMemory({ ...isPrivate, spec: { ...isPrivate.spec, ...access(true, open) } });
    expect(refusal(opened, access(false))?.message).toContain("Public Endpoint Restrictions: [0.0.0.0/0]");
    expect(refusal(opened, access(false, open))).toBeNull();
  });

  it("has them written into the spec where it is made public", () => {
    const isPublic = clusterOf("resourcesVPCConfig: {endpointPublicAccess: true}", "");
    expect(rule.writeBack?.(isPublic)).toEqual({ resourcesVPCConfig: { publicAccessCIDRs: open } });
    expect(rule.writeBack?.({ ...isPublic, spec: access(true, open) })).toBeNull();
    expect(rule.writeBack?.({ ...isPublic, spec: access(false) })).toBeNull();
  });
});
