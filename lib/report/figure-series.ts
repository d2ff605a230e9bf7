import type { Figure, ShiftOutcome } from '../shift';

/** One figure of one check over time, for every slot that has it. */
export interface FigurePanel {
  readonly check: string;
  readonly figure: string;
  readonly unit: Figure['unit'];
  readonly series: readonly FigureSeries[];
}

export interface FigureSeries {
  /** Unset for a figure of the whole. */
  readonly slot?: string;
  readonly points: readonly FigurePoint[];
}

export interface FigurePoint {
  /** Milliseconds since the start of the shift. */
  readonly at: number;
  readonly value: number | null;
  readonly min?: number;
  readonly max?: number;
  /** Whether the check failed over this figure. */
  readonly failed: boolean;
}

/** Every figure of every check, in the order in which they first came. */
export function figurePanels(outcome: ShiftOutcome): readonly FigurePanel[] {
  const start = Date.parse(outcome.startedAt);
  const panels = new Map<string, FigurePanel & { readonly bySlot: Map<string | undefined, FigurePoint[]> }>();
  for (const { at, name, status, figures } of outcome.checks) {
    const someBeyond = figures.some(isBeyond);
    for (const figure of figures) {
      const key = JSON.stringify([name, figure.name]);
      const panel = panels.get(key) ?? {
        check: name,
        figure: figure.name,
        unit: figure.unit,
        series: [],
        bySlot: new Map<string | undefined, FigurePoint[]>(),
      };
      panels.set(key, panel);
      const points = panel.bySlot.get(figure.slot) ?? [];
      panel.bySlot.set(figure.slot, points);
      // Where no bound says which figure it was, it was the check as a whole.
      const failed = status === 'fail' && (isBeyond(figure) || !someBeyond);
      const { value, min, max } = figure;
      points.push({
        at: Math.max(0, Date.parse(at) - start),
        value,
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        failed,
      });
    }
  }
  return [...panels.values()].map(({ bySlot, ...panel }) => ({
    ...panel,
    series: [...bySlot].map(([slot, points]) => ({ ...(slot === undefined ? {} : { slot }), points })),
  }));
}

function isBeyond({ value, min, max }: Figure): boolean {
  return value !== null && ((min !== undefined && value < min) || (max !== undefined && value > max));
}
