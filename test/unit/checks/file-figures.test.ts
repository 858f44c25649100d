import { expect, it } from "vitest";
import { fileFigures } from "../../../scripts/check/file-figures.ts";

const lines = (count: number, first = ""): string => `${first}\n`.padEnd(count + first.length, "\n");

it("counts what an entry loads, and small files with one importer", () => {
  const tree = new Map([
    [
      "src/entry.ts",
      'import { one } from "./one.ts";\nimport type { Two } from "./two.ts";\nimport { three } from "./three.ts";\n',
    ],
    ["src/one.ts", 'import { three } from "./three.ts";\nimport { type Two } from "./two.ts";\n'],
    ["src/two.ts", lines(5)],
    ["src/three.ts", lines(24, 'import { four } from "./below/four.ts";')],
    ["src/below/four.ts", lines(25)],
    ["src/below/five.ts", 'import { four } from "./four.ts";\n'],
    ["src/six.ts", 'import { five } from "./below/five.ts";\n'],
  ]);
  expect(fileFigures(tree, "src/entry.ts")).toEqual({
    ...{ loaded: 5, files: 7 },
    small: ["src/below/five.ts", "src/one.ts"],
    lines: 3 + 2 + 5 + 24 + 25 + 1 + 1,
  });
});
