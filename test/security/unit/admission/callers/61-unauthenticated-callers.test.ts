import type { IncomingMessage } from "node:http";
import { describe, expect, it, vi } from "vitest";
import type { Resource } from "../../../../../src/model/kubernetes.ts";
import { takeSourceTurns } from "../../../../../webhook/decisions/process/take-source-turns.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import { scopeOf } from "../../../../../webhook/decisions/ask-safely.ts";
import { limitSources } from "../../../../../webhook/authentication/limit-sources.ts";
import { createAuthenticate } from "../../../../../webhook/authentication/authenticate.ts";
import { withStored } from "../../../../../webhook/authentication/read-stored.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const MIB = 1024 * 1024;

/** A request as TLS and HTTP deliver it. */
const request = (
  commonName: string | null,
  { token, address = "10.1.2.3" }: { token?: string; address?: string } = {},
) =>
  ({
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    socket: {
      ...{ remoteAddress: address, authorized: commonName !== null },
      getPeerCertificate: () => ({ subject: { CN: commonName } }),
    },
  }) as unknown as IncomingMessage;

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof LandfallError ? thrown.code : String(thrown);
  }
  return "";
};

describe("61: the door", () => {
  const checkToken = (token: string) => Promise.resolve(token === "good" ? null : "is not signed by the issuer");

  it("client-certificate answers one certificate only", () => {
    const open = createAuthenticate({ mode: "client-certificate", clientName: "kube-apiserver", checkToken: null });
    expect(open(request("kube-apiserver"))).toEqual({ authentication: "client-certificate", source: "" });
    expect(codeOf(() => open(request("somebody")))).toBe("ADM_CLIENT_CERTIFICATE");
    expect(codeOf(() => open(request(null, { token: "good" })))).toBe("ADM_CLIENT_CERTIFICATE");
  });

  it("reads the certificate of a connection once, and asks each time whether it is authorized", () => {
    const open = createAuthenticate({ mode: "client-certificate", clientName: "kube-apiserver", checkToken: null });
    const getPeerCertificate = vi.fn(() => ({ subject: { CN: "kube-apiserver" } }));
    const socket = { remoteAddress: "10.1.2.3", authorized: true, getPeerCertificate };
    const asked = { headers: {}, socket } as unknown as IncomingMessage;
    expect(open(asked)).toMatchObject({ authentication: "client-certificate" });
    expect(open(asked)).toMatchObject({ authentication: "client-certificate" });
    expect(getPeerCertificate).toHaveBeenCalledTimes(1);
    socket.authorized = false;
    expect(codeOf(() => open(asked))).toBe("ADM_CLIENT_CERTIFICATE");
  });

  it("tells until when the certificate is valid of an API server that shows one, and of nobody else", () => {
    const ends: number[] = [];
    const onCertificate = (end: number) => void ends.push(end);
    const open = createAuthenticate({ mode: "auto", clientName: "kube-apiserver", checkToken: null, onCertificate });
    const from = (CN: string, authorized: boolean) => {
      const getPeerCertificate = () => ({ subject: { CN }, valid_to: "Nov 28 00:00:00 2027 GMT" });
      return { headers: {}, socket: { authorized, getPeerCertificate } } as unknown as IncomingMessage;
    };
    for (const [name, authorized] of [
      ["somebody", true],
      ["kube-apiserver", false],
    ] as const)
      expect(open(from(name, authorized))).toMatchObject({ authentication: "none" });
    expect(ends).toEqual([]);
    expect(open(from("kube-apiserver", true))).toMatchObject({ authentication: "client-certificate" });
    expect(ends).toEqual([Date.parse("2027-11-28T00:00:00Z")]);
  });

  it("none takes nobody for authenticated, whatever is shown", () => {
    const open = createAuthenticate({ mode: "none", clientName: null, checkToken: null });
    for (const one of [request(null), request("kube-apiserver"), request(null, { token: "good" })])
      expect(open(one)).toEqual({ authentication: "none", source: "10.1.2.3" });
    expect(open(request(null, { address: "::ffff:10.1.2.3" }))).toEqual({ authentication: "none", source: "10.1.2.3" });
  });

  it("token refuses those without one, and wrong ones", async () => {
    const open = createAuthenticate({ mode: "token", clientName: null, checkToken });
    await expect(open(request(null, { token: "good" }))).resolves.toEqual({ authentication: "token", source: "" });
    await expect(open(request(null, { token: "bad" }))).rejects.toMatchObject({ code: "ADM_NOT_AUTHENTICATED" });
    expect(codeOf(() => open(request(null)))).toBe("ADM_NOT_AUTHENTICATED");
  });

  it("auto judges each request by what it shows itself, and refuses a wrong token", async () => {
    const open = createAuthenticate({ mode: "auto", clientName: "kube-apiserver", checkToken });
    expect(open(request("kube-apiserver"))).toMatchObject({ authentication: "client-certificate" });
    expect(open(request("somebody"))).toMatchObject({ authentication: "none" });
    await expect(open(request(null, { token: "good" }))).resolves.toMatchObject({ authentication: "token" });
    await expect(open(request(null, { token: "bad" }))).rejects.toMatchObject({ code: "ADM_NOT_AUTHENTICATED" });
  });
});

describe("61: one address", () => {
  it("gets its rate, and twice as much at once after a pause", () => {
    const clock = { ms: 0 };
    const limit = limitSources(10, () => clock.ms);
    const count = (times: number): number =>
      Array.from({ length: times }, () => codeOf(() => limit.count("10.0.0.1"))).filter((code) => code === "").length;
    expect(count(50)).toBe(20);
    clock.ms += 500;
    expect(count(50)).toBe(5);
    expect(codeOf(() => limit.count("10.0.0.2"))).toBe("");
    expect(codeOf(() => limit.count("10.0.0.1"))).toBe("ADM_SOURCE_BUSY");
    clock.ms += 60_000;
    expect(count(50)).toBe(20);
  });

  it("has a limit of requests and bytes underway, whatever it claims", () => {
    const limit = limitSources(1, () => 0);
    const leave = limit.enter("10.0.0.1", 15 * MIB);
    expect(codeOf(() => limit.enter("10.0.0.1", 2 * MIB))).toBe("ADM_SOURCE_BUSY");
    leave();
    leave();
    for (let at = 0; at < 512; at += 1) limit.enter("10.0.0.1", 1);
    expect(codeOf(() => limit.enter("10.0.0.1", 1))).toBe("ADM_SOURCE_BUSY");
    expect(codeOf(() => limit.enter("10.0.0.2", 1))).toBe("");
  });

  it("gets no more turns by naming many namespaces", () => {
    const turns = takeSourceTurns<string>();
    for (let at = 0; at < 100; at += 1)
      turns.push({ source: "10.0.0.66", namespace: `n${String(at)}`, user: "", item: "attack" });
    for (const item of ["a", "b", "c"]) turns.push({ source: "10.0.0.1", namespace: "demo", user: "", item });
    const order: string[] = [];
    for (let turn = turns.next(); turn !== null && order.length < 6; turn = turns.next()) {
      order.push(turn.item);
      turns.charge(turn, 1);
    }
    expect(order.toSorted()).toEqual(["a", "attack", "attack", "attack", "b", "c"]);
  });

  it("is held alone for inputs that end processes, not the namespace that it names", () => {
    const refused = openRefusedInputs(() => 1000);
    const attacker = { authentication: "none", source: "10.0.0.66" } as const;
    const body = (cpu: number): string => reviewOf(vm({ cpu, memory: 1 }, { name: "x" }));
    for (const cpu of [1, 2, 3])
      refused.add(
        { path: "/mutate", body: body(cpu) },
        scopeOf("demo", attacker),
        new LandfallError("ADM_TIMEOUT", { limit: 1 }),
      );
    expect(refused.check(body(4), scopeOf("demo", attacker))?.code).toBe("ADM_NAMESPACE_HELD");
    expect(refused.check(body(4), scopeOf("demo", { authentication: "none", source: "10.0.0.1" }))).toBeNull();
    expect(refused.check(body(4), scopeOf("demo"))).toBeNull();
  });
});

describe("61: the old object and the user of a review", () => {
  const stored = vm({ cpu: 2, memory: 4 }, { name: "web", uid: "u-1", labels: { team: "true" } }) as Resource;
  const read = () => Promise.resolve(stored);
  const updateOf = (metadata: object, fields: object = {}): string => {
    const invented = vm({ cpu: 64, memory: 4 }, { name: "web", labels: { team: "invented" }, ...metadata });
    return reviewOf(vm({ cpu: 64, memory: 4 }), { operation: "UPDATE", oldObject: invented, ...fields });
  };
  interface Sent {
    request: Record<string, unknown>;
  }

  it("are the stored one and nobody", async () => {
    const body = updateOf({ uid: "u-1" }, { userInfo: { username: "system:admin" } });
    const { request: sent } = JSON.parse(await withStored(body, read)) as Sent;
    expect(sent["oldObject"]).toEqual(stored);
    expect(sent).not.toHaveProperty("userInfo");
  });

  it.each<[string, object]>([
    ["no uid", {}],
    ["another uid", { uid: "u-2" }],
    ["an empty uid", { uid: "" }],
    ["no name", { uid: "u-1", name: "" }],
  ])("with %s tell nothing of the stored object", async (_what, metadata) => {
    await expect(withStored(updateOf(metadata), read)).rejects.toMatchObject({ code: "ADM_OLD_OBJECT" });
  });

  it("of an object that does not exist are refused in the same words", async () => {
    const known = await withStored(updateOf({ uid: "u-2" }), read).catch(String);
    expect(await withStored(updateOf({ uid: "u-2" }), () => Promise.resolve(null)).catch(String)).toBe(known);
  });

  it.each(["", "[]", '{"request":1}', "not json", '{"request":{"operation":"UPDATE","kind":{"group":"apps"}}}'])(
    "of %j are read from nowhere",
    async (body) => {
      const never = (): Promise<never> => Promise.reject(new TypeError("read"));
      await expect(withStored(body, never)).resolves.toEqual(expect.any(String));
    },
  );

  it.each(["../../../api/v1/secrets", "v1/../..", "v0-2-0/../x", ""])("cannot name the version %j", async (version) => {
    const kind = { group: "composition.krateo.io", version, kind: "VmTemplate" };
    const paths: unknown[] = [];
    const noting = (asked: unknown) => {
      paths.push(asked);
      return Promise.resolve(null);
    };
    await withStored(updateOf({ uid: "u-1" }, { kind }), noting).catch(() => null);
    expect(paths).toEqual([]);
  });
});
