/**
 * Draws the curve: what is kept of what prompts need, against the tokens that it takes.
 */

import * as vega from "vega";
import { compile } from "vega-lite";

/** @import { TopLevelSpec } from "vega-lite" */
/** @import { Result } from "./report.js" */

const WIDTH = 330;

/** @param {readonly Result[]} results @param {string} title @returns {Promise<string>} SVG */
export async function chart(results, title) {
  const { spec } = compile(/** @type {TopLevelSpec} */ (specOf(results, title)));
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** @param {readonly Result[]} results @param {string} title */
function specOf(results, title) {
  return {
    background: "white",
    title: { text: title, anchor: "start", fontSize: 13 },
    hconcat: results.map(({ name, curve }) => ({
      title: { text: name, fontSize: 12, fontWeight: "normal", anchor: "start" },
      width: WIDTH,
      height: 260,
      data: {
        values: curve.map(({ family, setting, isDefault, figures }) => ({
          family,
          setting,
          isDefault,
          tokens: figures.tokensKept,
          shown: figures.needsShown,
        })),
      },
      encoding: {
        x: { field: "tokens", type: "quantitative", title: "tokens of the lists kept", axis: SHARES, scale: UNIT },
        y: { field: "shown", type: "quantitative", title: "needed tools or skills shown", axis: SHARES, scale: UNIT },
        color: { field: "family", type: "nominal", title: "setting", scale: { scheme: "tableau10" } },
        order: { field: "setting", type: "quantitative" },
      },
      layer: [
        { mark: { type: "line", strokeWidth: 2, interpolate: "linear" } },
        { mark: { type: "point", filled: true, size: 18 } },
        {
          transform: [{ filter: "datum.isDefault" }],
          mark: { type: "point", shape: "diamond", size: 160, filled: false, strokeWidth: 2, color: "black" },
          encoding: { color: { value: "black" } },
        },
        {
          transform: [{ filter: "datum.isDefault && datum.family === 'threshold'" }],
          mark: { type: "text", text: "default", dx: 10, dy: 12, align: "left" },
          encoding: { color: { value: "black" } },
        },
      ],
    })),
    config: { axis: { gridColor: "#e6e6e6" }, view: { stroke: "#cccccc" }, legend: { orient: "bottom", direction: "horizontal", labelLimit: 300 } },
  };
}

const SHARES = { format: ".0%", tickCount: 5 };
const UNIT = { domain: [0, 1] };
