import { expect, it } from "vitest";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const rule = (prefixes: string): Resource =>
  resources(`
apiVersion: network.azure.com/v1api20201101
kind: NetworkSecurityGroupsSecurityRule
metadata: {name: web-allow-0}
spec: {priority: 1000, protocol: Tcp, ${prefixes}}
`)[0] as Resource;

it.each([
  ["sourceAddressPrefixes: [10.0.0.0/8, 10.1.0.0/16, 192.168.0.0/16]", "[10.0.0.0/8, 10.1.0.0/16]"],
  ["sourceAddressPrefixes: [0.0.0.0/0, 192.168.0.0/16]", "[0.0.0.0/0, 192.168.0.0/16]"],
  ["sourceAddressPrefixes: [10.0.0.0/16, 10.1.0.0/16]", null],
  ['sourceAddressPrefix: "*"', null],
])("Azure, as it is simulated, answers to a rule for %s", (prefixes, expected) => {
  const refusal = ruleOf(aso, "NetworkSecurityGroupsSecurityRule").refuses?.(rule(prefixes), lookupIn([])) ?? null;
  if (expected === null) expect(refusal).toBeNull();
  else {
    expect(refusal).toMatchObject({ code: "OverlappingSubnetsNotPermittedInSecurityRule", terminal: true });
    expect(refusal?.message).toContain(expected);
  }
});

it.each([
  ["10.0.0.0/11", "InvalidParameter"],
  ["10.0.0.0/12", undefined],
  ["172.20.0.0/16", undefined],
])("AKS, as it is simulated, answers to the range of services %s", (serviceCidr, code) => {
  const [cluster] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
spec: {networkProfile: {serviceCidr: ${serviceCidr}}, agentPoolProfiles: [{name: a, count: 1}]}
`) as [Resource];
  expect(ruleOf(aso, "ManagedCluster").refuses?.(cluster, lookupIn([]))?.code).toBe(code);
});

it.each([
  ["a-24-characters-12345678", "InvalidParameter"],
  ["short", undefined],
])("AKS, as it is simulated, answers to a cluster %s that names no group for its nodes", (name, code) => {
  const azureName = `${name}-12b9377c`;
  const found = resources(`
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: web-rg, namespace: demo}
spec: {azureName: ${azureName}, location: germanywestcentral}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web, namespace: demo}
spec: {azureName: ${azureName}, location: germanywestcentral, owner: {name: web-rg}, agentPoolProfiles: [{name: a, count: 1}]}
`);
  const cluster = found[1] as Resource;
  const answer = (one: Resource) => ruleOf(aso, "ManagedCluster").refuses?.(one, lookupIn(found))?.code;
  expect(answer(cluster)).toBe(code);
  expect(answer({ ...cluster, spec: { ...cluster.spec, nodeResourceGroup: "MC_web" } })).toBeUndefined();
});

it.each([
  ["10.0.0.0/16", undefined],
  ["168.63.0.0/16", "InvalidAddressPrefix"],
])("Azure, as it is simulated, answers to the virtual network %s", (prefix, code) => {
  const [network] = resources(`
apiVersion: network.azure.com/v1api20240301
kind: VirtualNetwork
metadata: {name: web}
spec: {location: westeurope, addressSpace: {addressPrefixes: [${prefix}]}}
`) as [Resource];
  expect(ruleOf(aso, "VirtualNetwork").refuses?.(network, lookupIn([]))?.code).toBe(code);
});
