import { expect, it } from "vitest";
import { followClientCertificates } from "../../../webhook/authentication/client-certificates.ts";

const HOUR_MS = 3_600_000;
const [OLD, OTHER, RENEWED] = [1_000, 2_000, 9_000];

it("of several API servers, the certificate that ends first counts until an hour after its server shows another", () => {
  let now = 0;
  const certificates = followClientCertificates(() => now);
  expect(certificates.firstEnd()).toBeNull();
  certificates.saw(Number.NaN);
  expect(certificates.firstEnd()).toBeNull();
  for (const end of [OTHER, OLD]) certificates.saw(end);
  expect(certificates.firstEnd()).toBe(OLD);
  certificates.saw(RENEWED);
  expect(certificates.firstEnd()).toBe(OLD);
  now += HOUR_MS + 1;
  // Nobody asked since.
  expect(certificates.firstEnd()).toBe(OLD);
  for (const end of [OTHER, RENEWED]) certificates.saw(end);
  expect(certificates.firstEnd()).toBe(OTHER);
});
