import { execa } from "execa";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { protectionsOff } from "../../../../src/flags/protections-off.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";
import { LANDFALL_CHART, type Rendered, renderLandfall } from "../../../support/charts/render-landfall.ts";

const VALUES = {
  image: { repository: "registry.example/landfall" },
  bundle: {
    ref: "registry.example/policies/landfall:1.0",
    settings: { identities: [{ issuer: "i", subject: "s" }], trustRoot: "trusted_root.json" },
    keys: { "trusted_root.json": "{}" },
  },
  webhook: { clientCertificate: { ca: "-----BEGIN CERTIFICATE-----", commonName: "kube-apiserver" } },
  charts: { repository: "oci://registry.example/charts" },
};
const bundle = (given: object) => ({ ...VALUES, bundle: { ...VALUES.bundle, ...given } });
const team = { name: "t", kind: "policy", ref: "registry.example/team:1", signatures: "off" };
const signers = { keys: ["/a.pub"] };

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landfall-doors-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** What helm prints after an installation with these values. */
async function notes(values: object): Promise<string> {
  const file = join(home, "values.json");
  await writeFile(file, JSON.stringify(values));
  const args = [
    "install",
    "landfall",
    LANDFALL_CHART,
    "--dry-run=client",
    "--namespace",
    "landfall-system",
    "-f",
    file,
  ];
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const { stdout } = await execa(await toolPath("helm"), args, { env });
  return stdout.slice(stdout.indexOf("NOTES:"));
}

describe("85: values that take a protection away", () => {
  it.each([
    ["off", { signatures: "off" }, "bundle.settings.signatures is off"],
    ["optional, also with keys", { ...signers, signatures: "optional" }, "bundle.settings.signatures is optional"],
    ["off without quotes, which is a boolean", { ...signers, signatures: false }, "reads off and on without quotes"],
    ["another word", { ...signers, signatures: "none" }, "bundle.settings.signatures is none"],
    ["off for a team", { ...signers, bundles: [team] }, "bundles[0].signatures is off"],
    ["required of nobody", { poll: { seconds: 9 } }, "names neither keys nor identities"],
  ])("are refused for signatures of bundles: %s", async (_, settings, expected) => {
    expect((await renderLandfall(bundle({ settings }))).error).toContain(expected);
  });

  it("are refused for signatures of charts", async () => {
    const controller = { chartSettings: { ...signers, signatures: "off" } };
    expect((await renderLandfall({ ...VALUES, controller })).error).toContain(
      "controller.chartSettings.signatures is off",
    );
  });

  it("are accepted for a test that says so", async () => {
    const settings = { signatures: "optional", bundles: [team] };
    expect((await renderLandfall(bundle({ unsigned: true, settings }))).error).toBeNull();
    expect((await renderLandfall(VALUES)).error).toBeNull();
  });

  it.each([
    ["bundle.unsigned", bundle({ settings: {}, unsigned: true })],
    [
      "bundle.settings.bundles: signatures of t are off",
      bundle({ unsigned: true, settings: { signatures: "off", bundles: [team] } }),
    ],
    ["registry.plainHttp", { ...VALUES, registry: { plainHttp: true } }],
    ["charts.insecureSkipVerifyTLS", { ...VALUES, charts: { ...VALUES.charts, insecureSkipVerifyTLS: true } }],
    ["networkPolicy.enabled is false", { ...VALUES, networkPolicy: { enabled: false } }],
    ["krateo.admissionPolicies is false", { ...VALUES, krateo: { enabled: true, admissionPolicies: false } }],
    ["webhook.hostNetwork is true", { ...VALUES, webhook: { ...VALUES.webhook, hostNetwork: true } }],
    ["webhook.failurePolicy is Ignore", { ...VALUES, webhook: { ...VALUES.webhook, failurePolicy: "Ignore" } }],
  ])("are listed after an installation: %s", async (expected, values) => {
    expect(await notes(values)).toContain(`  - ${expected}`);
  });

  it("are not listed if there are none", async () => {
    const closed = {
      ...VALUES,
      controller: { chartSettings: signers },
      ...{ networkPolicy: { apiServerCidrs: ["10.0.0.1/32"] }, providerObjects: { enforce: true } },
    };
    expect(await notes(closed)).not.toContain("leave open");
    expect(protectionsOff({ bundles: { bundle: "required" }, charts: "required", failurePolicy: "Fail" })).toEqual([]);
  });

  it("are logged by the processes as they start", () => {
    const open = protectionsOff({
      ...{ bundles: { bundle: "required", t: "off" }, charts: "not checked", plainHttp: true },
      ...{ allowUndecided: true, allowSelectors: true, failurePolicy: "Ignore" },
    });
    expect(open).toHaveLength(6);
    expect(open[0]).toContain("signatures of t are off");
  });
});

describe("85: connections of the processes", () => {
  const egressOf = (objects: Rendered[]): number[] => {
    const policy = objects.find(
      ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "landfall-controller",
    );
    const { egress = [] } = (policy?.["spec"] ?? {}) as { egress?: { ports: { port: number }[] }[] };
    return egress.flatMap(({ ports }) => ports.map(({ port }) => port)).filter((port) => port !== 53);
  };

  it("are allowed to the ports that the values name, and to no others", async () => {
    expect(egressOf((await renderLandfall(VALUES)).objects)).toEqual([443, 6443]);
    const values = {
      ...bundle({
        ref: "registry.example:5000/policies/landfall:1.0",
        settings: { ...signers, bundles: [{ ...team, signatures: "required", ref: "[fd00::1]:5001/team:1" }] },
      }),
      charts: { repository: "oci://charts.example:8443/landfall" },
      webhook: { ...VALUES.webhook, decisionLog: { target: "http://log.example/v1" } },
      forecasts: {
        sources: [{ name: "sdk", type: "carbon-aware-sdk", url: "http://sdk.example:8085", locations: { DE: "de" } }],
        measured: [{ name: "hours", type: "electricity-maps", url: "https://hours.example:8086" }],
      },
      elemento: { enabled: true, allowedUrls: ["https://elemento.example:8087/v1"] },
    };
    expect(egressOf((await renderLandfall(values)).objects).sort((a, b) => a - b)).toEqual([
      ...[80, 443, 5000, 5001, 6443, 8085, 8086, 8087, 8443],
    ]);
    // A name without a host is none: its colon begins a tag.
    expect((await renderLandfall(bundle({ ref: "landfall:1" }))).error).toContain("/bundle/ref");
  });
});
