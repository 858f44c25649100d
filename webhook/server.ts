// The path of 0.1.0, kept for manifests that name it; docs/install.md names the new one.
import "./main.ts";
