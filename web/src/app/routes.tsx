import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { mapSearch } from "../pages/map/search.ts";
import { ObjectPage, objectSearch } from "../pages/object/object-page.tsx";
import { ObjectsPage } from "../pages/objects/objects-page.tsx";
import { objectsSearch } from "../pages/objects/search.ts";
import { trySearch } from "../pages/try/search.ts";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { policiesSearch } from "../pages/policies/search.ts";
import { simulateSearch } from "../pages/simulate/search.ts";
import { timelineSearch } from "../pages/timeline/search.ts";
import { Page } from "../ui/page.tsx";
import { given, textIn, timeIn } from "../address/read-search.ts";
import { PageError, Shell } from "./shell.tsx";

const root = createRootRoute({
  // The namespace and the chosen hour stay from page to page.
  validateSearch: (search: Record<string, unknown>) =>
    given({ namespace: textIn(search, "namespace"), at: timeIn(search, "at") }),
  search: { middlewares: [retainSearchParams(["namespace", "at"])] },
  component: Shell,
  errorComponent: PageError,
  notFoundComponent: () => (
    <Page title="There is no such page">
      <p>Choose a page from the navigation.</p>
    </Page>
  ),
});

const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage });

const map = createRoute({
  getParentRoute: () => root,
  path: "/map",
  validateSearch: mapSearch,
  // Its shapes are as large as all other pages together.
  component: lazyRouteComponent(() => import("../pages/map/map-page.tsx"), "MapPage"),
});

const timeline = createRoute({
  getParentRoute: () => root,
  path: "/timeline",
  validateSearch: timelineSearch,
  component: lazyRouteComponent(() => import("../pages/timeline/timeline-page.tsx"), "TimelinePage"),
});

const objects = createRoute({
  getParentRoute: () => root,
  path: "/objects",
  validateSearch: objectsSearch,
  component: ObjectsPage,
});

const object = createRoute({
  getParentRoute: () => root,
  path: "/objects/$kind/$objectNamespace/$name",
  validateSearch: objectSearch,
  component: ObjectPage,
});

const trying = createRoute({
  getParentRoute: () => root,
  path: "/try",
  validateSearch: trySearch,
  // The editor is as large as all other pages together.
  component: lazyRouteComponent(() => import("../pages/try/try-page.tsx"), "TryPage"),
});

const policies = createRoute({
  getParentRoute: () => root,
  path: "/policies",
  validateSearch: policiesSearch,
  component: lazyRouteComponent(() => import("../pages/policies/policies-page.tsx"), "PoliciesPage"),
});

const simulate = createRoute({
  getParentRoute: () => root,
  path: "/simulate",
  validateSearch: simulateSearch,
  component: lazyRouteComponent(() => import("../pages/simulate/simulate-page.tsx"), "SimulatePage"),
});

/** All pages by their addresses. */
export const router = createRouter({
  routeTree: root.addChildren([overview, map, timeline, objects, object, policies, simulate, trying]),
  defaultErrorComponent: PageError,
  // Otherwise a value that no page knows, or that its page drops, would reach the page through the address of the root.
  search: { strict: true },
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
