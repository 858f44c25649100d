import { Agent, request } from "undici";
import { LandfallError } from "../src/errors.ts";
import { isObject } from "../src/model/json.ts";
import { valueOf } from "./value-of.ts";
import type { ServerName, Target } from "./types.ts";

/** What a valid answer contains, by server; a fast denial would not be a measurement. */
const USEFUL: Record<ServerName, (answer: unknown) => boolean> = {
  landfall: (answer) =>
    valueOf(answer, "response", "allowed") === true && valueOf(answer, "response", "patch") !== undefined,
  opa: (answer) => {
    const offers = valueOf(answer, "result", "offers");
    return Array.isArray(offers) && offers.length > 0;
  },
  echo: (answer) => isObject(answer) && isObject(answer["request"]),
};

/** Sends one request to each server. Throws LOCAL_BENCH if an answer is not the expected one. */
export async function checkAnswers(targets: readonly Target[]): Promise<void> {
  for (const { server, url, bodies, client } of targets) {
    const pair = client ? { cert: client.certificate, key: client.key } : {};
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false, ...pair } });
    const headers = { "content-type": "application/json" };
    const answer = await request(url, { method: "POST", headers, body: bodies[0] ?? "", dispatcher });
    const text = await answer.body.text();
    await dispatcher.close();
    if (answer.statusCode !== 200 || !USEFUL[server](JSON.parse(text))) {
      throw new LandfallError("LOCAL_BENCH", {
        detail: `${server} answered ${answer.statusCode} ${text.slice(0, 2000)}`,
      });
    }
  }
}
