import { generateKeyPairSync, sign } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeTar } from "../../../../src/model/bundle-format/tar.ts";
import { type Bench, numbered, openBench, openDecider } from "../../../support/bundles/watched-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => {
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
  await bench.stop();
});

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const TRUST = { mode: "required", keys: [publicKey], identities: [], root: null } as const;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A team's image with 20 MiB of empty objects, which a token of a trusted key does not name. Packed, it has 20 kB. */
function bomb(): Buffer {
  const head = `${encode({ alg: "ES256", typ: "JWT" })}.${encode({ files: [] })}`;
  const made = sign("sha256", Buffer.from(head), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
  const landfall = { kind: "policy", name: "security" };
  const files = {
    ".manifest": JSON.stringify({ revision: "t1", roots: ["landfall/custom/security"], metadata: { landfall } }),
    ".signatures.json": JSON.stringify({ signatures: [`${head}.${made}`] }),
    "data.json": `{"a":[${"{},".repeat(7_000_000)}{}]}`,
    "policy.wasm": "x",
  };
  return writeTar(new Map(Object.entries(files).map(([name, body]) => [`/${name}`, Buffer.from(body)])));
}

it("101: a team's image whose files are not as signed is quarantined, and read once", async () => {
  const platform = await bench.push(await numbered(1));
  const team = await bench.push(bomb(), true, "security");
  const { watch } = await bench.watch({
    others: [await bench.other("security", "policy", { required: false })],
    start: (tarball, ref, beside) => openDecider(tarball, ref, TRUST, beside),
  });
  await watch.poll();
  expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
  const { attempted, active, quarantined } = watch.status().others["security"] ?? {};
  expect({ active, quarantined }).toMatchObject({
    active: null,
    quarantined: [{ digest: team, code: "BUNDLE_LIMIT" }],
  });
  await watch.poll();
  expect(watch.status().others["security"]?.attempted).toEqual(attempted);
});
