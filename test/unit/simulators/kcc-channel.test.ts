import { describe, expect, it } from "vitest";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { CHANNEL } from "../../../src/local/simulators/kcc/kcc-channel.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const MADE = "{selfLink: link, masterVersion: 1.35.0-gke.100}";

function cluster(channel: string | null, { had = "", status = "{}" } = {}): Resource {
  const [found] = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: web, annotations: {${had === "" ? "" : `${CHANNEL}: ${had}`}}}
spec: {location: europe-west1-b${channel === null ? "" : `, releaseChannel: {channel: ${channel}}`}}
status: ${status}
`) as [Resource];
  return found;
}

function pool(management: string, status = "{}"): Resource {
  const [found] = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: pool}
spec: {location: europe-west1-b, clusterRef: {name: web}, nodeCount: 1, management: ${management}}
status: ${status}
`) as [Resource];
  return found;
}

const answer = (resource: Resource, pools: readonly Resource[] = []): string | null =>
  ruleOf(kcc, resource.kind).refuses?.(resource, lookupIn([]), pools)?.message ?? null;

describe("a cluster of GKE without a release channel", () => {
  it.each<[string, Resource, boolean]>([
    ["is refused if it is new", cluster("UNSPECIFIED"), true],
    ["stays if it is there", cluster("UNSPECIFIED", { had: "UNSPECIFIED", status: MADE }), false],
    ["stays if an earlier simulator made it", cluster("UNSPECIFIED", { status: MADE }), false],
    ["is refused if it is in a channel", cluster("UNSPECIFIED", { had: "REGULAR", status: MADE }), true],
    ["is one in Google's own channel if it names none", cluster(null), false],
    ["enters a channel", cluster("STABLE", { had: "UNSPECIFIED", status: MADE }), false],
  ])("%s", (_name, resource, isRefused) => {
    expect(answer(resource)?.includes("must be enrolled in a release channel") ?? false).toBe(isRefused);
  });

  it("is in the channel that it names, or had, or that Google takes", () => {
    const remembered = (resource: Resource) => ruleOf(kcc, resource.kind).remembers?.(resource)[CHANNEL];
    expect(remembered(cluster("STABLE", { had: "REGULAR" }))).toBe("STABLE");
    expect(remembered(cluster(null, { had: "RAPID" }))).toBe("RAPID");
    expect(remembered(cluster(null))).toBe("REGULAR");
  });

  it("enters a channel after its pools have auto-upgrades", () => {
    const asked = cluster("REGULAR", { had: "UNSPECIFIED", status: MADE });
    expect(answer(asked, [pool("{autoRepair: true, autoUpgrade: false}")])).toContain("Auto_upgrade cannot be false");
    expect(answer(asked, [pool("{autoRepair: true, autoUpgrade: true}")])).toBeNull();
  });
});

describe("a pool in a release channel", () => {
  it.each<[string, string, string | null]>([
    ["{autoRepair: true, autoUpgrade: true}", "{}", null],
    [
      "{autoRepair: true, autoUpgrade: false}",
      "{}",
      "error creating NodePool: googleapi: Error 400: Auto_upgrade cannot be false when release_channel REGULAR is set., badRequest",
    ],
    [
      "{autoRepair: false, autoUpgrade: false}",
      MADE,
      "googleapi: Error 400: Auto_upgrade and auto_repair cannot be false when release_channel REGULAR is set., badRequest",
    ],
    [
      "{autoRepair: false, autoUpgrade: true}",
      "{}",
      "error creating NodePool: googleapi: Error 400: Auto_repair cannot",
    ],
  ])("with the management %s and the status %s", (management, status, expected) => {
    const known = [cluster("REGULAR", { had: "REGULAR", status: MADE })];
    const said = ruleOf(kcc, "ContainerNodePool").refuses?.(pool(management, status), lookupIn(known))?.message ?? null;
    if (expected === null) expect(said).toBeNull();
    else expect(said).toContain(expected);
  });

  it("is as its user likes where the cluster is in none", () => {
    const known = [cluster("UNSPECIFIED", { had: "UNSPECIFIED", status: MADE })];
    const manual = pool("{autoRepair: true, autoUpgrade: false}");
    expect(ruleOf(kcc, "ContainerNodePool").refuses?.(manual, lookupIn(known)) ?? null).toBeNull();
  });
});
