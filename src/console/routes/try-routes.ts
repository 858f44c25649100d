import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { APPLIED, FORMS, MANIFEST, TRIED } from "../contract/trying.ts";
import { readForms } from "../trying/read-forms.ts";
import { applyObject, tryObject } from "../trying/try-object.ts";
import type { AskApart } from "../trying/explain-apart.ts";
import type { Trial } from "../trying/open-trials.ts";
import type { InTurn } from "../server/turns.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";

export interface TryRoutesSource {
  client: KubeClient;
  policy: LoadedBundle;
  systemNamespace: string;
  nowSeconds: () => number;
  inTurn: InTurn;
  /** Trials of this user in a process of their own; in this one if omitted. */
  askApart?: AskApart | undefined;
}

/** The namespace of Krateo's definitions by default. */
const KRATEO = "krateo-system";

/** The forms of the kinds, the trial of an object, and its creation: the console's only write, with the user's rights. */
export function addTryRoutes(app: ConsoleApp, source: TryRoutesSource): void {
  const { client, policy, systemNamespace, nowSeconds, inTurn, askApart } = source;
  const places = Object.keys(policy.catalog.places);
  app.get("/api/forms", { schema: { response: { 200: FORMS } } }, async () => ({
    forms: await readForms(client, [systemNamespace, KRATEO]),
    places,
  }));
  app.post("/api/try", { schema: { body: MANIFEST, response: { 200: TRIED } } }, async ({ body }, reply) => {
    const left = leftBy(reply);
    const decideApart = askApart === undefined ? undefined : (trial: Trial) => askApart("try", { trial }, left);
    return tryObject({ client, policy, nowSeconds, inTurn: (work) => inTurn(work, left), decideApart }, body);
  });
  app.post("/api/apply", { schema: { body: MANIFEST, response: { 200: APPLIED } } }, async ({ body }) =>
    applyObject(source, body),
  );
}
