import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { withKopsOptions } from "../../../src/cli/commands/kops/kops-options.ts";
import { policyFile } from "../../support/load-policy.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "landfall-kops-"));
const key = join(folder, "id.pub");
let bundle = "";
beforeAll(async () => {
  bundle = await policyFile();
  writeFileSync(key, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@example.com\n");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function landfall(args: readonly string[], input = ""): { code: number | null; out: string; err: string } {
  const all = [join(root, "bin/landfall.js"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    input,
    encoding: "utf8",
    env: { ...process.env },
  });
  return { code: status, out: stdout, err: stderr };
}

const exported = (input: string, ...args: string[]) =>
  landfall(["export", "kops", "-f", "-", "--bundle", bundle, "--now", "2026-11-20T22:00:00Z", ...args], input);
const kaas = (spec: string, kind = "KaasCluster"): string =>
  `apiVersion: composition.krateo.io/v0-1-0\nkind: ${kind}\nmetadata: {name: edge, namespace: demo}\nspec: ${spec}\n`;
const EDGE = kaas(
  "{provider: elemento, dataResidency: [EU], nodePools: [{name: workers, count: 2, cpu: 2, memory: 2}]}",
);

interface Listed {
  manifests: { kind: string }[];
  command: string[];
  notes: { code: string; path: string }[];
}

describe("landfall export kops, landfall import kops", () => {
  it("prints manifests that the other command reads, and losses on standard error", () => {
    const there = exported(EDGE, "--ssh-public-key", key, "--state", "s3://state");
    expect(there.code).toBe(0);
    const kinds = parseAllDocuments(there.out).map((document) => (document.toJS() as { kind: string }).kind);
    expect(kinds).toEqual(["Cluster", "InstanceGroup", "InstanceGroup", "SSHCredential"]);
    expect(there.err).toMatch(/KOPS_NOT_MAPPED +spec\.dataResidency\[0\] \(EU\)/);
    const back = landfall(["import", "kops", "-f", "-", "-n", "demo"], there.out);
    expect(back.code).toBe(0);
    expect(parse(back.out)).toMatchObject({
      kind: "KaasCluster",
      metadata: { name: "edge", namespace: "demo" },
      spec: { provider: "elemento", nodePools: [{ name: "workers", count: 2, cpu: 2, memory: 2 }] },
    });
    expect(back.err).toMatch(/KOPS_NOT_MAPPED +SSHCredential\/admin/);
    // What comes back is decided as it was: the same place, the same types.
    const again = exported(back.out, "--ssh-public-key", key, "--state", "s3://state");
    expect(again.out).toBe(there.out);
  });

  it("uses an object's own decision, without a policy", () => {
    const spec =
      "{provider: aws, schedulingLocation: eu-west-1, schedulingTime: '2026-01-01T00:00:00Z', kubernetesVersion: '1.34', zones: [eu-west-1a], poolInstanceTypes: {a: m7i.large}, nodePools: [{name: a, cpu: 2, memory: 8}]}";
    const object = kaas(spec).replace("namespace: demo", "namespace: demo, annotations: {landfall.dev/decision: x}");
    const { code, out } = landfall(["export", "kops", "-f", "-", "--bundle", "/nonexistent", "-o", "json"], object);
    expect(code).toBe(0);
    const { manifests, notes } = JSON.parse(out) as Listed;
    expect(manifests).toHaveLength(3);
    expect(notes.map((one) => one.code)).toContain("KOPS_NO_SSH_KEY");
    const wrong = object.replace("eu-west-1a", "EU_WEST");
    expect(landfall(["export", "kops", "-f", "-"], wrong)).toMatchObject({ code: 2, out: "" });
  });

  it("prints the line of kops create cluster", () => {
    const { code, out } = exported(
      EDGE,
      "--command",
      "--zone",
      "europe",
      "--target",
      "terraform",
      "--image",
      "it's --odd",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^kops create cluster \\\n {2}--name=edge\.k8s\.local \\\n/);
    expect(out).toContain("--zones=europe \\\n");
    expect(out).toContain("\n  '--image=it'\\''s --odd' \\\n");
    expect(out).toMatch(/ {2}--target=terraform\n$/);
    const { command, notes } = JSON.parse(exported(EDGE, "--command", "-o", "json").out) as Listed;
    expect(command).toContain("--cloud=elemento");
    expect(notes.map((one) => one.code)).toContain("KOPS_COMMAND");
  });

  it("ends with 3 and the reason for a cluster that is denied", () => {
    const { code, out } = exported(kaas("{provider: aws, nodePools: [{name: a, cpu: 2, memory: 64000}]}"));
    expect(code).toBe(3);
    expect(out).toMatch(/^# KaasCluster demo\/edge {2}DENIED/);
    expect(out).toContain("PLACEMENT_NONE");
  });

  const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
  it.each([
    ["another provider", kaas("{provider: azure, nodePools: [{name: a, cpu: 2, memory: 4}]}"), [], "KOPS_PROVIDER"],
    ["a machine", kaas("{cpu: 2, memory: 4}", "VmTemplate"), [], "KOPS_KIND"],
    ["a private key", EDGE, ["--ssh-public-key", join(folder, "id")], "KOPS_SSH_KEY"],
    ["a zone of another provider", EDGE, ["--zone", "fsn1"], "KOPS_ZONE"],
  ])("ends with 2 for %s", (_name, input, args, text) => {
    writeFileSync(join(folder, "id"), secret);
    const { code, out, err } = exported(input, ...args);
    expect(err).toContain(text);
    expect(err).not.toContain("PRIVATE");
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  it.each([
    ["--state", "bucket", "s3://my-state"],
    ["--control-plane-volume", "8", "from 32 to 2048"],
    ["--control-plane-volume", "many", "from 32 to 2048"],
    ["--kubernetes-version", "1.34", "1.35.2"],
    ["--ssh-access", "10.0.0.0/40", "expected networks"],
    ["--admin-access", "office", "expected networks"],
    ["--dns-zone", "a b", "expected a DNS name"],
    ["--dns", "some", "none, public, private"],
    ["--provider", "gcp", "aws, elemento"],
  ])("takes no %s %s", (flag, value, text) => {
    const command = withKopsOptions(new Command().exitOverride().configureOutput({ writeErr: () => undefined }));
    expect(() => command.parse([flag, value], { from: "user" })).toThrow(text);
  });

  it.each([
    ["no manifest of kOps", EDGE, "KOPS_MANIFEST"],
    ["no YAML", "a: [", "CLI_YAML"],
  ])("import ends with 2 for %s", (_name, input, text) => {
    const { code, out, err } = landfall(["import", "kops", "-f", "-"], input);
    expect(err).toContain(text);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
});
