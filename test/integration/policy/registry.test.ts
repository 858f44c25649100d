import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRYPOINT } from "../../../src/bundle/build-bundle.ts";
import { pullBundle } from "../../../src/bundle/pull-bundle.ts";
import { pushBundle } from "../../../src/bundle/push-bundle.ts";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import type { PolicyInput } from "../../../src/model/policy.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";
import { builtBundle } from "../../support/bundles/built-bundle.ts";

let built: Awaited<ReturnType<typeof builtBundle>>;
let crane: string;
let registry: TestRegistry;
let host: string;

beforeAll(async () => {
  crane = await toolPath("crane");
  [built, registry] = await Promise.all([builtBundle(), startRegistry(crane)]);
  host = registry.host;
});

afterAll(async () => {
  await registry.close();
  await built.remove();
});

const push = (file: string, name: string): ReturnType<typeof pushBundle> =>
  pushBundle({ crane, file, ref: `${host}/policies/${name}`, plainHttp: true });

describe("a registry", () => {
  it("returns a pushed bundle by digest and by tag", async () => {
    const pushed = await push(built.path, "landfall:one");
    expect(pushed.ref).toBe(`${host}/policies/landfall@${pushed.digest}`);
    for (const ref of [pushed.ref, `${host}/policies/landfall:one`]) {
      const pulled = await pullBundle({ crane, ref, plainHttp: true });
      expect(pulled.digest).toBe(built.digest);
      expect((await loadBundle(pulled.bytes, ref)).revision).toBe("test");
    }
  });

  it("gives the same digest when the same bundle is pushed again", async () => {
    expect((await push(built.path, "landfall:two")).digest).toBe((await push(built.path, "landfall:three")).digest);
  });

  it("reports a missing bundle", async () => {
    const ref = `${host}/policies/nothing:none`;
    await expect(pullBundle({ crane, ref, plainHttp: true })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY" });
  });

  it("is distinguished from one that does not answer", async () => {
    const options = { crane, ref: "127.0.0.1:1/policies/landfall:one", plainHttp: true };
    await expect(pullBundle(options)).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AWAY" });
    await expect(pushBundle({ ...options, file: built.path })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AWAY" });
  });

  it("rejects a file that is not a bundle", async () => {
    const file = join(built.folder, "text.tar.gz");
    await writeFile(file, "no archive");
    await expect(push(file, "landfall:text")).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
  });
});

describe("a file", () => {
  it("is read without a registry", async () => {
    expect((await pullBundle({ ref: built.path })).digest).toBe(built.digest);
  });

  it("that does not exist is not read as a reference", async () => {
    await expect(pullBundle({ ref: join(built.folder, "nothing.tar.gz") })).rejects.toMatchObject({
      code: "BUNDLE_REFERENCE",
    });
  });
});

describe("opa itself", () => {
  it("pulls the image and answers as the webhook does", async () => {
    await push(built.path, "landfall:opa");
    const config = join(built.folder, "opa.yaml");
    const settings = {
      services: { registry: { url: `http://${host}`, type: "oci" } },
      bundles: { landfall: { service: "registry", resource: `${host}/policies/landfall:opa` } },
      persistence_directory: join(built.folder, "opa"),
    };
    await writeFile(config, JSON.stringify(settings));
    const [port = 0] = await freePorts(1);
    const address = `127.0.0.1:${String(port)}`;
    const args = ["run", "--server", "--addr", address, "--config-file", config, "--log-format", "json"];
    const opa = spawn(await toolPath("opa"), args, { stdio: ["ignore", "ignore", "pipe"], cwd: built.folder });
    try {
      const lines: string[] = [];
      createInterface({ input: opa.stderr }).on("line", (line) => lines.push(line));
      const ready = async (): Promise<boolean> =>
        fetch(`http://${address}/health?bundles`).then(
          ({ ok }) => ok,
          () => false,
        );
      for (let tries = 0; tries < 100 && !(await ready()); tries += 1) await sleep(100);
      expect(await ready(), lines.join("\n")).toBe(true);
      const bundle = await loadBundle(built.bytes, "test");
      for (const name of ["anywhere", "residency-eu", "too-large"]) {
        const input = JSON.parse(await readFile(`test/fixtures/policy/${name}.json`, "utf8")) as PolicyInput;
        const answer = await fetch(`http://${address}/v1/data/${ENTRYPOINT}`, {
          method: "POST",
          body: JSON.stringify({ input }),
        });
        expect(await answer.json()).toEqual({ result: bundle.evaluate(input) });
      }
    } finally {
      opa.kill("SIGTERM");
      await once(opa, "exit");
    }
  });
});
