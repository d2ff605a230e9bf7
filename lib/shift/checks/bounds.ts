import { formatFigure, isBeyond, worstStatus } from '../engine';
import type { CheckResult, CheckStatus, Figure } from '../engine';
import { defaultMinRequests, shareName } from '../evaluation';
import { namedChecks } from './create';

/** A bound of a check on one of its figures, as its settings have it. */
export interface FigureBound {
  /** Name of the figure: `error share`. */
  readonly figure: string;
  /** The least that passes, in the unit of the figure. @default - none */
  readonly min?: number;
  /** The most that passes, in the unit of the figure. @default - none */
  readonly max?: number;
  /** Whether a figure beyond it is too little to say something, and no failure. @default false */
  readonly evidence?: boolean;
}

/** A check of a plan, and the bounds that its settings have. */
export interface CheckBounds {
  /** Name of the check in its plan. */
  readonly name: string;
  /** Empty where its answer is more than a comparison of its figures with bounds. */
  readonly bounds: readonly FigureBound[];
}

/** The bounds of each check of a plan. */
export function checkBounds(checks: readonly unknown[]): readonly CheckBounds[] {
  return namedChecks(checks).map(({ name, kind, args }) => {
    const simulated = kind.simulated?.(args);
    if (simulated && 'share' in simulated) {
      const { counted = 'errors', max, minRequests = defaultMinRequests } = simulated.share;
      return { name, bounds: [{ figure: shareName(counted), max }, requests(minRequests)] };
    }
    if (simulated && 'healthyTargets' in simulated) {
      return { name, bounds: [{ figure: 'healthy share', min: simulated.healthyTargets }] };
    }
    const { min, max, minRequests } = args as {
      readonly min?: unknown;
      max?: unknown;
      minRequests?: unknown;
    };
    const own = { ...(typeof min === 'number' && { min }), ...(typeof max === 'number' && { max }) };
    const isQuery = simulated === undefined && Object.keys(own).length > 0;
    return {
      name,
      bounds: isQuery
        ? [{ figure: 'value', ...own }, ...(typeof minRequests === 'number' ? [requests(minRequests)] : [])]
        : [],
    };
  });
}

function requests(min: number): FigureBound {
  return { figure: 'requests', min, evidence: true };
}

/**
 * A recorded answer, as a check with these bounds would have given it on the same figures. An answer whose bounds were the
 * same stays as it was, with all that the check knew beside its figures.
 */
export function withBounds(answer: CheckResult, bounds: readonly FigureBound[]): CheckResult {
  const figures = answer.figures.map((figure) => bounded(figure, bounds));
  const isSame = figures.every((figure, index) => hasSameBounds(figure, answer.figures[index]!));
  if (isSame || figures.length === 0) {
    return answer;
  }
  const held = figures.filter(({ name }) => bounds.some(({ figure }) => figure === name));
  const slots = [...new Set(held.map(({ slot }) => slot))];
  const of = (list: readonly Figure[], slot: string | undefined) =>
    list.filter((figure) => figure.slot === slot);
  const statuses = slots.map((slot) =>
    statusOf(of(held, slot), of(answer.figures, slot), answer.status, bounds),
  );
  const status = worstStatus(statuses, answer.status);
  const beyond = held.filter(isBeyond).map(formatFigure).join('; ');
  const reason = `by the bounds of this plan: ${beyond || 'nothing is beyond them'}`;
  return { ...answer, status, reason, figures };
}

function bounded(figure: Figure, bounds: readonly FigureBound[]): Figure {
  const bound = bounds.find(({ figure: name }) => name === figure.name);
  if (!bound) {
    return figure;
  }
  const { min: _min, max: _max, failed: _failed, ...rest } = figure;
  const { min, max } = bound;
  return { ...rest, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function hasSameBounds(one: Figure, other: Figure): boolean {
  return one.min === other.min && one.max === other.max;
}

/** Of one slot. */
function statusOf(
  figures: readonly Figure[],
  before: readonly Figure[],
  was: CheckStatus,
  bounds: readonly FigureBound[],
): CheckStatus {
  const isEvidence = ({ name }: Figure): boolean =>
    bounds.some(({ figure, evidence }) => figure === name && evidence === true);
  const values = figures.filter((figure) => !isEvidence(figure));
  const hadEvidence = !before.filter(isEvidence).some(isBeyond);
  if (values.some(({ value }) => value === null) || figures.filter(isEvidence).some(isBeyond)) {
    // Settings may say that too little is no reason to wait.
    return hadEvidence ? 'inconclusive' : was;
  }
  if (values.some(isBeyond)) {
    return 'fail';
  }
  // What it waited for beside its figures, it would have waited for with other bounds as well.
  return was === 'inconclusive' && hadEvidence ? 'inconclusive' : 'pass';
}
