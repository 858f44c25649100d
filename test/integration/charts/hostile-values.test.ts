import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CHART, chartWithoutSchema, type Manifest, renderVm } from "../../support/charts/render-vm.ts";

async function render(name: string, change: Record<string, unknown>): Promise<Manifest[]> {
  const values = parse(await readFile(join(CHART, "ci", `${name}-values.yaml`), "utf8")) as Record<string, unknown>;
  return renderVm({ ...values, ...change }, bare);
}

// The schema refuses most of these before a template sees them; the templates have to hold without it.
const bare = await chartWithoutSchema();

const find = (manifests: Manifest[], kind: string): Manifest | undefined =>
  manifests.find((manifest) => manifest.kind === kind);

const INJECTED = "x\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: stolen}\nspec:\n  a: b";
const KEY = 'ssh-ed25519 AAAA "}\t---: &a *b {{ .Release }}';

describe("a value stays a value: it adds no manifest and no field", () => {
  it.each([
    ["aws-minimal", { image: INJECTED }, INJECTED],
    ["gcp-minimal", { image: INJECTED }, INJECTED],
    ["elemento-minimal", { image: INJECTED }, INJECTED],
    ["azure-minimal", { image: "/x\n---\nkind - Secret" }, "/x\n---\nkind - Secret"],
    ["azure-minimal", { image: "a\n---\nb:c:d:e" }, "a\n---\nb"],
    [
      "azure-existing-network",
      { network: { existing: { subnet: `/subscriptions/${INJECTED}` } } },
      `/subscriptions/${INJECTED}`,
    ],
    ["aws-existing-network", { network: { existing: { network: INJECTED, subnet: INJECTED } } }, INJECTED],
    ["gcp-existing-network", { network: { existing: { network: INJECTED, subnet: INJECTED } } }, INJECTED],
    ["elemento-existing-network", { network: { existing: { network: INJECTED } } }, INJECTED],
    ["azure-full", { userData: INJECTED }, Buffer.from(INJECTED).toString("base64")],
    ["azure-full", { sshPublicKey: KEY }, KEY],
    ["gcp-full", { userData: INJECTED }, INJECTED],
    ["gcp-full", { sshPublicKey: KEY }, `landfall:${KEY}`],
    ["elemento-full", { userData: INJECTED, sshPublicKey: KEY }, INJECTED],
  ])("%s with %j", async (name, change, kept) => {
    const manifests = await render(name, change);
    expect(JSON.stringify(manifests)).toContain(JSON.stringify(kept));
    expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
    expect(manifests.filter(({ metadata }) => !metadata.name.startsWith("web"))).toEqual([]);
  });
});

describe("words that YAML reads as something else", () => {
  it.each([
    ["aws-full", "Instance"],
    ["azure-full", "VirtualMachine"],
    ["gcp-full", "ComputeInstance"],
    ["elemento-full", "ElementoVm"],
  ])("stay names and tags in %s", async (name, machine) => {
    const premium = name.startsWith("elemento") ? {} : { type: "premium" };
    const disks = [{ name: "on", sizeGiB: 1, ...premium }];
    const manifests = await render(name, { vmName: "null", tags: { on: "1e3", yes: "no", null: "" }, disks });
    expect(find(manifests, machine)?.metadata.name).toBe("null");
    const text = JSON.stringify(manifests);
    for (const word of ['"on"', '"yes"', '"1e3"', '"no"']) expect(text).toContain(word);
    expect(text).not.toMatch(
      /:(true|false|null),?"(key|value)"|"key":(true|false|null)|"value":(true|false|null|1000)/,
    );
  });
});

describe("names at the provider", () => {
  const longest = { vmName: "a".repeat(40), disks: [{ name: "b".repeat(20), sizeGiB: 1 }] };

  it("keep within Google Cloud's 63 characters", async () => {
    const ids = (await render("gcp-full", longest)).map(({ spec }) => String(spec["resourceID"]));
    expect(ids.filter((id) => !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(id))).toEqual([]);
  });

  it.each([
    ["1.web", "vm-1-web"],
    ["web.prod", "web-prod"],
    [`${"a".repeat(43)}.`.slice(0, 43), "a".repeat(43)],
  ])("are made of an object called %s as %s", async (compositionName, prefix) => {
    const manifests = await render("azure-minimal", { global: { compositionName, compositionId: "1" } });
    expect(find(manifests, "VirtualMachine")?.spec).toMatchObject({ osProfile: { computerName: prefix } });
  });

  it("differ between two objects of one name", async () => {
    const of = async (compositionId: string): Promise<unknown> =>
      find(await render("azure-minimal", { global: { compositionName: "web", compositionId } }), "ResourceGroup")?.spec[
        "azureName"
      ];
    expect(await of("1")).toMatch(/^web-[0-9a-f]{8}$/);
    expect(await of("1")).not.toBe(await of("2"));
  });
});

describe("user data beside a key", () => {
  const message = async (userData: string): Promise<string> =>
    Buffer.from(
      String(find(await render("aws-full", { userData }), "Instance")?.spec["userData"]),
      "base64",
    ).toString();

  it.each([
    ["#cloud-config\nssh_authorized_keys: [ssh-ed25519 BBBB]\n", "text/cloud-config"],
    ["#!/bin/sh\necho\n", "text/x-shellscript"],
    ["#cloud-config-archive\n[]\n", "text/plain"],
    ["## template: jinja\n#cloud-config\n{}\n", "text/plain"],
    ["#include\nhttps://example.org/a\n", "text/plain"],
  ])("%j is sent as %s", async (userData, type) => {
    const text = await message(userData);
    expect(text).toContain(`Content-Type: ${type}; charset="utf-8"\nMIME-Version: 1.0\n\n${userData}`);
    // Else cloud-init would keep the keys of one part only.
    expect(text).toContain("merge_how: list(append)+dict(no_replace,recurse_list)+str()\nssh_authorized_keys:\n");
  });
});
