// 458: 50 entries of ports with 20 networks each were compared by parsing each network again for each other one: 155 ms for an object of 17 KB.
import ipaddr from "ipaddr.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { checkPorts } from "../../../../../src/admission/check/check-ports.ts";

const [ENTRIES, NETWORKS] = [50, 20];
const PORTS = Array.from({ length: ENTRIES }, (_, at) => ({
  ...{ port: 1 + at, toPort: 65_535 },
  cidrs: Array.from({ length: NETWORKS }, (_cidr, part) => `10.${String(at)}.${String(part)}.0/24`),
}));

// Steps are counted, since a time would differ with the machine.
it("458: each network of many ports is parsed once by each check", () => {
  const parse = vi.spyOn(ipaddr.IPv4, "isValidCIDRFourPartDecimal");
  onTestFinished(() => {
    parse.mockRestore();
  });
  expect(checkPorts({ ports: PORTS })).toEqual([]);
  const parsed = parse.mock.calls.length;
  expect(parsed).toBeGreaterThan(0);
  expect(parsed).toBeLessThanOrEqual(2 * ENTRIES * NETWORKS);
});
