import { useState } from "react";

const KEY = "landfall-theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Sets the theme before the first picture. */
export const applyStoredTheme = (): void => {
  apply(stored());
};

/** The theme, and a function that changes to the next one. */
export function useTheme(): { theme: Theme; next: () => void } {
  const [theme, setTheme] = useState(stored);
  const next = (): void => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    localStorage.setItem(KEY, chosen);
    apply(chosen);
    setTheme(chosen);
  };
  return { theme, next };
}
