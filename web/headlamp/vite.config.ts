import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Modules that Headlamp gives to its plugins, by their names there (plugins/headlamp-plugin/config/vite.config.mjs of Headlamp). */
const GIVEN: Readonly<Record<string, string>> = {
  react: "pluginLib.React",
  "react/jsx-runtime": "pluginLib.ReactJSX",
  "@kinvolk/headlamp-plugin/lib": "pluginLib",
  "@kinvolk/headlamp-plugin/lib/CommonComponents": "pluginLib.CommonComponents",
};

export default defineConfig({
  plugins: [react()],
  // Headlamp runs a plugin as one script.
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    minify: true,
    lib: { entry: "main.tsx", name: "landfall", formats: ["umd"], fileName: () => "main.js" },
    rolldownOptions: { external: Object.keys(GIVEN), output: { globals: GIVEN } },
  },
});
