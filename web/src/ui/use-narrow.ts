import { useSyncExternalStore } from "react";

/** Returns a hook that says whether the screen is as a media query asks. */
function mediaHook(query: string): () => boolean {
  const media = matchMedia(query);
  const subscribe = (listener: () => void): (() => void) => {
    media.addEventListener("change", listener);
    return () => {
      media.removeEventListener("change", listener);
    };
  };
  return () => useSyncExternalStore(subscribe, () => media.matches);
}

/** Whether the screen is as narrow as that of a phone. As in the styles: the navigation is hidden, and tables have fewer columns. */
export const useNarrow = mediaHook("(max-width: 799px)");

/** Whether the main figures of a table of objects fit only if names and reasons share a column. */
export const useCompact = mediaHook("(max-width: 1599px)");
