import type { IconName } from "../ui/icon.tsx";

/** The entries of the navigation, at most seven. A page adds its route in app/routes.tsx and its entry here. */
export const ENTRIES = [
  { to: "/", text: "Overview", icon: "overview" },
  { to: "/map", text: "Map", icon: "map" },
  { to: "/timeline", text: "Timeline", icon: "timeline" },
  { to: "/objects", text: "Objects", icon: "objects" },
  { to: "/policies", text: "Policies", icon: "policies" },
  { to: "/simulate", text: "Simulate", icon: "simulate" },
  { to: "/try", text: "Try", icon: "try" },
] as const satisfies readonly { to: string; text: string; icon: IconName }[];
