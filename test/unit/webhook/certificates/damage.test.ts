// What somebody can do to the certificate's Secret, to the replicas' reports and to the webhook configurations.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { fingerprintsIn, issuersOf, joinAuthorities } from "../../../../webhook/certificates/authorities.ts";
import { readStored } from "../../../../webhook/certificates/stored-certificate.ts";
import { makeServingCertificate, makeSharedCertificate } from "../../../../webhook/certificates/serving-certificate.ts";
import {
  CONFIGURATIONS,
  NAME,
  openReplicas,
  REPORTS,
  type Replicas,
  SECRET,
} from "../../../support/certificates/replicas.ts";
import { ask, ENOUGH, startThree, untilDone } from "../../../support/certificates/rotate.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const secretIn = (world: Replicas): Resource => structuredClone(world.objects.get(SECRET)) as Resource;

function edit(world: Replicas, data: Record<string, string>): void {
  const secret = secretIn(world);
  world.store(SECRET, { ...secret, data: { ...secret.data, ...data } });
}

const remove = (world: Replicas, ...keys: string[]): void => {
  const { data = {}, ...secret } = secretIn(world);
  const kept = Object.entries(data).filter(([key]) => !keys.includes(key));
  world.store(SECRET, { ...secret, data: Object.fromEntries(kept) });
};

function annotate(world: Replicas, text: string): void {
  const secret = secretIn(world);
  world.store(SECRET, {
    ...secret,
    metadata: { ...secret.metadata, annotations: { "landfall.dev/ca-rotation": text } },
  });
}

const eventsOf = (world: Replicas): string[] => [...world.replicas.values()].flatMap(({ events }) => events);

const problems = (world: Replicas): (string | null)[] =>
  [...world.replicas.values()].map(({ certificate }) => certificate.problem());

/** Three replicas, one of which has just brought the rotation to this step. */
async function at(step: string): Promise<Replicas> {
  const world = await startThree();
  if (step === "none") return world;
  ask(world);
  for (let rounds = 0; rounds < ENOUGH; rounds += 1) {
    world.pass(5000);
    for (const replica of world.replicas.values()) {
      await replica.look();
      if (world.rotation() === step) return world;
    }
  }
  throw new TypeError(`it never came to ${step}`);
}

const STEPS = ["none", "made", "published", "served"];

const DAMAGES: readonly [string, (world: Replicas) => void | Promise<void>][] = [
  ["deletes the Secret", (world) => void world.objects.delete(SECRET)],
  ["empties the Secret", (world) => edit(world, { "tls.crt": "", "tls.key": "", "ca.crt": "" })],
  ["writes a text for the CA", (world) => edit(world, { "ca.crt": base64("no") })],
  ["writes another CA", async (world) => edit(world, { "ca.crt": base64((await makeServingCertificate([NAME])).ca) })],
  [
    "writes another key",
    async (world) => edit(world, { "tls.key": base64((await makeServingCertificate([NAME])).key) }),
  ],
  ["removes the CA's key", (world) => remove(world, "ca.key")],
  ["removes the next CA's key", (world) => remove(world, "next-ca.key")],
  [
    "writes another next CA's key",
    async (world) => edit(world, { "next-ca.key": base64((await makeSharedCertificate([NAME])).caKey) }),
  ],
  ["claims that the CAs were published", (world) => annotate(world, '{"step":"published"}')],
  ["claims that the certificate is served", (world) => annotate(world, '{"step":"served"}')],
  ["removes the record of the rotation", (world) => annotate(world, "")],
  ["removes the replicas' reports", (world) => void world.objects.delete(REPORTS)],
];

describe.each(STEPS)("while the rotation is at %s, somebody", (step) => {
  it.each(DAMAGES)("%s: every admission is answered, and one CA is left", async (_, damage) => {
    const world = await at(step);
    await damage(world);
    await untilDone(world);
    expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
    const stored = readStored(secretIn(world), SECRET);
    expect(fingerprintsIn(world.bundle(0))).toEqual(fingerprintsIn(stored.ca));
    expect(issuersOf(stored.cert, stored.ca)).not.toBe("");
  });
});

describe("the Secret", () => {
  it("is put back with the same CA, told once, when somebody deletes or damages it", async () => {
    const world = await startThree();
    const before = secretIn(world).data;
    world.objects.delete(SECRET);
    await world.round();
    expect(secretIn(world).data).toEqual(before);
    edit(world, { "tls.crt": base64("no") });
    await world.round();
    expect(secretIn(world).data).toEqual(before);
    expect(eventsOf(world)).toEqual([
      expect.stringContaining("was deleted"),
      expect.stringContaining("landfall-webhook-tls cannot be used"),
    ]);
  });

  it("of another CA is taken over as by a rotation: the earlier CA is trusted until no replica needs it", async () => {
    const world = await startThree();
    const { ca, cert, key, caKey } = await makeSharedCertificate([NAME]);
    edit(world, { "ca.crt": base64(ca), "ca.key": base64(caKey), "tls.crt": base64(cert), "tls.key": base64(key) });
    await untilDone(world);
    expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
    expect(fingerprintsIn(world.bundle(1))).toEqual(fingerprintsIn(ca));
  });

  it("from a backup of before the rotation is taken over in the same way", async () => {
    const world = await startThree();
    const backup = secretIn(world);
    ask(world);
    await untilDone(world);
    for (let rounds = 0; rounds < 3; rounds += 1) await world.round();
    world.store(SECRET, backup);
    await untilDone(world);
    expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
  });

  it("that was deleted before a new replica started is trusted together with the CA of those that run", async () => {
    const world = await startThree();
    world.objects.delete(SECRET);
    await world.start("d");
    await untilDone(world);
    expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null, null]]);
  });

  it("that was deleted while no replica ran gets a new CA at the next start", async () => {
    const world = await startThree();
    for (const name of ["a", "b", "c"]) world.kill(name);
    world.objects.delete(SECRET);
    const before = fingerprintsIn(world.bundle(0));
    await world.start("a");
    await untilGone(world);
    expect(fingerprintsIn(world.bundle(0))).not.toEqual(before);
    expect(problems(world)).toEqual([null]);
  });
});

describe("a Secret of type Opaque, as kubectl makes it from a backup,", () => {
  const opaque = (world: Replicas, keys: readonly string[]): void => {
    const { type: _, ...secret } = secretIn(world);
    const data = Object.fromEntries(Object.entries(secret.data ?? {}).filter(([key]) => keys.includes(key)));
    world.store(SECRET, { ...secret, type: "Opaque", data });
  };

  it("goes through a rotation like any other", async () => {
    const world = await startThree();
    opaque(world, ["ca.crt", "ca.key", "tls.crt", "tls.key"]);
    const before = fingerprintsIn(world.bundle(0));
    ask(world);
    await untilDone(world);
    expect([world.untrusted, problems(world), secretIn(world).type]).toEqual([[], [null, null, null], "Opaque"]);
    expect(fingerprintsIn(world.bundle(0))).not.toEqual(before);
  });

  it("with the CA and its key alone is completed by the first replica that starts", async () => {
    const world = await startThree();
    const before = fingerprintsIn(world.bundle(0));
    for (const name of ["a", "b", "c"]) world.kill(name);
    opaque(world, ["ca.crt", "ca.key"]);
    const replica = await world.start("d");
    await untilGone(world);
    expect(replica.certificate.problem()).toBeNull();
    expect(fingerprintsIn(world.bundle(0))).toEqual(before);
    expect(Object.keys(secretIn(world).data ?? {}).sort()).toEqual(["ca.crt", "ca.key", "tls.crt", "tls.key"]);
  });
});

/** Three replicas; while `on`, every write of this path fails, as that of an immutable object does. */
async function startWithRefusal(path: string) {
  const world = openReplicas();
  const refusal = { on: false };
  const { client } = world;
  const [patch, replace] = [client.patch.bind(client), client.replace.bind(client)];
  const refused = () => Promise.reject(new ApiError(422, { action: "write", detail: "field is immutable" }));
  const isRefused = (target: string): boolean => refusal.on && target === path;
  Object.assign(client, {
    patch: (...args: Parameters<typeof patch>) => (isRefused(args[0]) ? refused() : patch(...args)),
    replace: (...args: Parameters<typeof replace>) => (isRefused(args[0]) ? refused() : replace(...args)),
  });
  for (const name of ["a", "b", "c"]) await world.start(name);
  await world.round();
  return { world, refusal };
}

it.each([
  ["the Secret", SECRET],
  ["the replicas' reports", REPORTS],
])("while %s cannot be written, a deleted configuration is put back, and every replica is ready", async (_, path) => {
  const { world, refusal } = await startWithRefusal(path);
  ask(world);
  refusal.on = true;
  world.objects.delete(CONFIGURATIONS[0]);
  for (let rounds = 0; rounds < 80; rounds += 1) await world.round();
  expect(fingerprintsIn(world.bundle(0))).toEqual(fingerprintsIn(world.bundle(1)));
  expect(fingerprintsIn(world.bundle(0))).not.toEqual([]);
  expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
  expect(eventsOf(world).join("\n")).toContain("field is immutable");
  refusal.on = false;
  await untilDone(world);
  expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
});

it("a replica that the API server does not answer is not ready before the others replace the CA without it", async () => {
  const world = await startThree();
  const cut = world.replicas.get("c");
  if (cut === undefined) throw new TypeError("there is no c");
  const { look } = cut;
  cut.look = () => Promise.resolve();
  ask(world);
  for (let rounds = 0; rounds < 120; rounds += 1) await world.round();
  expect(world.untrusted).toEqual([]);
  expect(problems(world)).toEqual([null, null, expect.stringMatching(/^it could not read .* for \d+ s: /)]);
  cut.look = look;
  await untilDone(world);
  expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
});

/** The reports of killed replicas count for five minutes. */
async function untilGone(world: Replicas): Promise<void> {
  for (let rounds = 0; rounds < 70; rounds += 1) await world.round();
}

describe("a rival", () => {
  it("that writes a CA of its own into the configurations is undone at the next look, and told", async () => {
    const world = await at("published");
    const { ca } = await makeServingCertificate([NAME]);
    for (const path of CONFIGURATIONS) {
      const object = structuredClone(world.objects.get(path)) as Resource & { webhooks: { clientConfig: object }[] };
      const [webhook] = object.webhooks;
      if (webhook === undefined) throw new TypeError("no webhook");
      webhook.clientConfig = { ...webhook.clientConfig, caBundle: base64(joinAuthorities(world.bundle(0), ca)) };
      world.store(path, object);
    }
    await world.round();
    expect(world.bundle(0)).not.toContain(ca.trim());
    expect(eventsOf(world)).toEqual([expect.stringContaining("placement.landfall.dev got other CAs; ")]);
    await untilDone(world);
    expect(eventsOf(world)).toHaveLength(1);
  });

  it("that takes the new CA out of the configurations again and again holds the rotation, and no admission", async () => {
    const world = await at("made");
    const [old] = fingerprintsIn(world.bundle(0));
    const before = CONFIGURATIONS.map((path) => structuredClone(world.objects.get(path)) as Resource);
    for (let rounds = 0; rounds < 12; rounds += 1) {
      await world.round();
      for (const [index, path] of CONFIGURATIONS.entries())
        world.store(path, { ...(before[index] as Resource), metadata: world.objects.get(path)?.metadata ?? {} });
    }
    expect([world.untrusted, ["made", "published"].includes(world.rotation())]).toEqual([[], true]);
    expect(fingerprintsIn(world.bundle(0))).toEqual([old]);
    expect(eventsOf(world).length).toBeGreaterThan(5);
    await untilDone(world);
    expect(world.untrusted).toEqual([]);
  });
});

describe("given files, such as cert-manager writes", () => {
  it("change at different moments in each Pod: both CAs are trusted until all follow", async () => {
    const world = openReplicas();
    const [old, next] = [await makeServingCertificate([NAME]), await makeServingCertificate([NAME])];
    const files = new Map(["a", "b", "c"].map((name) => [name, old]));
    for (const name of files.keys())
      await world.start(name, { source: { read: () => Promise.resolve(files.get(name) ?? old) } });
    await world.round();
    for (const name of ["b", "a", "c"]) {
      files.set(name, next);
      for (let rounds = 0; rounds < 4; rounds += 1) await world.round();
      expect(problems(world)).toEqual([null, null, null]);
    }
    for (let rounds = 0; rounds < 6; rounds += 1) await world.round();
    expect([world.untrusted, fingerprintsIn(world.bundle(0))]).toEqual([[], fingerprintsIn(next.ca)]);
    expect([...world.replicas.values()].map(({ serves }) => serves().cert)).toEqual([next.cert, next.cert, next.cert]);
    expect(eventsOf(world)).toEqual([]);
  });

  it("that cannot be used leave the known certificate in use", async () => {
    const world = openReplicas();
    const first = await makeServingCertificate([NAME]);
    let fails = false;
    const source = { read: () => (fails ? Promise.reject(new TypeError("tls.crt is empty")) : Promise.resolve(first)) };
    await world.start("a", { source });
    fails = true;
    await world.round();
    expect([problems(world), eventsOf(world)]).toEqual([[null], ["TypeError: tls.crt is empty"]]);
  });

  it("that expire make the replica unready", async () => {
    const world = openReplicas();
    const first = await makeServingCertificate([NAME]);
    await world.start("a", { source: { read: () => Promise.resolve(first) } });
    world.pass(400 * 86_400_000);
    await world.round();
    expect(problems(world)).toEqual([expect.stringMatching(/^its certificate expired at 20/)]);
  });
});
