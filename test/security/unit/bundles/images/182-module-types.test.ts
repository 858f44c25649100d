import { expect, it } from "vitest";
import { moduleProblem } from "../../../../../src/policy/module/check-module.ts";
import { areFunctions } from "../../../../../src/policy/module/module-sections.ts";
import { hostileModule } from "../../../../support/bundles/hostile-module.ts";

const I32 = 0x7f;
const type = (parameters: number, results: number): Uint8Array => {
  const values = (count: number): number[] => [count, ...Array.from({ length: count }, () => I32)];
  return Uint8Array.from([1, 0x60, ...values(parameters), ...values(results)]);
};

it.each([
  [11, 1, true],
  [16, 0, true],
  [17, 0, false],
  [0, 2, false],
  [100, 1, false],
])("182: a type of %i parameters and %i results is one of OPA's compiler: %s", (parameters, results, isOne) => {
  expect(areFunctions(type(parameters, results), 16)).toBe(isOne);
});

it("182: a module with a block of 1,000 values is not run", async () => {
  const wasm = hostileModule(undefined, undefined, { functions: 1, branches: 1, values: 1000 });
  const module = await WebAssembly.compile(new Uint8Array(wasm));
  expect(moduleProblem(wasm, module)).toMatch(/types other than functions of at most 16 numbers with one result/);
});
