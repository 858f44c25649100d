import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { NamespaceData } from "../../../../../src/model/kubernetes.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const TEAM: NamespaceData = { name: "team", labels: {}, annotations: {} };

const ask = (spec: object, namespace = TEAM) =>
  admit(create(vm({ cpu: 2, memory: 4, ...spec }, { namespace: namespace.name })), { ...context(policy), namespace });

const BACKUP = "/subscriptions/1/resourceGroups/prod/providers/Microsoft.Compute/images/backup";

describe("160: spec.image of another project or subscription", () => {
  it.each<[string, string]>([
    ["a family of another project", "other-team/backup"],
    ["an image's path", "projects/other-team/global/images/backup"],
    ["a self link", "https://www.googleapis.com/compute/v1/projects/other-team/global/images/backup"],
    ["an image of another subscription", BACKUP],
  ])("denies %s, and says what to write", (_name, image) => {
    const outcome = ask({ image });
    expect(outcome.allowed).toBe(false);
    const message = outcome.allowed ? "" : outcome.message;
    expect(message).toContain("POL_IMAGE_FOREIGN");
    expect(message).toContain(image);
    expect(message).toContain("passes with: no image");
  });

  it.each<[string, object]>([
    ["a public project", { image: "debian-cloud/debian-12" }],
    ["an image of the marketplace", { image: "Canonical:ubuntu-24_04-lts:server:latest" }],
    ["an AMI", { image: "ami-0123456789abcdef0", provider: "aws" }],
  ])("allows %s", (_name, spec) => {
    expect(ask(spec)).toMatchObject({ allowed: true });
  });

  it("allows the namespace's own project", () => {
    const own = { ...TEAM, annotations: { "cnrm.cloud.google.com/project-id": "other-team" } };
    expect(ask({ image: "other-team/backup" }, own)).toMatchObject({ allowed: true });
  });
});
