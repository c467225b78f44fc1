/**
 * The settings that a curve is drawn over, in families: each is one way to trade tokens for what is kept.
 */

import { figuresOf } from "./figures.js";
import { playAll } from "./play.js";

/** @import { Scorer } from "./answers.js" */
/** @import { Figures } from "./figures.js" */
/** @import { LabelledSet } from "./labelled.js" */
/** @import { Play } from "./play.js" */

/** @typedef {{ family: string, setting: number, options: Record<string, unknown>, isDefault: boolean }} Setting */
/** @typedef {{ family: string, setting: number, isDefault: boolean, figures: Figures }} Point */

const DEFAULTS = { threshold: 0.55, gate: 0.35 };
const STEPS = [0.05, 0.15, 0.25, 0.35, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
const KEPT = [1, 2, 4, 8, 12, 16, 24, 32, 48];
const FRACTIONS = [0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8];

/**
 * @param {{ hasServers: boolean, every: number, isLexical?: boolean }} wanted `every` takes only each so many-th setting,
 * and the defaults
 * @returns {Setting[]}
 */
export function settingsOf({ hasServers, every, isLexical = false }) {
  const kept = KEPT.map((setting) => ({
    family: "kept",
    setting,
    options: { lexical_keep: setting },
    isDefault: setting === 12,
  }));
  const threshold = STEPS.map((setting) => ({
    family: "threshold",
    setting,
    options: { jev_confidence_threshold: setting, jev_phase1_threshold: rounded((setting * DEFAULTS.gate) / DEFAULTS.threshold) },
    isDefault: setting === DEFAULTS.threshold,
  }));
  const gate = STEPS.map((setting) => ({
    family: "servers' threshold alone",
    setting,
    options: { jev_phase1_threshold: setting },
    isDefault: setting === DEFAULTS.gate,
  }));
  const budget = FRACTIONS.map((setting) => ({
    family: "budget",
    setting,
    options: { selection: "budget", budget_fraction: setting },
    isDefault: false,
  }));
  // Without scores there is nothing to hold a threshold against.
  const all = isLexical ? [kept] : [threshold, ...(hasServers ? [gate] : []), budget];
  return all.flatMap((family) => family.filter(({ isDefault }, at) => isDefault || at % every === 0));
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 1000) / 1000;

/**
 * @param {LabelledSet} set @param {Scorer} scorer @param {Play} play
 * @param {{ every: number, tell: (done: number, of: number) => void }} wanted
 * @returns {Promise<Point[]>}
 */
export async function drawCurve(set, scorer, play, { every, tell }) {
  const isLexical = play.options.scorer === "lexical";
  const settings = settingsOf({ hasServers: set.servers.length > 0, every, isLexical });
  const points = [];
  for (const { options, ...setting } of settings) {
    const outcomes = await playAll(set, scorer, { ...play, options: { ...play.options, ...options } });
    points.push({ ...setting, figures: figuresOf(outcomes) });
    tell(points.length, settings.length);
  }
  return points;
}
