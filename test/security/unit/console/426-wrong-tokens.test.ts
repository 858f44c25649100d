import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { ConsoleApp } from "../../../../src/console/routes/console-app.ts";
import { openUsers } from "../../../../src/console/users/open-users.ts";
import { NOW } from "../../../support/admission.ts";
import { answering } from "../../../support/console/console-app.ts";

const [PROXY, POD] = ["10.0.0.1", "10.9.9.9"];

/** An API server that answers each check of a token when it is told to; wrong tokens begin with `wrong`. */
function usersOf() {
  const asked: { token: string; answer: () => void }[] = [];
  const told: string[] = [];
  const ended: string[] = [];
  let nowMs = 0;
  const users = openUsers({
    clientOf(token) {
      const create = async (): Promise<unknown> => {
        told.push(token);
        await new Promise<void>((answer) => asked.push({ token, answer }));
        if (token.startsWith("wrong")) throw new ApiError(401, { action: "POST", detail: "Unauthorized" });
        return { status: { userInfo: { username: token.split("/")[0] } } };
      };
      return { ...answering({}), create: create as KubeClient["create"] };
    },
    build: () => ({ ready: () => Promise.resolve(), close: () => Promise.resolve() }) as unknown as ConsoleApp,
    ...{ nowMs: () => nowMs, nowSeconds: () => NOW },
  });
  onTestFinished(() => users.stop());
  const open = (token: string, address = PROXY) => {
    const reply = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => void ended.push(token) });
    return users.consoleOf(token, reply as unknown as ServerResponse, address);
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets the API server answer what it was asked, until nothing new comes. */
  const answerAll = async (): Promise<void> => {
    for (await settle(); asked.length > 0; await settle()) for (const { answer } of asked.splice(0)) answer();
  };
  return { users, open, told, ended, answerAll, settle, later: (ms: number) => void (nowMs += ms) };
}

it("426: wrong tokens of one address leave checks to others", async () => {
  const { open, told, answerAll, settle } = usersOf();
  const wrong = Array.from({ length: 200 }, (_, at) =>
    open(`wrong-${String(at)}`, POD).catch((error: unknown) => error),
  );
  await settle();
  const alice = open("alice/0");
  await settle();
  expect(told).toContain("alice/0");
  await answerAll();
  await expect(alice).resolves.toBeDefined();
  const codes = (await Promise.all(wrong)).map((error) => (error as { code?: string }).code);
  expect(codes.filter((code) => code === "CONSOLE_AGAIN")).toHaveLength(136);
});

it("426: nor do those of many addresses hold up others for more than a turn of each", async () => {
  const { open, told, answerAll, settle } = usersOf();
  for (let at = 0; at < 400; at += 1)
    void open(`wrong-${String(at)}`, `10.9.9.${String(at % 8)}`).catch(() => undefined);
  await settle();
  const bob = open("bob/0");
  await answerAll();
  await expect(bob).resolves.toBeDefined();
  // 16 checks that were under way, and then one of each of the eight addresses at most.
  expect(told.indexOf("bob/0")).toBeLessThanOrEqual(16 + 8);
});

it("426: a token that was refused is not asked about for some seconds, and then again", async () => {
  const { open, told, answerAll, later } = usersOf();
  const first = open("wrong");
  const refused = expect(first).rejects.toMatchObject({ status: 401 });
  await answerAll();
  await refused;
  for (let at = 0; at < 50; at += 1) await expect(open("wrong", POD)).rejects.toMatchObject({ status: 401 });
  expect(told).toEqual(["wrong"]);
  later(5000);
  const again = expect(open("wrong")).rejects.toMatchObject({ status: 401 });
  await answerAll();
  await again;
  expect(told).toEqual(["wrong", "wrong"]);
});

it("426: the consoles of those who have many end before those of others", async () => {
  const { users, open, ended, answerAll } = usersOf();
  const opened = async (token: string): Promise<void> => {
    const made = open(token);
    await answerAll();
    await made;
  };
  await opened("bob/0");
  for (let namespace = 0; namespace < 30; namespace += 1)
    for (let at = 0; at < 4; at += 1) {
      const user = `system:serviceaccount:team-${String(namespace)}`;
      await opened(`${user}:sa-${String(at)}/0`);
    }
  expect(users.size()).toBe(64);
  expect(ended).not.toContain("bob/0");
});
