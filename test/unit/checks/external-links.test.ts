import { expect, it } from "vitest";
import { addressesIn, brokenAddresses } from "../../../scripts/docs/broken-addresses.ts";
import { startJsonService } from "../../support/services/json-service.ts";

it("finds the addresses of a text that can be asked for", () => {
  const text = [
    "See [Krateo](https://krateo.io/docs#start), https://semver.org, and <https://opa.dev/x>.",
    "Not http://127.0.0.1:8080/healthz, https://registry.example.com/a, https://github.com/OWNER/NAME or `https://a.example`.",
  ].join("\n");
  expect(addressesIn(text)).toEqual(["https://krateo.io/docs", "https://semver.org", "https://opa.dev/x"]);
});

it("reports addresses that do not answer, after several tries", async () => {
  const asked: string[] = [];
  const service = await startJsonService(({ url }) => {
    asked.push(url.pathname);
    const again = asked.filter((path) => path === url.pathname).length > 1;
    if (url.pathname === "/slow-start") return { status: again ? 200 : 503, body: {} };
    return { status: url.pathname === "/gone" ? 404 : url.pathname === "/private" ? 403 : 200, body: {} };
  });
  const addresses = ["/here", "/gone", "/private", "/slow-start"].map((path) => service.url + path);
  const broken = await brokenAddresses([...addresses, "http://127.0.0.1:9/"], { tries: 2, pauseMs: 1 });
  await service.close();
  expect(broken.map(({ address }) => address)).toEqual([`${service.url}/gone`, "http://127.0.0.1:9/"]);
  expect(broken[0]?.detail).toBe("HTTP 404");
  expect(asked.filter((path) => path === "/gone")).toHaveLength(2);
});
