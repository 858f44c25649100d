import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

/** Values of the address by name; undefined removes one. */
export type SearchChange = Readonly<Record<string, string | undefined>>;

/**
 * Changes a part of the address, and leaves the rest as it is. The page's own validateSearch checks what results. `replace`: without a
 * new entry in the history, for what is typed.
 */
export function useChangeSearch(): (changed: SearchChange, options?: { replace: boolean }) => void {
  const navigate = useNavigate();
  return useCallback(
    (changed, { replace } = { replace: false }) =>
      // The router's type of a change is that of one page; this is for all.
      void navigate({
        to: ".",
        search: (before: object) => ({ ...before, ...changed }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
}
