import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openHelmWorker } from "../../../../src/composition/helm/helm-worker.ts";

/** Fails with the text of the release's name: those that begin with "late" after 300 ms. */
const PROGRAM = `#!${process.execPath}
require("node:fs").appendFileSync(process.env.STARTS, "one\\n");
process.stdout.write('{"protocol":1,"helm":"4.3.1"}\\n');
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, release } = JSON.parse(line);
  const say = () => process.stdout.write(JSON.stringify({ id, error: release }) + "\\n");
  if (release.startsWith("late")) setTimeout(say, 300);
  else say();
});
lines.on("close", () => process.exit());
`;

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "landfall-deadlines-"));
  const [binary, starts] = [join(folder, "worker.cjs"), join(folder, "starts")];
  await writeFile(binary, PROGRAM);
  await chmod(binary, 0o755);
  const silent = { warn: () => undefined, info: () => undefined };
  const env = { PATH: process.env["PATH"] ?? "", STARTS: starts };
  const worker = openHelmWorker({ program: { binary, env }, log: silent, nowMs: () => performance.now() });
  onTestFinished(async () => {
    await worker.stop();
    await rm(folder, { recursive: true });
  });
  const fail = (release: string, timeoutMs: number) =>
    worker.perform(
      { verb: "uninstall", release, namespace: "demo" },
      { server: "http://127.0.0.1:1", token: "t" },
      timeoutMs,
    );
  return { fail, count: async () => (await readFile(starts, "utf8")).split("one").length - 1 };
}

it("378: a text of a tenant in an error of helm does not end the process that helps all", async () => {
  const { fail, count } = await open();
  for (const release of ["context deadline exceeded", "a", "context deadline exceeded", "b"])
    expect(await fail(release, 60_000)).toMatchObject({ code: 1, stderr: `Error: ${release}\n` });
  expect(await count()).toBe(1);
});

it("378: a call that fails after its deadline does, whatever its error says", async () => {
  const { fail, count } = await open();
  expect(await fail("late", 200)).toMatchObject({ code: 1 });
  expect(await fail("a", 60_000)).toMatchObject({ code: 1 });
  expect(await count()).toBe(2);
});
