// OpenCode loads a local directory through its root index file (opencode-host.md §2.2).
export { default } from "./js-shim/index.js";
