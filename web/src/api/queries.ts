import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Cluster } from "../../../src/console/contract/cluster.ts";
import type { PlacesMap } from "../../../src/console/contract/map.ts";
import type { Counterfactual, Explanation, ObjectReport } from "../../../src/console/contract/object.ts";
import type { Overview } from "../../../src/console/contract/overview.ts";
import type { Rows, RowsQuery } from "../../../src/console/contract/rows.ts";
import type { Starts, Timeline, TimelineQuery } from "../../../src/console/contract/timeline.ts";
import type { Resources } from "../../../src/console/contract/resources.ts";
import type { Forms } from "../../../src/console/contract/trying.ts";
import type { Namespaces, Policies, Settings } from "../../../src/console/contract/policies.ts";
import { read } from "./request.ts";

/** Queries whose key begins with this are read again when the cluster changes. */
export const LIVE = "live";

export const clusterQuery = () =>
  queryOptions({
    queryKey: ["cluster"],
    queryFn: ({ signal }) => read<Cluster>("/api/cluster", {}, signal),
    staleTime: 60_000,
  });

/** The forms of the kinds that the cluster serves. */
export const formsQuery = () =>
  queryOptions({
    queryKey: ["forms"],
    queryFn: ({ signal }) => read<Forms>("/api/forms", {}, signal),
    staleTime: 300_000,
  });

export const overviewQuery = (namespace: string | undefined) =>
  queryOptions({
    queryKey: [LIVE, "overview", namespace],
    queryFn: ({ signal }) => read<Overview>("/api/overview", { namespace }, signal),
    placeholderData: keepPreviousData,
  });

export const rowsQuery = (query: RowsQuery) =>
  queryOptions({
    queryKey: [LIVE, "objects", query],
    queryFn: ({ signal }) => read<Rows>("/api/objects", query, signal),
    placeholderData: keepPreviousData,
  });

export const mapQuery = (query: {
  namespace: string | undefined;
  at: string | undefined;
  origin: string | undefined;
}) =>
  queryOptions({
    queryKey: [LIVE, "map", query],
    queryFn: ({ signal }) => read<PlacesMap>("/api/map", query, signal),
    placeholderData: keepPreviousData,
    // The first hour of the map passes.
    refetchInterval: 300_000,
  });

export const timelineQuery = (query: TimelineQuery) =>
  queryOptions({
    queryKey: [LIVE, "timeline", query],
    queryFn: ({ signal }) => read<Timeline>("/api/timeline", query, signal),
    placeholderData: keepPreviousData,
  });

export const policiesQuery = () =>
  queryOptions({
    queryKey: ["policies"],
    queryFn: ({ signal }) => read<Policies>("/api/policies", {}, signal),
    staleTime: 10_000,
  });

export const settingsQuery = (namespace: string | undefined) =>
  queryOptions({
    queryKey: [LIVE, "settings", namespace],
    queryFn: ({ signal }) => read<Settings>("/api/policies/settings", { namespace }, signal),
    placeholderData: keepPreviousData,
  });

/** Not live: the rules are asked about each namespace. */
export const namespacesQuery = (country: string | undefined) =>
  queryOptions({
    queryKey: ["namespaces", country],
    queryFn: ({ signal }) => read<Namespaces>("/api/policies/namespaces", { country }, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export interface ObjectName {
  kind: string;
  namespace: string;
  name: string;
}

const pathOf = ({ kind, namespace, name }: ObjectName): string =>
  ["/api/objects", kind, namespace, name].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join("/");

export const objectQuery = (object: ObjectName) =>
  queryOptions({
    queryKey: [LIVE, "object", object],
    queryFn: ({ signal }) => read<ObjectReport>(pathOf(object), {}, signal),
  });

/** The resources of an object, as their operators report them. */
export const resourcesQuery = (object: ObjectName) =>
  queryOptions({
    queryKey: [LIVE, "resources", object],
    queryFn: ({ signal }) => read<Resources>(`${pathOf(object)}/resources`, {}, signal),
    placeholderData: keepPreviousData,
  });

/** `decision`: the id of the recorded one, so that a new decision is explained again. */
export const explanationQuery = (object: ObjectName, decision: string) =>
  queryOptions({
    queryKey: ["explanation", object, decision],
    queryFn: ({ signal }) => read<Explanation>(`${pathOf(object)}/explanation`, {}, signal),
    staleTime: Infinity,
  });

export const counterfactualQuery = (object: ObjectName, place: string) =>
  queryOptions({
    queryKey: ["counterfactual", object, place],
    queryFn: ({ signal }) =>
      read<Counterfactual>(
        `${pathOf(object)}/places/${place.split("/").map(encodeURIComponent).join("/")}`,
        {},
        signal,
      ),
    staleTime: Infinity,
  });

/** `decision`: as above. What waits is decided from now on, so the answer is of its hour. */
export const startsQuery = (object: ObjectName, decision: string) =>
  queryOptions({
    queryKey: ["starts", object, decision],
    queryFn: ({ signal }) => read<Starts>(`${pathOf(object)}/starts`, {}, signal),
    staleTime: 600_000,
  });
