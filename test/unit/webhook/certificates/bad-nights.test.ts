// What goes on beside a rival, with objects that nobody can write, and while the record of emergencies cannot be read.
import { expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import { emergencyMetadata } from "../../../../src/model/emergency.ts";
import type { KubernetesObject, Resource } from "../../../../src/model/kubernetes.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { followEmergencies } from "../../../../webhook/registration/follow-emergencies.ts";
import { keepRegistered, type KeepOptions, registerFirst } from "../../../../webhook/registration/keep-registered.ts";
import { SUSPENDED } from "../../../../webhook/registration/suspended-by.ts";
import {
  CONFIGURATIONS,
  openReplicas,
  REPORTS,
  type Replicas,
  SECRET,
} from "../../../support/certificates/replicas.ts";
import { ask, startThree } from "../../../support/certificates/rotate.ts";

const SYSTEM = "/api/v1/namespaces/landfall-system";
/** Two thirds of the life of a certificate and a day. */
const RENEWAL_DUE_MS = 61 * 86_400_000;

/** A rival changes a field that is not a CA. */
function spoil(world: Replicas): void {
  for (const path of CONFIGURATIONS) {
    const object = structuredClone(world.objects.get(path)) as Resource & { webhooks: Record<string, unknown>[] };
    for (const webhook of object.webhooks) webhook["timeoutSeconds"] = 3;
    world.store(path, object);
  }
}

/** A rival writes the configurations between each read of a replica and its write; the function ends that. */
function rivalry(world: Replicas): () => void {
  const { client } = world;
  const patch = client.patch.bind(client);
  const paths: readonly string[] = CONFIGURATIONS;
  client.patch = (...args: Parameters<typeof patch>) => {
    if (paths.includes(args[0])) spoil(world);
    return patch(...args);
  };
  return () => {
    client.patch = patch;
  };
}

async function roundsWithRival(world: Replicas, rounds: number): Promise<void> {
  for (let done = 0; done < rounds; done += 1) {
    await world.round();
    spoil(world);
  }
}

const problems = (world: Replicas): (string | null)[] =>
  [...world.replicas.values()].map(({ certificate }) => certificate.problem());

it("a new replica becomes ready although a rival changes another field after each look", async () => {
  const world = await startThree();
  await roundsWithRival(world, 5);
  await world.start("d");
  await roundsWithRival(world, 5);
  expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null, null]]);
});

it("a new replica starts and becomes ready although a rival is faster than each of its writes", async () => {
  const world = await startThree();
  const end = rivalry(world);
  const { certificate } = await world.start("d");
  for (let rounds = 0; rounds < 5; rounds += 1) await world.round();
  expect([world.untrusted, certificate.problem()]).toEqual([[], null]);
  end();
  await world.round();
  expect(JSON.stringify(world.objects.get(CONFIGURATIONS[0]))).not.toContain('"timeoutSeconds":3');
});

it("a CA of a replica that is cut off stays trusted while it is ready, although someone deletes the reports", async () => {
  const world = await startThree();
  const [a, b] = ["a", "b"].map((name) => world.replicas.get(name));
  const others = [a, b].flatMap((one) => one ?? []);
  ask(world);
  for (let rounds = 0; rounds < 80; rounds += 1) {
    if (rounds === 1) world.objects.delete(REPORTS);
    await world.round(others);
  }
  expect([world.untrusted, world.rotation()]).toEqual([[], "none"]);
  // Five minutes have passed: the others continued without it, and it is not ready.
  expect(world.replicas.get("c")?.certificate.problem()).toContain("it could not read the webhook configurations");
});

it("so do three that start after three others were lost", async () => {
  const world = await startThree();
  await roundsWithRival(world, 3);
  for (const name of ["a", "b", "c"]) world.kill(name);
  for (const name of ["d", "e", "f"]) {
    await world.start(name);
    spoil(world);
    world.pass(1500);
  }
  await roundsWithRival(world, 10);
  expect([world.untrusted, problems(world)]).toEqual([[], [null, null, null]]);
});

it.each([
  ["the reports", REPORTS],
  ["the Secret, whose certificate is due for a renewal,", SECRET],
])("a replica starts while %s cannot be written", async (_, path) => {
  const world = await startThree();
  const { client } = world;
  const [patch, replace] = [client.patch.bind(client), client.replace.bind(client)];
  const refused = () => Promise.reject(new ApiError(422, { action: "write", detail: "field is immutable" }));
  Object.assign(client, {
    patch: (...args: Parameters<typeof patch>) => (args[0] === path ? refused() : patch(...args)),
    replace: (...args: Parameters<typeof replace>) => (args[0] === path ? refused() : replace(...args)),
  });
  world.pass(RENEWAL_DUE_MS);
  const started = await world.start("d");
  for (let rounds = 0; rounds < 5; rounds += 1) await world.round();
  expect(started.certificate.problem()).toBeNull();
  expect(started.events.join("\n")).toContain("field is immutable");
});

it("a webhook that starts leaves the configurations away while the namespace says so", async () => {
  const world = await startThree();
  const namespace = world.objects.get(SYSTEM) as Resource;
  world.store(SYSTEM, { ...namespace, metadata: { ...namespace.metadata, annotations: { [SUSPENDED]: "INC-42" } } });
  for (const path of CONFIGURATIONS) world.objects.delete(path);
  await world.round();
  world.kill("a");
  await world.start("d");
  await world.round();
  expect(CONFIGURATIONS.map((path) => world.objects.has(path))).toEqual([false, false]);
});

const START = 1_800_000_000;
const LASTS_SECONDS = 600;

const recordOf = (namespaces: readonly string[] | null): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: emergencyMetadata([
    { namespaces, from: formatTime(START), until: formatTime(START + LASTS_SECONDS), by: "a", reason: "a test" },
  ]),
});

/** A webhook that follows emergencies: its API server, its clock, and whether the record can be read. */
function followed() {
  const state: { now: number; record: KubernetesObject | null; fails: boolean } = {
    ...{ now: START + 10, record: null, fails: false },
  };
  const get = <T>(): Promise<T> =>
    state.fails
      ? Promise.reject(new ApiError(403, { action: "get", detail: "forbidden" }))
      : Promise.resolve(state.record as T);
  const emergencies = followEmergencies({ client: { get }, clock: { nowSeconds: () => state.now } }, "landfall-system");
  const world = openReplicas();
  const [events, failures]: [string[], unknown[]] = [[], []];
  const service = { namespace: "landfall-system", name: "landfall-webhook", port: 443 };
  const options: KeepOptions = {
    ...{ client: world.client, systemNamespace: "landfall-system", everyMs: 1e9, prepare: emergencies.read },
    endpoint: () => ({ service, ca: "", emergency: emergencies.condition() }),
    onEvent: ({ message }) => void events.push(message),
    onFailure: (thrown) => void failures.push(thrown),
  };
  const conditions = () =>
    CONFIGURATIONS.map((path) => JSON.stringify(world.objects.get(path)).includes("no-emergency"));
  return { state, world, events, failures, options, conditions };
}

it("one configuration is put back although the other cannot be written", async () => {
  const { world, options } = followed();
  await registerFirst(options);
  const kept = keepRegistered(options);
  const [mutating, validating] = CONFIGURATIONS;
  const patch = world.client.patch.bind(world.client);
  world.client.patch = (...args: Parameters<typeof patch>) =>
    args[0] === mutating
      ? Promise.reject(new ApiError(403, { action: "write", detail: "a policy denies it" }))
      : patch(...args);
  spoil(world);
  world.objects.delete(validating);
  await expect(kept.look()).rejects.toThrow("a policy denies it");
  expect(world.objects.has(validating)).toBe(true);
  await kept.stop();
});

it("a rival that is always faster is reported, and no longer once it ends", async () => {
  const { world, options, failures } = followed();
  await registerFirst(options);
  const end = rivalry(world);
  spoil(world);
  const kept = keepRegistered({ ...options, everyMs: 5 });
  await expect.poll(() => kept.state()).toBe("failing");
  expect(String(failures[0])).toContain("conflict");
  end();
  await expect.poll(() => kept.state()).toBe("registered");
  await kept.stop();
});

it("an emergency ends in time although its record cannot be read any more", async () => {
  const { state, options, conditions } = followed();
  state.record = recordOf(["demo"]);
  await registerFirst(options);
  const kept = keepRegistered(options);
  expect(conditions()).toEqual([true, true]);
  state.fails = true;
  await kept.look();
  expect(conditions()).toEqual([true, true]);
  state.now = START + LASTS_SECONDS + 1;
  await kept.look();
  expect(conditions()).toEqual([false, false]);
  await kept.stop();
});

it("one that begins while the record cannot be read keeps its condition", async () => {
  const { state, world, events, options, conditions } = followed();
  await registerFirst(options);
  const kept = keepRegistered(options);
  state.fails = true;
  for (const path of CONFIGURATIONS) {
    const object = structuredClone(world.objects.get(path)) as Resource & {
      webhooks: { matchConditions: unknown[] }[];
    };
    for (const webhook of object.webhooks)
      webhook.matchConditions = [...webhook.matchConditions, { name: "no-emergency", expression: "false" }];
    world.store(path, object);
  }
  await kept.look();
  expect([conditions(), events]).toEqual([[true, true], []]);
  state.fails = false;
  await kept.look();
  expect(conditions()).toEqual([false, false]);
  await kept.stop();
});
