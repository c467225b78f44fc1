/**
 * A core that traps, as a broken module does: a real `unreachable`, executed by a module put together by hand.
 */

/** @import { Glue } from "../../js-shim/core.js" */

/** One exported function `trap`, which takes and gives nothing. */
const MODULE = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // types: () -> ()
  ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
  // functions: one of type 0
  ...[0x03, 0x02, 0x01, 0x00],
  // exports: "trap" is function 0
  ...[0x07, 0x08, 0x01, 0x04, 0x74, 0x72, 0x61, 0x70, 0x00, 0x00],
  // code: unreachable, end
  ...[0x0a, 0x05, 0x01, 0x03, 0x00, 0x00, 0x0b],
]);

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MODULE));

/** Throws a `WebAssembly.RuntimeError`. @returns {never} */
export function trap() {
  /** @type {() => void} */ (exports.trap)();
  throw new Error("the trap did not spring");
}

/** The core with some of its functions replaced. @param {Glue} core @param {Partial<Glue>} broken @returns {Glue} */
export const brokenCore = (core, broken) => ({ ...core, ...broken });
