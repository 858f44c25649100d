// ECR's logins end after 12 hours. ECR then answers 403, and ECR Public 400, both without a challenge.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRegistry, type Registry } from "../../../src/bundle/registry/open-registry.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { type FaultyRegistry, startFaultyRegistry } from "../../support/bundles/registry.ts";

const basicOf = (password: string): string => Buffer.from(`AWS:${password}`).toString("base64");

let folder: string;
let door: FaultyRegistry;
let registry: Registry;
/** The password that the registry takes now, and its answer to others. */
let valid: string;
let refusal: number;
let asked: number;

/** What the kubelet does with the file of a mounted Secret. */
const writeLogin = (password: string): Promise<void> =>
  writeFile(join(folder, "config.json"), JSON.stringify({ auths: { [door.host]: { auth: basicOf(password) } } }));

const ask = (): Promise<string> =>
  registry
    .get({ host: door.host, repository: "policies/landfall", version: "one" }, "manifests/one", { limit: 1000 })
    .then(String);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-login-"));
  door = await startFaultyRegistry("127.0.0.1:1");
  valid = "first";
  refusal = 403;
  asked = 0;
  door.fault = ({ headers: { authorization } }, response) => {
    asked += 1;
    if (authorization === undefined) response.writeHead(401, { "www-authenticate": 'Basic realm="ecr"' }).end();
    else if (authorization === `Basic ${basicOf(valid)}`) response.writeHead(200).end("found");
    else response.writeHead(refusal).end("Your authorization token has expired. Reauthenticate and try again.");
    return true;
  };
  await writeLogin("first");
  registry = await openRegistry({ plainHttp: true, crane: await toolPath("crane"), env: { DOCKER_CONFIG: folder } });
});

afterEach(async () => {
  await registry.close();
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([403, 400, 401])(
  "a login that the registry ends with %i is read again from the docker configuration",
  async (status) => {
    expect(await ask()).toBe("found");
    [valid, refusal] = ["second", status];
    await expect(ask()).rejects.toThrow(`HTTP ${String(status)} Your authorization token has expired`);
    await writeLogin("second");
    expect(await ask()).toBe("found");
  },
);

it("a login that never was accepted is asked for once in each request", async () => {
  valid = "other";
  await expect(ask()).rejects.toThrow("HTTP 403");
  expect(asked).toBe(2);
  await expect(ask()).rejects.toThrow("HTTP 403");
  expect(asked).toBe(4);
});
