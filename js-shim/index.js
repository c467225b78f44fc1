// The plugin object that OpenCode loads (opencode-host.md §2.3).
import { PLUGIN_ID, setup } from "./plugin.js";

export default { id: PLUGIN_ID, setup: (/** @type {unknown} */ ctx) => setup(ctx) };
