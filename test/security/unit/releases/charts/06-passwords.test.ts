import { describe, expect, it } from "vitest";
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

  it("is no matter for a chart without one", () => {
    expect(() => assertPasswordHost({ url: "http://charts.example" }, trust)).not.toThrow();
  });
});
