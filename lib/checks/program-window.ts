import type { CheckWindow, ShiftSubject, Weights } from '../shift';
import { slotsToJudge } from '../shift';

/**
 * What a program learns about the step, as environment variables:
 *
 * | variable | example |
 * |---|---|
 * | `CLUSTER_CANARY_STAGE` | `before` or `after` |
 * | `CLUSTER_CANARY_FROM`, `CLUSTER_CANARY_TO` | the window, as `2026-01-31T12:00:00.000Z` |
 * | `CLUSTER_CANARY_SLOTS` | slots that gain weight: `green` |
 * | `CLUSTER_CANARY_LIVE` | weights that stand: `blue=90,green=10` |
 * | `CLUSTER_CANARY_NEXT` | weights that are about to be written; empty in the stage `after` |
 * | `CLUSTER_CANARY_ORIGIN`, `CLUSTER_CANARY_WANTED` | weights that the shift begins and ends at |
 */
export function programEnvironment(window: CheckWindow): Readonly<Record<string, string>> {
  return {
    CLUSTER_CANARY_STAGE: window.stage,
    CLUSTER_CANARY_FROM: new Date(window.from).toISOString(),
    CLUSTER_CANARY_TO: new Date(window.to).toISOString(),
    CLUSTER_CANARY_SLOTS: slotsToJudge(window).join(','),
    CLUSTER_CANARY_LIVE: weightsText(window.live),
    CLUSTER_CANARY_NEXT: window.next ? weightsText(window.next) : '',
    CLUSTER_CANARY_ORIGIN: weightsText(window.origin),
    CLUSTER_CANARY_WANTED: weightsText(window.wanted),
  };
}

/** The same as one JSON document for stdin, with the window whole (times in milliseconds since 1970) and the subject. */
export function programInput(window: CheckWindow, subject: ShiftSubject): string {
  return `${JSON.stringify({ schemaVersion: 1, window, judged: slotsToJudge(window), subject })}\n`;
}

function weightsText(weights: Weights): string {
  return Object.entries(weights)
    .map(([slot, weight]) => `${slot}=${weight}`)
    .join(',');
}
