import type { ClientOptions } from "./client-options.ts";
import { clusterCalls } from "./cluster-calls.ts";
import { computeCalls } from "./compute-calls.ts";
import type { ElementoApi } from "./elemento-api.ts";
import { networkCalls } from "./network-calls.ts";
import { openCaller } from "./transport/open-caller.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { readAnswer } from "./transport/read-answer.ts";
import { storageCalls } from "./storage-calls.ts";

const checkStatus = compileSchema<{ authenticated: boolean }>({
  type: "object",
  required: ["authenticated"],
  properties: { authenticated: { type: "boolean" } },
});

/** The group of calls that are of no namespace, such as the shared lists of an account. No namespace has this name. */
const SHARED = "";

/** A client for one account: all its users share one session, rate limit and connection pool. Connects at first use. */
export function openClient(options: ClientOptions): ElementoApi {
  const { callerOf, forgetSession, close } = openCaller(options);

  function apiOf(group: string): ElementoApi {
    const call = callerOf(group);
    const askStatus = () =>
      call({
        service: "authentication",
        operation: "checkSession",
        method: "GET",
        path: "/status",
        repeatable: true,
        read: (answer) => readAnswer(answer, checkStatus).authenticated,
      });
    return {
      checkSession: async () => {
        if (await askStatus()) return true;
        await forgetSession();
        return await askStatus();
      },
      ...computeCalls(call),
      ...storageCalls(call),
      ...networkCalls(call),
      ...clusterCalls(call, options),
      inTurnOf: apiOf,
      close,
    };
  }

  return apiOf(SHARED);
}
