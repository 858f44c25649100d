import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { expect } from "vitest";
import { pushBundle } from "../../../src/bundle/push-bundle.ts";
import { parseReference } from "../../../src/bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../src/bundle/signature/read-key.ts";
import { signImage } from "../../../src/bundle/signature/sign-image.ts";
import type { Landfall } from "../../../src/local/landfall/start-landfall.ts";

/** Pushes a bundle to a tag of its own, signed as the cluster's webhook demands, and answers the reference by digest. */
export async function publishSigned(landfall: Landfall, bytes: Uint8Array, tag: string): Promise<string> {
  const { root } = landfall.stage.paths;
  const file = join(root, `${tag}.tar.gz`);
  await writeFile(file, bytes);
  const ref = `${landfall.registry}/policies/landfall:${tag}`;
  const crane = await landfall.tool("crane");
  const pushed = await pushBundle({ crane, file, ref, plainHttp: true });
  const key = await readPrivateKey(join(root, "bundle.key"));
  await signImage({ crane, plainHttp: true }, parseReference(ref), pushed, key);
  return pushed.ref;
}

/** Moves a tag, which is what a push of something signed before comes to; by HTTP, so that only the webhook is busy. */
export async function moveTag(landfall: Landfall, ref: string, tag: string): Promise<void> {
  const [repository = "", digest = ""] = ref.slice(landfall.registry.length + 1).split("@");
  const manifests = `http://${landfall.registry}/v2/${repository}/manifests`;
  const found = await request(`${manifests}/${digest}`, {
    headers: { accept: "application/vnd.oci.image.manifest.v1+json" },
  });
  const type = String(found.headers["content-type"]);
  const body = await found.body.text();
  const put = await request(`${manifests}/${tag}`, { method: "PUT", headers: { "content-type": type }, body });
  await put.body.dump();
  expect([found.statusCode, put.statusCode]).toEqual([200, 201]);
}
