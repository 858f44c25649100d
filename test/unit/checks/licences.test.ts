import { expect, it } from "vitest";
import { checkLicences } from "../../../scripts/check/check-licences.ts";
import { licenceProblems } from "../../../scripts/check/licence-problems.ts";

it.each([
  ["MIT", []],
  ["(MIT AND Zlib)", []],
  ["(GPL-3.0-only OR MIT)", []],
  ["(MIT AND GPL-3.0-only)", ["odd: (MIT AND GPL-3.0-only)"]],
  ["AGPL-3.0-or-later", ["odd: AGPL-3.0-or-later"]],
  ["SEE LICENSE IN LICENSE", ["odd: SEE LICENSE IN LICENSE"]],
  [null, ["odd: no licence"]],
])("the licence %s gives the problems %j", (licence, expected) => {
  const found = licenceProblems([{ name: "odd", licence }], []);
  expect(found.map((line) => line.split(";")[0])).toEqual(expected);
});

it("excepts a package for the licence that the exception names, and reports exceptions that nothing needs", () => {
  const exceptions = [{ name: "odd*", licence: "MPL-2.0", reason: "a tool" }];
  expect(licenceProblems([{ name: "odd-linux", licence: "MPL-2.0" }], exceptions)).toEqual([]);
  expect(licenceProblems([{ name: "odd-linux", licence: "GPL-2.0" }], exceptions)).toHaveLength(2);
  expect(licenceProblems([], exceptions)).toEqual(["no package needs the exception for odd* (MPL-2.0)"]);
});

it("finds every package of this project allowed", async () => {
  expect(await checkLicences(process.cwd())).toEqual([]);
});
