import { expect, it } from "vitest";
import { licenceProblems } from "../../../scripts/check/licence-problems.ts";

it.each([
  ["MIT", true],
  ["(((MIT)))", true],
  ["GPL-3.0-only OR MIT", true],
  ["GPL-3.0-only AND GPL-2.0-only OR MIT", true],
  ["MIT AND (GPL-3.0-only OR ISC)", true],
  ["(MIT OR GPL-2.0-only) AND (ISC OR GPL-2.0-only)", true],
  ["GPL-3.0-only AND (GPL-2.0 OR MIT OR AGPL-3.0)", false],
  ["(MIT OR ISC) AND GPL-3.0-only", false],
  ["(GPL-2.0 OR MIT) AND (GPL-3.0-only OR AGPL-3.0)", false],
  ["MIT AND GPL-3.0-only OR AGPL-3.0", false],
  ["MIT WITH Foo-exception", false],
  ["GPL-2.0-only WITH MIT", false],
  ["MIT WITH", false],
  ["MIT OR", false],
  ["OR MIT", false],
  ["(MIT", false],
  ["MIT)", false],
  ["MIT ISC", false],
  ["MIT; GPL-3.0-only", false],
  ["()", false],
  ["", false],
])("the licence %j is accepted: %s", (licence, accepted) => {
  expect(licenceProblems([{ name: "odd", licence }], [])).toHaveLength(accepted ? 0 : 1);
});
