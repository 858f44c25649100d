import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cli } from "../../../../../src/cli/cli.ts";
import { openBundle } from "../../../../../src/cli/options/open-bundle.ts";
import { readTar, writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { limitTime, type Run } from "../../../../../src/policy/module/limit-time.ts";
import { loadBundle } from "../../../../../src/policy/load-bundle.ts";
import { PROBE } from "../../../../../src/policy/module/probe.ts";
import { policyFile } from "../../../../support/load-policy.ts";

/** `(module (import "env" "memory" (memory 1)) (func $loop (loop (br 0))) (start $loop))` */
const LOOPS = "0061736d01000000010401600000020f0103656e76066d656d6f7279020001030201000801000a0901070003400c000b0b";

let folder: string;
/** The project's bundle, and the same with a module that loops when it is opened. */
let good: Buffer;
let looping: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-looping-"));
  looping = join(folder, "looping.tar.gz");
  good = await readFile(await policyFile());
  const files = readTar(good);
  files.set("policy.wasm", Buffer.from(LOOPS, "hex"));
  await writeFile(looping, writeTar(new Map([...files].map(([name, body]) => [`/${name}`, body]))));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("25: a bundle that a command runs", () => {
  it("is ended if it loops while it is opened, for every command with --bundle", async () => {
    const cli = { env: process.env } as unknown as Cli;
    const opened = openBundle(cli, { bundle: [looping], crane: "crane" } as never, limitTime(300));
    await expect(opened).rejects.toMatchObject({
      code: "BUNDLE_TIMEOUT",
      message: expect.stringContaining(`bundle ${looping} did not answer within 0.3 s`) as string,
    });
  });

  it("is ended if it loops during a decision", async () => {
    const asked: string[] = [];
    const run: Run = (ref, work) => {
      asked.push(ref);
      return work();
    };
    const bundle = await loadBundle(good, "good", { run });
    const before = asked.length;
    bundle.evaluate(PROBE);
    expect(asked.slice(before)).toEqual(["good"]);
    const forever = (): never => {
      for (;;) asked.length = 0;
    };
    expect(() => limitTime(100)("slow", forever)).toThrow("the rules of bundle slow did not answer within 0.1 s");
  });

  it("gives its answers and its errors as without a limit", () => {
    const run = limitTime(1000);
    const value = { a: 1 };
    expect(run("any", () => value)).toBe(value);
    const fails = (): never => {
      throw new TypeError("of the rules");
    };
    expect(() => run("any", fails)).toThrow(TypeError);
  });
});
