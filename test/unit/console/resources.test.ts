import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { readResources } from "../../../src/console/resources/read-resources.ts";
import { resourcesOf } from "../../../src/console/resources/resource-of.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { layersOf } from "../../../web/src/pages/object/layers.ts";
import { answering } from "../../support/console/console-app.ts";

const entry = (resource: string, name: string) => ({
  ...{ apiVersion: "example/v1", resource, name, namespace: "demo" },
  path: `/apis/example/v1/namespaces/demo/${resource}/${name}`,
});

const object = (spec: object, conditions: object[], status: object = {}): Resource =>
  ({ apiVersion: "example/v1", kind: "X", metadata: {}, spec, status: { ...status, conditions } }) as Resource;

const READY = {
  type: "Ready",
  status: "True",
  reason: "Succeeded",
  message: "",
  lastTransitionTime: "2026-11-20T22:00:00Z",
};
const { signal } = new AbortController();
const inDemo = { ...object({}, []), metadata: { name: "web", namespace: "demo" } };
const SYNCED = { type: "ACK.ResourceSynced", status: "True" };

describe("the resources of an object", () => {
  it("have the state that each provider's operator reports", () => {
    const states = (conditions: object[]): string | undefined =>
      resourcesOf([{ entry: entry("x", "a"), live: object({}, conditions) }])[0]?.state;
    expect(states([READY])).toBe("ready");
    expect(states([SYNCED])).toBe("ready");
    expect(states([SYNCED, { type: "ACK.Terminal", status: "True", message: "quota" }])).toBe("failing");
    expect(states([SYNCED, { type: "ACK.Terminal", status: "False" }])).toBe("ready");
    // ASO says how bad it is; Config Connector says it by the reason.
    expect(states([{ ...READY, status: "False", severity: "Error", reason: "AuthorizationFailed" }])).toBe("failing");
    expect(states([{ ...READY, status: "False", severity: "Info", reason: "Reconciling" }])).toBe("waiting");
    expect(states([{ ...READY, status: "False", severity: "Warning", reason: "QuotaExceeded" }])).toBe("failing");
    expect(states([{ ...READY, status: "False", severity: "Warning", reason: "WaitingForOwner" }])).toBe("waiting");
    expect(states([{ ...READY, status: "False", reason: "UpdateFailed" }])).toBe("failing");
    expect(states([])).toBe("unknown");
    const [seen, hidden] = resourcesOf([
      { entry: entry("x", "a"), live: object({}, []) },
      { entry: entry("x", "b"), live: "hidden" },
    ]);
    expect([seen?.kind, hidden?.kind]).toEqual(["X", "x"]);
  });

  it("know by their specs which others they need, in the ways of the three operators", () => {
    const read = [
      { entry: entry("networks", "net"), live: object({}, [READY]) },
      { entry: entry("subnets", "sub"), live: object({ networkRef: { name: "net" } }, [READY]) },
      { entry: entry("groups", "group"), live: object({ vpcRef: { from: { name: "net" } } }, [SYNCED]) },
      {
        entry: entry("machines", "vm"),
        live: object(
          {
            ...{ name: "net", owner: { name: "group" } },
            nics: [{ reference: { group: "x", kind: "Y", name: "sub" } }],
            self: { reference: { name: "vm" } },
          },
          [READY],
          { ackResourceMetadata: { arn: "arn:aws:ec2:1" } },
        ),
      },
    ];
    const found = resourcesOf(read);
    expect(found.map(({ needs }) => needs)).toEqual([
      [],
      ["networks/demo/net"],
      ["networks/demo/net"],
      ["groups/demo/group", "subnets/demo/sub"],
    ]);
    expect(found[3]?.providerId).toBe("arn:aws:ec2:1");
    const columns = layersOf(found.toReversed()).map((layer) => layer.map(({ name }) => name));
    expect(columns).toEqual([["net"], ["group", "sub"], ["vm"]]);
  });

  it("are drawn also where two need each other", () => {
    const [a, b] = resourcesOf([
      { entry: entry("x", "a"), live: object({ bRef: { name: "b" } }, []) },
      { entry: entry("x", "b"), live: object({ aRef: { name: "a" } }, []) },
    ]);
    if (a === undefined || b === undefined) throw new Error("there are two");
    expect(layersOf([a, b]).flat().length).toBe(2);
  });

  it("are read with the user's rights alone, and by no other path than one of the API server", async () => {
    const [own, foreign, gone] = [entry("x", "a"), entry("x", "secret"), entry("x", "gone")];
    const asked: string[] = [];
    const base = answering({ [own.path]: object({}, [READY]) });
    const client: KubeClient = {
      ...base,
      get: async <T>(path: Parameters<KubeClient["get"]>[0]) => {
        asked.push(path);
        if (path === foreign.path) throw new ApiError(403, { action: path, detail: "forbidden" });
        return path === gone.path ? null : base.get<T>(path);
      },
    };
    const managed = [
      own,
      foreign,
      gone,
      { ...own, name: "b", path: "/apis/../../api/v1/secrets" },
      { ...own, name: "c", path: "" },
    ];
    const { resources, isCut } = await readResources({ client, signal }, { ...inDemo, status: { managed } });
    expect(resources.map(({ name, state }) => [name, state])).toEqual([
      ["a", "ready"],
      ["secret", "hidden"],
      ["gone", "absent"],
      ["b", "unknown"],
      ["c", "unknown"],
    ]);
    expect(asked).toEqual([own.path, foreign.path, gone.path]);
    expect(isCut).toBe(false);
  });

  it("are at most 200, and the rest is said to be there", async () => {
    const managed = Array.from({ length: 250 }, (_, at) => ({ ...entry("x", `n${String(at)}`), path: "" }));
    const { resources, isCut } = await readResources(
      { client: answering({}), signal },
      { ...inDemo, status: { managed } },
    );
    expect([resources.length, isCut]).toEqual([200, true]);
  });
});
