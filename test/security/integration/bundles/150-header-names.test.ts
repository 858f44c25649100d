import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nameHeader, tarEntry } from "../../../support/bundles/tar-entry.ts";
import { type Bench, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

it("150: a team's signed image with a name of megabytes is refused by its digest, and not read at each poll", async () => {
  const entries = [nameHeader(Buffer.alloc(60 * 1024 * 1024, "/")), tarEntry("f", "0"), Buffer.alloc(1024)];
  const platform = await bench.push(await numbered(1));
  const team = await bench.push(gzipSync(Buffer.concat(entries)), true, "security");
  const { watch } = await bench.watch({ others: [await bench.other("security", "policy", { required: false })] });
  await watch.poll();
  expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
  const { attempted, quarantined } = watch.status().others["security"] ?? {};
  expect(quarantined).toMatchObject([{ digest: team, code: "BUNDLE_UNSAFE" }]);
  await watch.poll();
  expect(watch.status().others["security"]?.attempted).toEqual(attempted);
});
