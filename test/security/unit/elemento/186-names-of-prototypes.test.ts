import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clusterState, vmState, volumeState } from "../../../../src/elemento/api/inferred.ts";
import { readFailure } from "../../../../src/elemento/api/transport/read-failure.ts";
import { table } from "../../../../src/model/table.ts";

const NAMES = Object.getOwnPropertyNames(Object.prototype);

describe("186: names that every object of JavaScript has", () => {
  it.each(NAMES)("%s is an unknown word in Elemento's answers", (name) => {
    expect([vmState(name), volumeState(name), clusterState(name)]).toEqual(["unknown", "unknown", "unknown"]);
    const call = { operation: "create vm" } as Parameters<typeof readFailure>[0];
    const failure = readFailure(call, { status: 500, text: JSON.stringify({ code: name }), request: "1" }, []);
    expect(failure.code).toBe("ELEMENTO_FAILED");
  });

  it("are unknown to every table", () => {
    const known = table({ a: 1 });
    expect(NAMES.map((name) => known[name])).toEqual(NAMES.map(() => undefined));
    expect([known["a"], Object.keys(known)]).toEqual([1, ["a"]]);
  });
});

/** Tables that no one looks up by a name that others write, or that are not looked up at all. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  "src/errors.ts": ["OF_SYSTEM"],
  "src/composition/definition/status-schema.ts": ["CLUSTER", "OF_RUNS"],
  "src/console/server/headers.ts": ["SECURITY_HEADERS"],
  "src/kops/kops-defaults.ts": ["CPU"],
  "src/toolchain/cache-paths.ts": ["GO_ARCH"],
};

it("186: tables by name are made without a prototype", () => {
  const files = [...globSync("src/**/*.ts"), ...globSync("webhook/**/*.ts")].filter(
    (file) => !file.startsWith("src/local/"),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const tables = [
      ...text.matchAll(/^(?:export )?const (\w+): (?:Readonly<)?(?:Partial<)?Record<string[^=\n]*(?:=>[^=\n]*)?= \{/gm),
    ];
    return tables.map(([, name = ""]) => `${file} ${name}`);
  });
  expect(files.length).toBeGreaterThan(500);
  expect(found.toSorted()).toEqual(
    Object.entries(OWN_NAMES)
      .flatMap(([file, names]) => names.map((name) => `${file} ${name}`))
      .toSorted(),
  );
});
