// Two people at `landfall break-glass` at the same time, and a record that somebody damaged: against an API server that keeps objects and
// their versions, and holds the requests that a test names.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Cli } from "../../../src/cli/cli.ts";
import { addBreakGlass } from "../../../src/cli/commands/break-glass/break-glass.ts";
import { messageOf } from "../../../src/errors.ts";
import { emergencyCondition, readEmergencies } from "../../../src/model/emergency.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const CONFIGURATIONS = [
  `${ADMISSION}/mutatingwebhookconfigurations/placement.landfall.dev`,
  `${ADMISSION}/validatingwebhookconfigurations/guard.landfall.dev`,
];
const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const RECORD = `${SECRETS}/landfall.emergencies`;
const RECORDS = "landfall.dev/emergencies";

type Stored = KubernetesObject & { webhooks?: { matchConditions?: { expression: string }[] }[] };

interface Call {
  /** The token of who asks. */
  who: string;
  method: string;
  path: string;
}

async function bodyOf(request: IncomingMessage): Promise<Stored> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Stored;
}

/** `hold` is awaited before each request is answered. */
async function openWorld(hold: (call: Call) => Promise<void> | undefined = () => undefined) {
  const objects = new Map<string, Stored>();
  let version = 0;
  const store = (path: string, object: Stored): Stored => {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(path, stored);
    return stored;
  };
  for (const path of CONFIGURATIONS)
    store(path, {
      apiVersion: "v1",
      kind: "Webhook",
      metadata: { name: "w" },
      webhooks: [{ matchConditions: [] }],
    });

  function write({ method, path }: Call, body: Stored): [number, unknown] {
    if (method === "POST") {
      const own = `${path}/${body.metadata.name ?? ""}`;
      return objects.has(own) ? [409, { reason: "AlreadyExists", message: "exists" }] : [201, store(own, body)];
    }
    const isLatest = objects.get(path)?.metadata.resourceVersion === body.metadata.resourceVersion;
    return isLatest ? [200, store(path, body)] : [409, { message: "conflict" }];
  }

  async function answer(request: IncomingMessage): Promise<[number, unknown]> {
    const { method = "", url = "", headers } = request;
    const call = { who: String(headers.authorization).replace("Bearer ", ""), method, path: url.replace(/\?.*/, "") };
    await hold(call);
    if (url.includes("selfsubjectreviews")) return [201, { status: { userInfo: { username: call.who } } }];
    if (/namespaces\/[^/]+$/.test(call.path)) return [200, { metadata: { name: "n" } }];
    if (method !== "GET") return write(call, await bodyOf(request));
    const present = objects.get(call.path);
    return present === undefined ? [404, { message: "none" }] : [200, present];
  }

  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [status, body] = await answer(request);
    response.statusCode = status;
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void reply(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "landfall-break-glass-"));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  /** What the command prints, or the text of its failure. */
  async function run(who: string, ...flags: string[]): Promise<string> {
    const kubeconfig = join(folder, who);
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await writeFile(kubeconfig, kubeconfigText({ server: url }, { token: who }));
    const said: string[] = [];
    const cli = { env: {}, write: (text: string) => said.push(text), note: (text: string) => said.push(text) };
    const program = new Command();
    addBreakGlass(program, cli as unknown as Cli);
    await program
      .parseAsync(["break-glass", ...flags, "--kubeconfig", kubeconfig], { from: "user" })
      .catch((thrown: unknown) => said.push(`failed: ${messageOf(thrown)}`));
    return said.join("");
  }
  const recorded = () => readEmergencies(objects.get(RECORD) ?? null);
  return {
    ...{ objects, store, run, recorded },
    begin: (who: string, namespace: string) => run(who, "-n", namespace, "--for", "30m", "--reason", "a test"),
    /** The CEL of each configuration. */
    conditions: () =>
      CONFIGURATIONS.map((path) => objects.get(path)?.webhooks?.[0]?.matchConditions?.map((one) => one.expression)),
    namespaces: () => recorded().map(({ namespaces }) => namespaces?.join()),
  };
}

const BOTH = ["!(request.namespace in ['na', 'nb'])"];

it("of two commands, the one that writes its conditions last has both emergencies in them", async () => {
  const gate = Promise.withResolvers<undefined>();
  const world = await openWorld(({ who, method, path }) =>
    who === "a" && method === "GET" && path === CONFIGURATIONS[0] && world.recorded().length > 0
      ? gate.promise
      : undefined,
  );
  const first = world.begin("a", "na");
  await vi.waitFor(() => expect(world.namespaces()).toEqual(["na"]));
  expect(await world.begin("b", "nb")).toContain("admission is off for nb");
  gate.resolve(undefined);
  expect(await first).toContain("admission is off for na");
  expect(world.conditions()).toEqual([BOTH, BOTH]);
});

it("two first records at the same moment are both kept", async () => {
  const gate = Promise.withResolvers<undefined>();
  let creations = 0;
  const world = await openWorld(({ method, path }) => {
    if (method !== "POST" || path !== SECRETS) return undefined;
    creations += 1;
    if (creations === 2) gate.resolve(undefined);
    return gate.promise;
  });
  const said = await Promise.all([world.begin("a", "na"), world.begin("b", "nb")]);
  expect(said.map((one) => one.startsWith("admission is off"))).toEqual([true, true]);
  expect(world.namespaces().sort()).toEqual(["na", "nb"]);
  expect(world.conditions()).toEqual([BOTH, BOTH]);
});

it("an end that is slow leaves the condition of an emergency that began after it", async () => {
  const gate = Promise.withResolvers<undefined>();
  let isEnding = false;
  const world = await openWorld(({ who, method, path }) =>
    isEnding && who === "a" && method === "GET" && path === CONFIGURATIONS[0] ? gate.promise : undefined,
  );
  await world.begin("a", "na");
  const until = world.recorded()[0]?.until;
  isEnding = true;
  const end = world.run("a", "--end");
  await vi.waitFor(() => expect(world.recorded()[0]?.until).not.toBe(until));
  await world.begin("b", "nb");
  gate.resolve(undefined);
  expect(await end).toContain("admission is on again for na");
  const only = ["!(request.namespace in ['nb'])"];
  expect(world.conditions()).toEqual([only, only]);
});

it("a record that cannot be read is kept beside the new one, and told", async () => {
  const world = await openWorld();
  const damaged = '[{"namespaces":["na"],"from":"2026-11-28T00:00:00Z"';
  const metadata = { name: "landfall.emergencies", annotations: { [RECORDS]: damaged } };
  world.store(RECORD, { apiVersion: "v1", kind: "Secret", metadata });
  expect(await world.begin("b", "nb")).toContain("the record of earlier emergencies was damaged");
  expect(world.namespaces()).toEqual(["nb"]);
  expect(world.objects.get(RECORD)?.metadata.annotations?.[`${RECORDS}-damaged`]).toBe(damaged);
  expect(await world.begin("b", "nc")).not.toContain("damaged");
  expect(world.objects.get(RECORD)?.metadata.annotations?.[`${RECORDS}-damaged`]).toBe(damaged);
});

it("is recorded before the API server leaves out a webhook: who may not write the record switches nothing off", async () => {
  const writes: string[] = [];
  const world = await openWorld(({ method, path }) => {
    if (method !== "GET" && (path === SECRETS || CONFIGURATIONS.includes(path))) writes.push(`${method} ${path}`);
    return undefined;
  });
  await world.begin("a", "na");
  expect(writes).toEqual([`POST ${SECRETS}`, ...CONFIGURATIONS.map((path) => `PUT ${path}`)]);
});

const emergency = (namespaces: readonly string[]) => ({
  ...{ namespaces, from: "2026-11-28T00:00:00Z", until: "2026-11-28T01:00:00Z", by: "x", reason: "y" },
});

it("whatever the record holds, its condition is one that the API server accepts", () => {
  expect(emergencyCondition([emergency(["it's", "a' || true || '", "na", "UPPER", ""])])?.expression).toBe(
    "!(request.namespace in ['na'])",
  );
  expect(emergencyCondition([emergency(["it's"])])).toBeNull();
  const long = Array.from({ length: 3000 }, (_, at) => `n${String(at)}${"x".repeat(58)}`);
  const { expression = "" } = emergencyCondition([emergency(long)]) ?? {};
  expect(expression.length).toBeLessThan(100_000);
  expect(expression.length).toBeGreaterThan(80_000);
});

it("more namespaces than one condition can hold are refused before anything is recorded", async () => {
  const world = await openWorld();
  const many = Array.from({ length: 1700 }, (_, at) => `n${String(at)}${"x".repeat(57)}`);
  const metadata = { name: "landfall.emergencies", annotations: { [RECORDS]: "[]" } };
  const lasting = { ...emergency(many), from: new Date(Date.now() - 60_000).toISOString() };
  const until = new Date(Date.now() + 600_000).toISOString();
  metadata.annotations[RECORDS] = JSON.stringify([{ ...lasting, until }]);
  world.store(RECORD, { apiVersion: "v1", kind: "Secret", metadata });
  expect(await world.begin("b", "nb")).toMatch(/failed: .*cannot hold \d+ of these namespaces.*--all-namespaces/);
  expect(world.recorded()).toHaveLength(1);
  expect(world.conditions()).toEqual([[], []]);
});
