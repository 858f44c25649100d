import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCertificateFiles } from "../../../../webhook/certificates/open-certificate.ts";
import { makeServingCertificate } from "../../../../webhook/certificates/serving-certificate.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-tls-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("certificates of a mounted Secret are read, and refused while a file is missing", async () => {
  const { ca, cert, key } = await makeServingCertificate(["web.ns.svc"]);
  await expect(readCertificateFiles(folder, ["web.ns.svc"], Date.now())).rejects.toMatchObject({ code: "ADM_TLS" });
  await writeFile(join(folder, "tls.crt"), cert);
  await writeFile(join(folder, "tls.key"), key);
  // A bundle with another CA, as while a CA is replaced.
  await writeFile(join(folder, "ca.crt"), (await makeServingCertificate(["x"])).ca + ca);
  expect(await readCertificateFiles(folder, ["web.ns.svc"], Date.now())).toMatchObject({ cert, key });
});
