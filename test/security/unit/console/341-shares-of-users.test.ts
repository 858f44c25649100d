import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { ConsoleApp } from "../../../../src/console/routes/console-app.ts";
import { openUsers } from "../../../../src/console/users/open-users.ts";
import { NOW } from "../../../support/admission.ts";
import { answering } from "../../../support/console/console-app.ts";

/** The consoles of users, whose tokens are `NAME/NUMBER`. */
function usersOf() {
  const closed: string[] = [];
  const tokens = new Map<unknown, string>();
  const users = openUsers({
    clientOf(token) {
      const status = { userInfo: { username: token.slice(0, token.lastIndexOf("/")) } };
      const create: KubeClient["create"] = () => Promise.resolve({ status } as never);
      const client = { ...answering({}), create };
      tokens.set(client, token);
      return client;
    },
    build: (client) =>
      ({
        ready: () => Promise.resolve(),
        close: () => Promise.resolve(closed.push(tokens.get(client) ?? "")),
      }) as unknown as ConsoleApp,
    ...{ nowMs: () => 0, nowSeconds: () => NOW },
  });
  onTestFinished(() => users.stop());
  const reply = (destroyed = false) => Object.assign(new EventEmitter(), { destroyed, destroy: () => undefined });
  const open = (token: string, own = reply()) => users.consoleOf(token, own as unknown as ServerResponse, "10.0.0.1");
  return { users, closed, open, reply };
}

it("341: the sign-ins of one user end no console of others", async () => {
  const { users, closed, open } = usersOf();
  await open("alice/0");
  for (let at = 0; at < 100; at += 1) await open(`mallory/${String(at)}`);
  expect(closed).not.toContain("alice/0");
  expect(users.size()).toBe(5);
});

it("341: nor do those of the service accounts of one namespace", async () => {
  const { users, closed, open } = usersOf();
  await open("alice/0");
  await open("system:serviceaccount:other:reader/0");
  for (let at = 0; at < 100; at += 1) await open(`system:serviceaccount:mallory:sa-${String(at)}/0`);
  expect(closed).not.toContain("alice/0");
  expect(closed).not.toContain("system:serviceaccount:other:reader/0");
  expect(users.size()).toBe(6);
});

it("341: answers under way of one user, whatever their tokens, are 64 at most", async () => {
  const { open, reply } = usersOf();
  const first = reply();
  await open("mallory/0", first);
  for (let at = 1; at < 64; at += 1) await open(`mallory/${String(at % 2)}`);
  await expect(open("mallory/1")).rejects.toMatchObject({ code: "CONSOLE_AGAIN" });
  await expect(open("alice/0")).resolves.toBeDefined();
  first.emit("close");
  await expect(open("mallory/1")).resolves.toBeDefined();
});

it("341: an answer that was left while its token was checked takes no place", async () => {
  const { open, reply } = usersOf();
  for (let at = 0; at < 100; at += 1) await open("mallory/0", reply(true));
  await expect(open("mallory/0")).resolves.toBeDefined();
});
