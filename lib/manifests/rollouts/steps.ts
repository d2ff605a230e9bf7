import { parseDuration } from '../../core/durations';
import { dnsLabel, goDuration, wholeNumber } from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems, Format } from '../../core/validation/problems';
import { shiftPlan } from '../../shift/engine';
import { analysisManifest } from './analysis/analysis';
import type { Analysis, AnalysisEnd } from './analysis/analysis';

/** A header that sends a request to the new version, by its exact value: an ALB compares no other way. */
export interface HeaderMatch {
  /** Name of the header. */
  readonly headerName: string;
  /** The header's value. */
  readonly exact: string;
}

export const headerMatchKeys: OptionsOf<HeaderMatch> = { headerName: 'plain', exact: 'plain' };

/** One step of a canary: exactly one of these. */
export type CanaryStep =
  /** Share of the traffic for the new version, in percent; without a router, of the pods. */
  | { readonly setWeight: number }
  /** Waits for a time such as `2m`; for a person without one. */
  | {
      readonly pause: {
        /** How long it waits. @default - until a person lets it go on */
        readonly duration?: string;
      };
    }
  /** Waits for an analysis: its failure takes the update back, and what is inconclusive waits for a person. */
  | { readonly analysis: Analysis }
  /** Pods of the new version, whatever its weight. Only with a router. */
  | { readonly setCanaryScale: CanaryScale }
  /** Requests with a header go to the new version, until a step of the same name without `match`. Only with a router. */
  | {
      readonly setHeaderRoute: {
        /** Name of the route. */
        readonly name: string;
        /** The headers, all of them. @default - the route of that name is taken away */
        readonly match?: readonly HeaderMatch[];
      };
    };

/** How many pods of the new version there are. */
export type CanaryScale =
  | {
      /** Share of all pods, in percent. */
      readonly weight: number;
    }
  | {
      /** Number of pods. */
      readonly replicas: number;
    }
  | {
      /** As its share of the traffic: what holds without such a step. */
      readonly matchTrafficWeight: true;
    };

/** Steps in the words of a cluster's shift. */
export interface StepNotation {
  /**
   * How far one step goes, in percent: a number for equal steps, a list of places (`[5, 20, 50]`), or `geometric` for 1,
   * 2, 5, 10, 25, 50.
   *
   * @default 'geometric' - little traffic meets a version that has had no traffic yet
   */
  readonly step?: number | readonly number[] | 'geometric';
  /** Place of the first step; only with equal steps. @default - one step */
  readonly firstStep?: number;
  /** How long a step lasts before it is evaluated. @default '2m' - as in a shift */
  readonly every?: string;
  /** Places at which it waits for a person. @default - none */
  readonly pause?: readonly number[];
  /** Run at the end of each step. @default - none: only time passes */
  readonly analysis?: Analysis;
}

const defaultEvery = '2m';

/**
 * The steps of a canary by the notation of a cluster's shift. All of the traffic is no step: a Rollout does it last.
 *
 * @throws InvalidInput with everything that is wrong
 *
 * @example
 * canarySteps({ step: 25, every: '5m', analysis: errors.analysis() })
 */
export function canarySteps({ analysis, ...notation }: StepNotation): readonly CanaryStep[] {
  const { places, pauses } = shiftPlan(['stable', 'canary'], { canary: 100 }, notation);
  const { every = defaultEvery } = notation;
  return places.flatMap((place, position): readonly CanaryStep[] => {
    const before = position === 0 ? 0 : places[position - 1]!;
    const waits = pauses.some((pause) => pause >= before && pause < place);
    return [
      ...(waits ? [{ pause: {} }] : []),
      ...(place < 100
        ? [{ setWeight: place }, { pause: { duration: every } }, ...(analysis ? [{ analysis }] : [])]
        : []),
    ];
  });
}

const percent = wholeNumber(0, 100);

const keys = ['setWeight', 'pause', 'analysis', 'setCanaryScale', 'setHeaderRoute'];

/** Adds what is wrong with steps. `routed`: whether a router moves the traffic. */
export function checkSteps(problems: Problems, path: string, steps: unknown, routed: boolean): void {
  if (!Array.isArray(steps)) {
    problems.add(path, steps, 'a list of steps; an empty one makes a rolling update');
    return;
  }
  steps.forEach((step: unknown, position) => {
    const at = `${path}[${position}]`;
    const entries = typeof step === 'object' && step !== null ? Object.entries(step) : [];
    const [key = '', value] = entries[0] ?? [];
    if (entries.length !== 1 || !keys.includes(key)) {
      problems.add(at, step, `exactly one of ${keys.join(', ')}`);
      return;
    }
    checkStep(problems, `${at}.${key}`, step as CanaryStep, routed);
    if (['setCanaryScale', 'setHeaderRoute'].includes(key) && !routed) {
      problems.add(`${at}.${key}`, value, 'left out, or with "trafficRouting": it needs a router');
    }
  });
}

function checkStep(problems: Problems, at: string, step: CanaryStep, routed: boolean): void {
  if ('setWeight' in step) {
    problems.check(at, step.setWeight, percent);
  } else if ('pause' in step) {
    const { duration } = step.pause ?? {};
    if (duration !== undefined) {
      problems.check(`${at}.duration`, duration, goDuration);
    }
  } else if ('analysis' in step) {
    checkStepAnalysis(problems, at, step.analysis, 'answered');
  } else if ('setCanaryScale' in step) {
    checkScale(problems, at, step.setCanaryScale);
  } else if (routed) {
    const { name, match = [] } = step.setHeaderRoute ?? {};
    problems.check(`${at}.name`, name, dnsLabel);
    match.forEach(({ headerName, exact }, position) => {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$/.test(headerName ?? '')) {
        problems.add(
          `${at}.match[${position}].headerName`,
          headerName,
          'a name of an HTTP header, at most 40 characters',
        );
      }
      if (typeof exact !== 'string' || exact === '') {
        problems.add(`${at}.match[${position}].exact`, exact, 'the value of the header');
      }
    });
  }
}

function checkScale(problems: Problems, at: string, scale: unknown): void {
  const entries = typeof scale === 'object' && scale !== null ? Object.entries(scale) : [];
  const [key, value] = entries[0] ?? [];
  const accepted =
    entries.length === 1 &&
    ((key === 'weight' && percent.accepts(value)) ||
      (key === 'replicas' && wholeNumber(0, 10_000).accepts(value)) ||
      (key === 'matchTrafficWeight' && value === true));
  if (!accepted) {
    problems.add(at, scale, 'one of { weight } from 0 to 100, { replicas } and { matchTrafficWeight: true }');
  }
}

/** Adds what is wrong with an analysis at a place that needs one with, or without, an end of its own. */
export function checkStepAnalysis(
  problems: Problems,
  at: string,
  analysis: Analysis | undefined,
  until: AnalysisEnd,
): void {
  const templates: Analysis['templates'] = analysis?.templates ?? [];
  if (analysis === undefined || templates.length === 0) {
    problems.add(at, analysis, 'an analysis: the answer of analysis() of an AnalysisTemplate');
  } else if (analysis.until !== undefined && analysis.until !== until) {
    const why =
      until === 'end'
        ? 'templates with until: "end", or it would check nothing after its first pass'
        : 'templates without until: "end": it would never end';
    problems.add(at, templates.map(({ templateName }) => templateName).join(', '), why);
  }
}

/** Names of the header routes of steps, each once, in their order. */
export function headerRoutes(steps: readonly CanaryStep[]): readonly string[] {
  return [...new Set(steps.flatMap((step) => ('setHeaderRoute' in step ? [step.setHeaderRoute.name] : [])))];
}

/** The step in Argo's words. */
export function stepManifest(step: CanaryStep): object {
  if ('analysis' in step) {
    return { analysis: analysisManifest(step.analysis) };
  }
  if ('setHeaderRoute' in step) {
    const { name, match } = step.setHeaderRoute;
    return {
      setHeaderRoute: {
        name,
        ...(match && {
          match: match.map(({ headerName, exact }) => ({ headerName, headerValue: { exact } })),
        }),
      },
    };
  }
  return { ...step };
}

const podNumber: Format = {
  allowed: 'a whole number, 0 or more, or a share such as "25%", at most 100%',
  accepts: (value) =>
    (Number.isInteger(value) && (value as number) >= 0) ||
    (typeof value === 'string' && /^\d{1,3}%$/.test(value) && parseInt(value, 10) <= 100),
};

/** Adds what is wrong with a number or a share of pods. Answers whether it is one. */
export function checkPods(problems: Problems, at: string, value: unknown): boolean {
  return problems.check(at, value, podNumber);
}

/** Whether a number or a share of pods is none. */
export function isNone(value: number | string): boolean {
  return value === 0 || /^0+%$/.test(String(value));
}

/** Adds what is wrong with a time that Argo Rollouts takes in whole seconds. */
export function checkSeconds(problems: Problems, at: string, value: string | undefined, least = 0): void {
  if (value === undefined || !problems.check(at, value, goDuration)) {
    return;
  }
  const given = parseDuration(value)! / 1000;
  if (!Number.isInteger(given) || given < least || given > 2_147_483_647) {
    problems.add(at, value, `whole seconds${least > 0 ? `, at least ${least}s` : ''}`);
  }
}

/** A time that was checked, in seconds; undefined for none. */
export function seconds(value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value)! / 1000;
}
