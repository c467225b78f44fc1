/**
 * HTTP servers that go wrong in ways that the scripted Jev does not, and addresses where none is.
 */

import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";

/** @import { RequestListener } from "node:http" */
/** @import { AddressInfo, Server as SocketServer } from "node:net" */
/** @import { TestContext } from "node:test" */

/**
 * @param {TestContext} t
 * @param {RequestListener} listener
 * @returns {Promise<string>} its address
 */
export async function serve(t, listener) {
  const server = createServer(listener);
  const address = await opened(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${address}/systemone`;
}

/** An address where nobody listens. */
export async function deserted() {
  const server = createSocketServer();
  const address = await opened(server);
  await new Promise((resolve) => server.close(resolve));
  return `${address}/systemone`;
}

/** @param {SocketServer} server */
async function opened(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  return `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
}
