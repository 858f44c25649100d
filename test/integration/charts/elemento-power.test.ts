import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { expect, it } from "vitest";
import { renderVm } from "../../support/charts/render-vm.ts";

const valuesOf = (name: string) =>
  parse(readFileSync(`charts/vmtemplate/ci/${name}-values.yaml`, "utf8")) as Record<string, unknown>;

it.each([
  ["elemento-run", undefined, "as-is"],
  ["elemento-run", "on", undefined],
  ["elemento-run", "off", "off"],
  ["elemento-minimal", undefined, undefined],
  ["elemento-minimal", "as-is", "as-is"],
])("the machine of %s, with the power %s, has the powerState %s", async (name, power, expected) => {
  const manifests = await renderVm({ ...valuesOf(name), global: power === undefined ? {} : { powerState: power } });
  const { spec } = manifests.find(({ kind }) => kind === "ElementoVm") ?? {};
  expect(spec).toBeDefined();
  expect(spec?.["powerState"]).toBe(expected);
});
