import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse, stringify } from "yaml";
import { ANNOTATION } from "../../../src/model/names.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "shown";
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl somebody@example.org";
let base: string;
let kubectl: string;

const call = async (...args: string[]): Promise<string> =>
  (await run(kubectl, ["--kubeconfig", kubeconfig, "-n", NAMESPACE, ...args])).stdout;

const landfall = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, ["bin/landfall.js", ...args, "--kubeconfig", kubeconfig])).stdout;

const live = async (): Promise<Resource> =>
  JSON.parse(await call("get", "vmtemplate", "web", "-o", "json")) as Resource;

/** The rows of a table as objects of titles and values. */
function rowsOf(table: string): Record<string, string>[] {
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));
  return rows.map((cells) => Object.fromEntries(head.map((title, index) => [title, cells[index] ?? ""])));
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-get-"));
  kubectl = await toolPath("kubectl");
  await run(kubectl, ["--kubeconfig", kubeconfig, "create", "namespace", NAMESPACE]);
  const spec = {
    ...{ cpu: 2, memory: 4, provider: "azure", sshPublicKey: KEY, network: { publicIP: true } },
    disks: [{ name: "data", sizeGiB: 20 }],
  };
  const file = join(base, "web.yaml");
  await writeFile(file, stringify(vm(spec, { name: "web", namespace: NAMESPACE })));
  await call("apply", "-f", file);
  await call("wait", "--for=condition=Ready", "--timeout=150s", "vmtemplate/web");
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

describe("a machine that is ready", () => {
  it("has its addresses, its id and its disks in status, and kubectl get -o wide shows them", async () => {
    const { machine } = (await live()).status ?? {};
    expect(machine).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      resource: expect.stringContaining("/providers/Microsoft.Compute/virtualMachines/web") as string,
      publicAddresses: [expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) as string],
      privateAddresses: ["10.0.0.4"],
      disks: [{ name: "data", id: expect.stringContaining("/providers/Microsoft.Compute/disks/") as string }],
    });
    const { id, publicAddresses } = machine as { id: string; publicAddresses: string[] };
    const [row] = rowsOf(await call("get", "vmtemplates", "-o", "wide"));
    expect(row).toMatchObject({ NAME: "web", ADDRESS: publicAddresses[0], INTERNAL: "10.0.0.4", ID: id });
    expect(await call("get", "vmtemplates")).not.toContain(id);
  });

  it("keeps nothing that somebody writes there past the next reconciliation", async () => {
    const before = (await live()).status?.["machine"];
    const forged = { status: { machine: { id: "i-forged", publicAddresses: ["203.0.113.9"], disks: null } } };
    await call("patch", "vmtemplate", "web", "--subresource=status", "--type=merge", "-p", JSON.stringify(forged));
    await call("label", "vmtemplate", "web", "looked=again");
    await expect
      .poll(async () => (await live()).status?.["machine"], { timeout: 60_000, interval: 500 })
      .toEqual(before);
  });

  it("is shown with the decision that it has, and no new one is made", async () => {
    const { metadata } = await live();
    const { id } = JSON.parse(metadata.annotations?.[ANNOTATION.decision] ?? "{}") as { id: string };
    for (const command of [
      ["get", `${NAMESPACE}/web`],
      ["explain", "vmtemplate", `${NAMESPACE}/web`],
    ]) {
      const text = await landfall(...command);
      expect(text).toMatch(new RegExp(`^VmTemplate ${NAMESPACE}/web  Available  decision ${id}\n`));
      expect(text).toContain("  address  ");
      expect(text).toContain("10.0.0.4 (private)");
      expect(text).toMatch(/ {2}why {6}\d+ places · /);
    }
    expect((await live()).metadata.annotations).toEqual(metadata.annotations);
    const value = JSON.parse(await landfall("get", `${NAMESPACE}/web`, "-o", "json")) as { decision: { id: string } };
    expect(value.decision.id).toBe(id);
    const [row] = rowsOf(await landfall("get", "vmtemplates", "-n", NAMESPACE, "-o", "wide"));
    expect(row).toMatchObject({ OBJECT: `${NAMESPACE}/web`, INTERNAL: "10.0.0.4", DECISION: id });
  });

  it("that does not exist is an error with a code", async () => {
    await expect(landfall("get", `${NAMESPACE}/other`)).rejects.toThrow(
      `the cluster has no VmTemplate or KaasCluster ${NAMESPACE}/other; see \`landfall get\` for all objects that you may read [CLI_OBJECT_NONE]`,
    );
  });
});

/** Commands that read a cluster, and a text that `-o wide` has. */
const READERS: [command: string, args: () => string[], wide: RegExp][] = [
  ["get", () => ["get", "vmtemplates", "-n", NAMESPACE], /DECISION/],
  ["explain NAMESPACE/NAME", () => ["explain", `${NAMESPACE}/web`], /DECISION/],
  ["diff", () => ["diff", "-f", join(base, "web.yaml")], / {2} VirtualMachine web/],
  ["audit", () => ["audit", "-n", NAMESPACE, "--all"], /VERDICT +OBJECT +WHERE +TO +SAVES +STARTED +WHAT/],
  ["doctor", () => ["doctor", "--namespace", NAMESPACE], /^ok +placement\.landfall\.dev/],
];

describe.each(READERS)("landfall %s", (_, args, wide) => {
  it("prints the same value as JSON and as YAML, and more for people with -o wide", async () => {
    const run = (format: string) => runCommand([...args(), "--kubeconfig", kubeconfig, "-o", format]);
    const [json, yaml, detailed] = await Promise.all(["json", "yaml", "wide"].map(run));
    expect([json?.err, yaml?.err, detailed?.err]).toEqual(["", "", ""]);
    // Each call measures how long its own dry run took.
    const valueOf = (text = ""): unknown => parse(text.replaceAll(/in \d+ ms/g, "in 1 ms"));
    expect(valueOf(yaml?.out)).toEqual(valueOf(json?.out));
    expect(json?.out).toMatch(/^[{[]/);
    expect(yaml?.out).not.toMatch(/^[{[]/);
    expect(detailed?.out).toMatch(wide);
  });
});
