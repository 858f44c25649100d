// The controller's disk is full while it installs, and while it deletes.
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mountSmall, unmount } from "../../support/faults/as-root.ts";
import { type Night, named, refusalsOf, startNight, tell, until } from "../../support/faults/night.ts";

const MEBIBYTES = 64;
const OBJECTS = 5;
/** Long enough for attempts to fail. */
const FULL_MS = 15_000;

let night: Night;
let disk: string;

const filler = (): string => join(disk, "filler");

/** Takes every block that is free. */
async function fill(): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(filler(), Buffer.alloc(bavail * bsize)).catch((thrown: unknown) => {
    expect(String(thrown)).toContain("ENOSPC");
  });
}

/** Temporary files and the data of the controller are on the small disk, for either way of calling helm. */
async function useDisk(by: "worker" | "program"): Promise<void> {
  await night.kubelet.restart("composition", {
    args: (args) => [...args, "--data-dir", join(disk, "data"), "--helm-by", by],
    env: { TMPDIR: join(disk, "tmp") },
  });
}

beforeAll(async () => {
  night = await startNight({ helmBy: "worker" });
  disk = await mkdtemp(join(tmpdir(), "landfall-small-disk-"));
  mountSmall(disk, MEBIBYTES);
  await mkdir(join(disk, "tmp"));
});

afterAll(async () => {
  await night.stop().finally(() => unmount(disk));
  await rm(disk, { recursive: true });
});

it.each(["worker", "program"] as const)(
  "is told, and loses nothing once there is space again: by the %s",
  async (by) => {
    await useDisk(by);
    const [before, during] = [named(`spacious-${by}`, OBJECTS), named(`full-${by}`, OBJECTS)];
    await Promise.all(before.map((one) => night.apply(one)));
    await night.untilReady(before, 120);
    await fill();
    const applied = await Promise.all(during.map((one) => night.apply(one)));
    const ready = await night.untilReady(during, FULL_MS / 1000).catch(() => "not before there was space");
    const condition = await night.ready(during[0] ?? "");
    await rm(filler());
    const installed = await night.untilReady(during, 180);
    await night.count([...before, ...during]);
    await fill();
    await Promise.all([...before, ...during].map((one) => night.remove(one)));
    await sleep(FULL_MS);
    const waiting = (await night.list()).length;
    await rm(filler());
    const removed = await night.clear([...before, ...during], 180);
    tell(`a full disk, helm by its ${by}`, {
      ...{ "ready while it was full": ready, installed, "deletions that waited": waiting, removed },
      seen: [
        ...refusalsOf(applied),
        `${condition?.status ?? ""} ${condition?.reason ?? ""}: ${condition?.message ?? ""}`,
      ],
    });
    expect(refusalsOf(applied)).toEqual([]);
    // The program needs a file for each call, the worker none.
    if (by === "worker") expect(ready).toBeTypeOf("number");
    else expect(condition?.message).toContain("[REL_DISK_FULL]");
  },
);

it("keeps a restarted controller from nothing but its work until there is space", async () => {
  await fill();
  await night.kubelet.kill("composition");
  await useDisk("worker");
  const names = named("restarted", OBJECTS);
  const applied = await Promise.all(names.map((one) => night.apply(one)));
  await sleep(FULL_MS);
  const isAlive = night.kubelet.pid("composition") > 0;
  await rm(filler());
  if (!isAlive) night.kubelet.start("composition");
  const recovery = await night.untilReady(names, 180);
  await night.count(names);
  tell("a controller that starts with a full disk", {
    ...{ "stays alive": String(isAlive), recovery, seen: refusalsOf(applied) },
  });
  await until("they are gone", 200, async () => (await night.clear(names, 180)) > 0);
});
