import type { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { ROTATE_CA } from "../../../../src/model/names.ts";
import { authoritiesIn, fingerprintsIn, joinAuthorities } from "../../../../webhook/certificates/authorities.ts";
import { nextStep, type RotationView } from "../../../../webhook/certificates/rotation.ts";
import { makeSharedCertificate } from "../../../../webhook/certificates/serving-certificate.ts";
import type { RotationStep, StoredCertificate } from "../../../../webhook/certificates/stored-certificate.ts";
import { readConfigurations, register } from "../../../../webhook/registration/register.ts";
import { CONFIGURATIONS, type Replica, SECRET } from "../../../support/certificates/replicas.ts";
import { ask, ENOUGH, startThree, untilDone } from "../../../support/certificates/rotate.ts";

const DAY_MS = 86_400_000;

describe("the replacement of the CA", () => {
  it("takes four steps, and every replica serves a certificate of the new CA", async () => {
    const world = await startThree();
    const before = fingerprintsIn(world.bundle(0));
    ask(world);
    await untilDone(world);
    expect(world.steps.map((one) => one?.step ?? "done")).toEqual(["made", "published", "served", "done"]);
    expect(world.steps[0]?.reason).toBe("test");
    const after = fingerprintsIn(world.bundle(0));
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    const [authority] = authoritiesIn(world.bundle(1));
    for (const replica of world.replicas.values())
      expect(world.leafOf(replica).checkIssued(authority as X509Certificate)).toBe(true);
    expect(world.untrusted).toEqual([]);
    expect([...world.replicas.values()].flatMap(({ events }) => events)).toEqual([]);
  });

  it("is done by replicas that look in any order and at the same moment", async () => {
    for (const seed of [1, 2]) {
      const world = await startThree();
      ask(world);
      for (let at = 0; at < ENOUGH; at += 1) {
        world.pass(5000);
        const all = [...world.replicas.values()];
        const shifted = [...all.slice((at * seed) % 3), ...all.slice(0, (at * seed) % 3)];
        await Promise.all(shifted.map((replica) => replica.look()));
      }
      expect([world.rotation(), fingerprintsIn(world.bundle(0)).length, world.untrusted]).toEqual(["none", 1, []]);
    }
  });

  const reached = new Set<string>();
  it.each(Array.from({ length: 24 }, (_, writes) => writes))(
    "goes on when every replica is killed after write %i",
    async (writes) => {
      const world = await startThree();
      const before = fingerprintsIn(world.bundle(0));
      for (const name of world.replicas.keys()) await world.start(name, { writes: writes + 4 });
      ask(world);
      for (let rounds = 0; rounds < 12; rounds += 1) await world.round().catch(() => undefined);
      reached.add(world.rotation());
      for (const name of ["a", "b", "c"]) world.kill(name);
      for (const name of ["a", "b", "c"]) await world.start(name);
      await untilDone(world);
      expect([fingerprintsIn(world.bundle(0)).includes(before[0] ?? ""), world.untrusted]).toEqual([false, []]);
    },
  );

  it("was killed in every step by these tests", () => {
    expect([...reached].sort()).toEqual(["made", "none", "published", "served"]);
  });

  it("goes on when one replica is killed after each step and comes back", async () => {
    const world = await startThree();
    ask(world);
    let step = "";
    for (let rounds = 0; rounds < 2 * ENOUGH; rounds += 1) {
      await world.round();
      if (world.rotation() === step) continue;
      step = world.rotation();
      world.kill("b");
      await world.start("b");
    }
    expect([world.rotation(), fingerprintsIn(world.bundle(1)).length, world.untrusted]).toEqual(["none", 1, []]);
  });

  it("waits for a replica that is not heard, until it is gone for five minutes", async () => {
    const world = await startThree();
    world.kill("c");
    ask(world);
    for (let rounds = 0; rounds < 30; rounds += 1) await world.round();
    expect(world.rotation()).toBe("published");
    const [one] = world.replicas.values();
    expect(one?.certificate.status().rotation?.waits).toBe("for c to see both CAs in the webhook configurations");
    for (let rounds = 0; rounds < 50; rounds += 1) await world.round();
    expect(world.rotation()).toBe("none");
  });

  it("begins by itself when two thirds of the CA's life are over, and a certificate is renewed without it", async () => {
    const world = await startThree();
    const [first] = world.replicas.values();
    const leaf = world.leafOf(first as Replica).fingerprint256;
    world.pass(61 * DAY_MS);
    for (let rounds = 0; rounds < 6; rounds += 1) await world.round();
    expect([world.steps, world.leafOf(first as Replica).fingerprint256 === leaf]).toEqual([[], false]);
    for (let months = 0; months < 24; months += 1) {
      world.pass(30 * DAY_MS);
      for (let rounds = 0; rounds < 8; rounds += 1) await world.round();
    }
    expect(world.steps.map((one) => one?.step ?? "done")).toEqual(["made", "published", "served", "done"]);
    expect(world.steps[0]?.reason).toMatch(/^the CA is valid until 20/);
    expect(world.untrusted).toEqual([]);
  });

  it("is asked for once: the reason is removed from the Secret and told", async () => {
    const world = await startThree();
    ask(world, "its key was copied");
    await world.round();
    expect(world.objects.get(SECRET)?.metadata.annotations).not.toHaveProperty([ROTATE_CA]);
    await untilDone(world);
    for (let rounds = 0; rounds < 10; rounds += 1) await world.round();
    expect(world.steps).toHaveLength(4);
  });
});

describe("a step", async () => {
  const [leaf, other] = await Promise.all([makeSharedCertificate(["a"]), makeSharedCertificate(["a"])]);
  const stored = (step: RotationStep): StoredCertificate => ({
    ...leaf,
    ...{ ca: joinAuthorities(leaf.ca, other.ca), nextKey: step === "served" ? null : other.caKey, requested: null },
    rotation: { step, since: "", reason: "" },
  });
  const both = fingerprintsIn(joinAuthorities(leaf.ca, other.ca));
  const [serves = ""] = fingerprintsIn(leaf.cert);
  const ready = { name: "a", serves, sees: both };
  const fine = { configurations: [both, both], replicas: [ready], settled: true };

  it.each<[RotationStep, Partial<RotationView>, string | null]>([
    ["made", {}, null],
    ["made", { configurations: [] }, "for the webhook configurations, which do not exist"],
    ["made", { configurations: [both, both.slice(1)] }, "for the webhook configurations to name both CAs"],
    ["published", {}, null],
    [
      "published",
      { replicas: [ready, { ...ready, name: "b", sees: both.slice(1) }] },
      "for b to see both CAs in the webhook configurations",
    ],
    ["published", { configurations: [both.slice(1)] }, "for the webhook configurations to name both CAs"],
    ["published", { settled: false }, "for every API server to follow"],
    ["served", {}, null],
    ["served", { replicas: [ready, { ...ready, name: "b", serves: "" }] }, "for b to serve the new certificate"],
    ["served", { settled: false }, "for every API server to follow"],
  ])("after %s, with %j, waits %s", async (step, change, waits) => {
    const progress = await nextStep(stored(step), { ...fine, ...change }, { names: ["a"], nowMs: Date.now() });
    expect(progress).toEqual(waits === null ? { next: expect.anything() as unknown } : { waits });
  });
});

it("a webhook configuration that changed since it was read is not written: the CAs may be old", async () => {
  const world = await startThree();
  const service = { namespace: "landfall-system", name: "landfall-webhook", port: 443 };
  const endpoint = { service, ca: world.bundle(0) };
  const present = await readConfigurations(world.client, endpoint, "latest");
  for (const path of CONFIGURATIONS) world.store(path, structuredClone(world.objects.get(path)) as Resource);
  await expect(register(world.client, endpoint, present)).rejects.toMatchObject({ status: 409 });
  await expect(register(world.client, endpoint, [null, null])).rejects.toMatchObject({ status: 409 });
});
