// The plugin object. OpenCode 2 takes `setup`, OpenCode 1.18 takes `server` (opencode-host.md §2.3, §13).
import { server } from "./legacy.js";
import { PLUGIN_ID, setup } from "./plugin.js";

export default {
  id: PLUGIN_ID,
  setup: (/** @type {unknown} */ ctx) => setup(ctx),
  server: (/** @type {unknown} */ input, /** @type {unknown} */ options) => server(input, options),
};
