import fastify from "fastify";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { nowSeconds } from "../model/time.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Landfall } from "./commands/run-command.ts";
import { createExplainer } from "./explanation/create-explainer.ts";
import type { RuleLine } from "./explanation/rule-lines.ts";
import type { Geography } from "./map/read-geography.ts";
import { openStores } from "./objects/open-stores.ts";
import { readVerdicts } from "./objects/read-verdicts.ts";
import type { Page } from "./pages/read-pages.ts";
import { checkSignature } from "./report/check-signature.ts";
import { addChangesRoute } from "./routes/changes-route.ts";
import { addClusterRoute, type ShownCluster } from "./routes/cluster-route.ts";
import type { ConsoleApp, ContractTypes } from "./routes/console-app.ts";
import { addMapRoute } from "./routes/map-route.ts";
import { addObjectRoutes } from "./routes/object-routes.ts";
import { addObjectsRoutes } from "./routes/objects-routes.ts";
import { addCommandRoutes } from "./routes/command-routes.ts";
import { addPoliciesRoutes } from "./routes/policies-routes.ts";
import { addTimelineRoute } from "./routes/timeline-route.ts";
import { servePages } from "./routes/serve-pages.ts";
import { addSessionRoute } from "./routes/session-route.ts";
import { addTryRoutes } from "./routes/try-routes.ts";
import { checkCaller, pathOf } from "./server/check-caller.ts";
import { SECURITY_HEADERS } from "./server/headers.ts";
import { problemOf } from "./server/problem-of.ts";
import { createPulse } from "./server/pulse.ts";
import type { Sessions } from "./server/sessions.ts";
import { createTurns, type InTurn } from "./server/turns.ts";
import { type AskApart, explainApart, explainHere } from "./trying/explain-apart.ts";
import { NO_OUTLOOK, type Outlook } from "./timeline/outlook.ts";

export interface ConsoleOptions {
  /** The client of the user's kubeconfig: the console has no rights of its own. */
  client: KubeClient;
  /** The address of the API server, and the namespace of the context. */
  cluster: ShownCluster;
  /** Landfall's own namespace. */
  systemNamespace: string;
  /** Which values of the header Host name this server, and the sessions of its users; null if a server in front has checked both. */
  callers: { hosts: () => readonly string[]; sessions: Sessions } | null;
  pages: ReadonlyMap<string, Page>;
  /** The bundle by which decisions are explained, and where its rules stand. */
  policy: LoadedBundle;
  ruleLine: (rule: string) => RuleLine | null;
  /** The command line, for impact and simulations; none if omitted. */
  landfall?: Landfall;
  /** `data.landfall.settings` of the bundle; null if it is not known. */
  settings?: unknown;
  /** Forecasts and measured hours; without them, the climatology of the bundle is used. */
  outlook?: Outlook;
  /** The turns of this user among those who share the process; none with others if omitted. */
  inTurn?: InTurn;
  /** Asks the process in which trials and explanations of this user run; they run in this one if omitted. */
  askApart?: AskApart | undefined;
  /** The towns of the places. */
  geography: Geography;
  /** Gets each failure that is not the caller's, without headers or bodies. */
  failed: (thrown: unknown, path: string) => void;
}

/** Most bytes of a request: an object with its user data. */
const BODY_BYTES = 1024 * 1024;

/** The decision log has no signatures: they are as good as the object itself. */
const NOT_LOGGED = { state: "unknown", detail: "the decision log has no signatures" } as const;

/** Builds the console's server, which does not listen yet. */
export function buildConsole(options: ConsoleOptions): ConsoleApp {
  const { client, callers, policy, outlook = NO_OUTLOOK, inTurn = createTurns()("") } = options;
  const app = fastify({
    bodyLimit: BODY_BYTES,
    logger: false,
    forceCloseConnections: true,
  }).withTypeProvider<ContractTypes>();
  const { askApart, ruleLine } = options;
  const explanation = { nowSeconds, ruleLine, forecasts: () => outlook.book() };
  const stores = openStores(client);
  const verdicts = readVerdicts(client);

  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    if (callers !== null) checkCaller(request, callers.hosts(), callers.sessions);
    return Promise.resolve();
  });
  app.addHook("onClose", async () => {
    stores.stop();
    return Promise.resolve();
  });
  app.setErrorHandler((thrown, request, reply) => {
    const { status, problem } = problemOf(thrown);
    if (problem.kind === "failed") options.failed(thrown, pathOf(request));
    return reply.status(status).headers({ "cache-control": "no-store" }).send(problem);
  });

  if (callers !== null) addSessionRoute(app, callers.sessions);
  addClusterRoute(app, client, options.cluster);
  addObjectsRoutes(app, { stores, verdicts, inTurn });
  addObjectRoutes(app, {
    ...{ client, verdicts, nowSeconds },
    explaining:
      askApart === undefined
        ? explainHere(createExplainer({ ...explanation, policy }), inTurn)
        : explainApart(askApart, explanation),
    signature: async (object) =>
      options.cluster.recorded === null ? checkSignature(client, options.systemNamespace, object) : NOT_LOGGED,
  });
  addMapRoute(app, { client, stores, policy, outlook, inTurn, geography: options.geography });
  addCommandRoutes(app, { landfall: options.landfall ?? null, systemNamespace: options.systemNamespace });
  addPoliciesRoutes(app, {
    ...{ client, policy, stores, nowSeconds, inTurn, systemNamespace: options.systemNamespace },
    ...{ settings: options.settings ?? null, geography: options.geography, ownNamespace: options.cluster.namespace },
  });
  addTimelineRoute(app, { stores, verdicts, policy, outlook, inTurn });
  const { systemNamespace } = options;
  addTryRoutes(app, { client, policy, systemNamespace, nowSeconds, inTurn, askApart });
  addChangesRoute(app, stores, createPulse(client));
  servePages(app, options.pages);
  return app;
}
