import { apiPath } from "../src/cluster/api-path.ts";
import type { KubeClient } from "../src/cluster/client/create-client.ts";

const COUNT = /^apiserver_request_total\{([^}]{0,1000})\} (\d{1,20}(?:\.\d{1,20})?(?:e\+\d{1,3})?)$/;

/** How many requests the API server has answered, without watches and without those for its health and metrics. */
export async function readRequests(client: KubeClient): Promise<number> {
  const text = (await client.get<string>(apiPath`/metrics`)) ?? "";
  return text
    .split("\n")
    .map((line) => COUNT.exec(line))
    .filter((found) => found !== null && !/verb="WATCH"|,resource=""/.test(found[1] ?? ""))
    .reduce((sum, found) => sum + Number(found?.[2]), 0);
}
