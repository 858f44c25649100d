import { expect, it } from "vitest";
import { awaitedValue, readAwaits } from "../../../../src/composition/managed/read-awaits.ts";
import type { Resource } from "../../../../src/composition/types.ts";

/** The value that `path` awaits of a cluster with this status. */
function awaited(path: string, status: Record<string, unknown>): unknown {
  const annotations = { "landfall.dev/awaits": `containerservice.azure.com/ManagedCluster/web:${path}` };
  const cluster: Resource = {
    apiVersion: "v1",
    kind: "ManagedCluster",
    metadata: { name: "web", annotations },
    status,
  };
  const [found] = readAwaits([cluster]);
  expect(found).toBeDefined();
  return found && awaitedValue(cluster, found);
}

const pools = (first: Record<string, unknown>) => ({
  agentPoolProfiles: [
    { name: "other", on: true },
    { name: "first", ...first },
  ],
});

it.each([
  ["status.agentPoolProfiles[first].on", pools({ on: 3 }), 3],
  ["status.agentPoolProfiles[first].on!=false", pools({ on: true }), true],
  ["status.agentPoolProfiles[first].on!=false", pools({ on: false }), null],
  ["status.agentPoolProfiles[first].on!=false", pools({}), null],
  ["status.agentPoolProfiles[second].on", pools({ on: true }), null],
  ["status.agentPoolProfiles[first].on", {}, null],
  ["status.version!=1.34", { version: "1.34" }, null],
  ["status.version!=1.34", { version: "1.35" }, "1.35"],
  ["status.count!=2", { count: 2 }, null],
])("%s of %j is %j", (path, status, value) => {
  expect(awaited(path, status)).toBe(value);
});
