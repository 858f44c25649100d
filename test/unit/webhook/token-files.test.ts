import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LandfallError } from "../../../src/errors.ts";
import { followTokenFile } from "../../../webhook/follow-token-file.ts";
import { openParts } from "../../../webhook/open-parts.ts";
import { readTokenFile } from "../../../webhook/read-token-file.ts";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-token-"));
  await writeFile(join(dir, "policy.tar.gz"), "");
  await writeFile(join(dir, "empty"), " \n");
  await writeFile(join(dir, "good"), "s3cret+/=\n");
  await writeFile(join(dir, "lines"), "one\ntwo\n");
  await writeFile(join(dir, "letters"), "pässword");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What the webhook says of these flags at its start. */
async function refusalOf(flags: object): Promise<LandfallError> {
  const given = { bundle: join(dir, "policy.tar.gz"), dataDir: dir, systemNamespace: "landfall-system", ...flags };
  const thrown: unknown = await openParts(given as never, { client: {}, logger: {}, env: {} } as never).catch(
    (error: unknown) => error,
  );
  if (thrown instanceof LandfallError) return thrown;
  throw thrown;
}

describe("a token file", () => {
  it("gives its line", async () => {
    expect(await readTokenFile("--status-token-file", join(dir, "good"))).toBe("s3cret+/=");
    expect(await readTokenFile("--status-token-file", undefined)).toBeNull();
  });

  it.each([
    ["none", "there is no such file"],
    ["empty", "it is empty"],
    ["lines", "several lines"],
    ["letters", "visible ASCII"],
  ])("that is wrong is named with its option, and not shown: %s", async (name, detail) => {
    const error: unknown = await readTokenFile("--status-token-file", join(dir, name)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "ADM_TOKEN_FILE", message: expect.stringContaining(detail) as string });
    expect(String(error)).toContain(`the token file ${join(dir, name)} of --status-token-file cannot be used`);
    expect(String(error)).not.toMatch(/one\n|two|pässword/);
  });

  it("that changes gives its new token, and the known one while it cannot be used", async () => {
    const file = join(dir, "changing");
    let now = 0;
    const failures: unknown[] = [];
    await writeFile(file, "one");
    const read = await followTokenFile(
      "--status-token-file",
      file,
      (thrown) => failures.push(thrown),
      () => now,
    );
    const later = (): Promise<string> | undefined => {
      now += 5000;
      return read?.();
    };
    expect(await read?.()).toBe("one");
    await writeFile(file, "two");
    expect(await later()).toBe("two");
    await writeFile(file, "");
    expect(await later()).toBe("two");
    expect(failures).toMatchObject([{ code: "ADM_TOKEN_FILE" }]);
    await writeFile(file, "three");
    expect([await later(), failures.length]).toEqual(["three", 1]);
    expect(await followTokenFile("--status-token-file", undefined, () => undefined)).toBeNull();
  });

  it.each([
    ["--status-token-file", (file: string) => ({ statusTokenFile: file })],
    ["--poll-token-file", (file: string) => ({ pollTokenFile: file })],
    ["--decision-log-token-file", (file: string) => ({ decisionLog: "https://log", decisionLogTokenFile: file })],
  ])("of %s ends the start if it is missing or empty", async (option, flags) => {
    for (const name of ["none", "empty"]) {
      const { code, message } = await refusalOf({ unsigned: true, ...flags(join(dir, name)) });
      expect([code, message]).toEqual(["ADM_TOKEN_FILE", expect.stringContaining(`of ${option} cannot be used`)]);
    }
  });
});

it("a webhook without bundle settings says so, and not that a file is wrong", async () => {
  const { code, message, remedy } = await refusalOf({});
  expect(code).toBe("BUNDLE_NO_SETTINGS");
  expect(message).toMatch(/^this webhook has no bundle settings/);
  expect(remedy).toContain("--unsigned");
  expect(remedy).not.toContain("schemas/");
});
