import { useSyncExternalStore } from "react";

/** As in the styles: the navigation is hidden, and tables have fewer columns. */
const narrow = matchMedia("(max-width: 799px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => {
    narrow.removeEventListener("change", listener);
  };
}

/** Whether the screen is as narrow as that of a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
