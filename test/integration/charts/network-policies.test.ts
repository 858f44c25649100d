// Who reaches the processes, and whom they reach.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { LANDFALL_CHART, podTemplates, renderLandfall } from "../../support/charts/render-landfall.ts";

const minimal = parse(await readFile(join(LANDFALL_CHART, "ci/minimal-values.yaml"), "utf8")) as object;

async function ingressOf(networkPolicy: Record<string, unknown>): Promise<unknown> {
  const { objects } = await renderLandfall({ ...minimal, webhook: { door: "none" }, networkPolicy });
  const policy = objects.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "landfall-webhook");
  const spec = policy?.["spec"] as { ingress: { from?: unknown }[] } | undefined;
  return spec?.ingress[0]?.from;
}

it.each(["full", "krateo"])(
  "every process of the %s values is closed in both directions, but for what is named",
  async (name) => {
    const { objects } = await renderLandfall(`${name}-values.yaml`);
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    const components = podTemplates(objects)
      .filter((one) => one.name.startsWith("Deployment "))
      .map(({ metadata }) => metadata.labels["app.kubernetes.io/component"] ?? "");
    expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual(
      components.map((one) => `landfall-${one}`).sort(),
    );
    for (const { spec, metadata } of policies) {
      const { policyTypes, podSelector } = spec as { policyTypes: string[]; podSelector: { matchLabels: object } };
      expect(policyTypes, metadata.name).toEqual(["Ingress", "Egress"]);
      const [component] = components.filter((one) => metadata.name === `landfall-${one}`);
      expect(podSelector.matchLabels).toMatchObject({ "app.kubernetes.io/component": component });
    }
  },
);

it("the webhook can be reached by the named addresses and Pods, or by all but Pods", async () => {
  const konnectivity = { namespace: "kube-system", labels: { "k8s-app": "konnectivity-agent" } };
  expect(await ingressOf({ apiServerCidrs: ["10.0.0.0/28"], apiServerPods: [konnectivity] })).toEqual([
    { ipBlock: { cidr: "10.0.0.0/28" } },
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "konnectivity-agent" } },
    },
  ]);
  expect(await ingressOf({ podCidrs: ["10.244.0.0/16", "fd00::/48"] })).toEqual([
    { ipBlock: { cidr: "0.0.0.0/0", except: ["10.244.0.0/16"] } },
    { ipBlock: { cidr: "::/0", except: ["fd00::/48"] } },
  ]);
  expect(await ingressOf({})).toBeUndefined();
});
