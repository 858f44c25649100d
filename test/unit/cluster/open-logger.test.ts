import { glob, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { logAbout, openLogger } from "../../../src/cluster/service/open-logger.ts";

function logged() {
  const lines: Record<string, unknown>[] = [];
  const log = openLogger("info", { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, lines };
}

it("writes times in RFC 3339", () => {
  const { log, lines } = logged();
  log.info("started");
  expect(lines[0]?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it("adds the fields of the work to each of its lines, and to no other", async () => {
  const { log, lines } = logged();
  const work = (decision: string) =>
    logAbout({ decision }, async () => {
      await sleep(1);
      log.info({ verb: "install" }, "helm");
    });
  await Promise.all([work("a"), work("b")]);
  log.info("other");
  expect(lines.map(({ decision, verb }) => [decision, verb])).toEqual([
    ["a", "install"],
    ["b", "install"],
    [undefined, undefined],
  ]);
});

it("is how every process opens its log", async () => {
  const found: string[] = [];
  for await (const file of glob("{src,webhook}/**/*.ts"))
    if (/\bpino\(/.test(await readFile(file, "utf8"))) found.push(file);
  expect(found).toEqual(["src/cluster/service/open-logger.ts"]);
});
