// The path of 0.1.0, kept for manifests that name it; docs/operations/install.md names the new one.
import "./main.ts";
