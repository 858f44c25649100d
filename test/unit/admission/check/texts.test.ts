import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { loadBundle } from "../../../../src/policy/load-bundle.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { changedBundle } from "../../../support/bundles/watched-bundle.ts";

const bundleWith = async (texts: Record<string, unknown>) =>
  loadBundle(
    await changedBundle((data) => {
      data.landfall["texts"] = texts;
    }),
    "test",
    await loadPolicy(),
  );

const FAR = { cpu: 2, memory: 4, schedulingLocation: "eastus", provider: "azure", dataResidency: ["EU"] };

async function denied(texts: Record<string, unknown>): Promise<Extract<Outcome, { allowed: false }>> {
  const outcome = admit(create(vm(FAR)), context(await bundleWith(texts)));
  if (outcome.allowed) throw new TypeError("admitted");
  return outcome;
}

const ITALIAN = "{{actual}} è fuori dall'area consentita ({{allowed}}), {{object.kind}} {{object.name}}";

describe("texts of the bundle", () => {
  it("replace a denial's text, the same for kubectl and explain", async () => {
    const texts = { denials: { POL_RESIDENCY: { message: ITALIAN } } };
    const outcome = await denied(texts);
    const said = "US è fuori dall'area consentita (residency [EU]), VmTemplate web";
    expect(outcome.message.split("\n")[0]).toContain(said);
    const policy = await bundleWith(texts);
    const decision = decideAlone({ ...context(policy), kind: "VmTemplate", object: vm(FAR), operation: "CREATE" });
    expect(decision).toEqual(outcome.decision);
    expect(decision).toMatchObject({ denials: [{ code: "POL_RESIDENCY", message: said }], degraded: [] });
  });

  it("replace a remedy", async () => {
    const { decision } = await denied({ denials: { POL_RESIDENCY: { remedy: "ask #platform; {{remedy}}" } } });
    expect(decision?.denials[0]?.remedy).toMatch(/^ask #platform; ./);
  });

  it("replace the whole text, which stays under 600 characters", async () => {
    const denial = "NO: {{#each denials}}{{code}} {{/each}}{{#each passesWith}}-> {{this}}{{/each}} <{{id}}>";
    const { message } = await denied({ denial });
    expect(message).toMatch(/^NO: POL_RESIDENCY -> .+ <[0-9a-f]{6}>$/);
    expect((await denied({ denial: "x".repeat(2000) })).message).toHaveLength(600);
  });

  it.each([
    ["does not parse", "{{#if}}", "Parse error"],
    ["names what there is not", "{{oops}}", "oops"],
    ["is not a text", 7, "it is not a string"],
  ])("fall back to the built-in text where a template %s, and say so", async (_what, template, detail) => {
    const plain = await denied({});
    const outcome = await denied({ denials: { POL_RESIDENCY: { message: template } } });
    expect(outcome.decision?.denials).toEqual(plain.decision?.denials);
    const [broken] = outcome.decision?.degraded ?? [];
    expect(broken?.code).toBe("TEXT_BROKEN");
    expect(broken?.message).toContain("denials.POL_RESIDENCY.message");
    expect(broken?.message).toContain(detail);
  });

  it("fall back for the whole text too", async () => {
    const plain = await denied({});
    const outcome = await denied({ denial: "{{nothing}}" });
    expect(outcome.message.split("\n").slice(0, -1)).toEqual(plain.message.split("\n").slice(0, -1));
    expect(outcome.decision?.degraded).toMatchObject([{ code: "TEXT_BROKEN" }]);
  });

  it("apply to denied updates", async () => {
    const policy = await bundleWith({ denials: { ADM_IMMUTABLE: { message: "{{field}}: ricrea la VM" } } });
    const asked = vm({
      cpu: 2,
      memory: 4,
      provider: "azure",
      sshPublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGacqHB2NS+iEQRKfdVUjea4eMg0HBDBVxr+6fdgvgBS a",
    });
    const stored = patched(asked, admit(create(asked), context(policy)));
    const changed = { ...stored, spec: { ...stored.spec, os: "debian-12", cpu: 4 } };
    const outcome = admit(update(stored, changed), context(policy, NOW + 60));
    expect(outcome.allowed).toBe(false);
    expect(JSON.stringify(outcome)).toContain("ricrea la VM");
  });
});
