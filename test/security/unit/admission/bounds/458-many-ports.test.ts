// 458: 50 entries of ports with 20 networks each were compared by parsing each network again for each other one: 155 ms for an object of 17 KB.
import { expect, it } from "vitest";
import { checkPorts } from "../../../../../src/admission/check/check-ports.ts";

const PORTS = Array.from({ length: 50 }, (_, at) => ({
  ...{ port: 1 + at, toPort: 65_535 },
  cidrs: Array.from({ length: 20 }, (_cidr, part) => `10.${String(at)}.${String(part)}.0/24`),
}));

it("458: many networks of many ports are compared in a few ms", () => {
  const times = [1, 2, 3, 4].map(() => {
    const before = process.threadCpuUsage();
    expect(checkPorts({ ports: PORTS })).toEqual([]);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  expect(Math.min(...times)).toBeLessThan(40);
});
