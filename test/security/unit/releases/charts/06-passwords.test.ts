import { describe, expect, it } from "vitest";
import { parseReference } from "../../../../../src/bundle/registry/parse-reference.ts";
import { assertPasswordHost } from "../../../../../src/composition/chart/fetch-chart.ts";

const credentials = { username: "me", passwordRef: { namespace: "landfall-system", name: "pull", key: "password" } };
const trust = { passwordHosts: ["charts.example", "127.0.0.1:5000"] };

describe("6: the password of an allowed host", () => {
  it.each([
    ["http://charts.example", false],
    ["http://charts.example", true],
    ["https://charts.example", true],
  ])("is not sent to %s with insecureSkipVerifyTLS: %s", (url, insecureSkipVerifyTLS) => {
    const ask = () => assertPasswordHost({ url, insecureSkipVerifyTLS, credentials }, trust);
    expect(ask).toThrow(expect.objectContaining({ code: "REL_CHART_PLAIN" }) as Error);
  });

  it("is not sent over oci:// to a registry whose certificate is not verified", () => {
    const url = "oci://charts.example/charts/vm";
    const ask = () => assertPasswordHost({ url, insecureSkipVerifyTLS: true, credentials }, trust);
    expect(ask).toThrow(expect.objectContaining({ code: "REL_CHART_PLAIN" }) as Error);
  });

  it.each(["https://charts.example/x.tgz", "oci://charts.example/charts/vm", "http://127.0.0.1:5000"])(
    "is sent to %s",
    (url) => {
      expect(() => assertPasswordHost({ url, credentials }, trust)).not.toThrow();
    },
  );

  it("is sent to a host in capitals", () => {
    expect(() => assertPasswordHost({ url: "oci://Charts.example/charts/vm", credentials }, trust)).not.toThrow();
  });

  it("is no matter for a chart without one", () => {
    expect(() => assertPasswordHost({ url: "http://charts.example" }, trust)).not.toThrow();
  });
});

// The parser of requests ends a host at a backslash, and drops tabs and line ends.
describe("241: an address that reads as one host and is sent to another", () => {
  it.each([
    "https://attacker.example\\@charts.example/vm.tgz",
    "https://attacker.example\\@charts.example",
    "https://attacker.example\t/@charts.example/vm.tgz",
    "https:attacker.example\\@charts.example/",
    "http://attacker.example\\@127.0.0.1:5000/",
    "oci://attacker.example\\@charts.example/charts/vm",
    "oci://attacker.example@charts.example/charts/vm",
    "oci://charts.example\\@attacker.example/charts/vm",
  ])("%j gets no password", (url) => {
    const ask = () => assertPasswordHost({ url, credentials }, trust);
    expect(ask).toThrow(expect.objectContaining({ code: "REL_CHART_HOST" }) as Error);
  });

  it.each(["a\\b.example/x", "user@host.example/x", "host.example?/x", "a b.example/x"])(
    "%j is no reference of an image",
    (ref) => {
      expect(() => parseReference(ref)).toThrow(expect.objectContaining({ code: "BUNDLE_REFERENCE" }) as Error);
    },
  );

  it.each(["localhost/x", "127.0.0.1:5000/a/b:1", "[::1]:5000/a", "ghcr.io/o/r@sha256:" + "a".repeat(64)])(
    "%s is one",
    (ref) => {
      expect(parseReference(ref).repository).not.toBe("");
    },
  );
});
