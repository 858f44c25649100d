import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RequestError } from "./api/request.ts";
import { againMs } from "./api/retry.ts";
import { onSignIn, signIn } from "./api/session.ts";
import { router } from "./app/routes.tsx";
import { applyStoredTheme } from "./app/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/pages.css";
import "./styles/map.css";
import "./styles/timeline.css";
import "./styles/policies.css";
import "./styles/try.css";
import "./styles/graph.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchInterval: ({ state }) =>
        state.error instanceof RequestError ? (againMs(state.error.problem, state.fetchFailureCount) ?? false) : false,
      refetchOnWindowFocus: false,
    },
  },
});

applyStoredTheme();
await signIn();
onSignIn(() => void client.invalidateQueries());

const place = document.getElementById("root");
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
