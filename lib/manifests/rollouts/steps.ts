import { parseDuration } from '../../core/durations';
import { list, object, oneKeyOf, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { duration, fits, following, text, that, whole } from '../../core/validation/values';
import { shiftPlan } from '../../shift/engine';
import { analysisManifest, analysisUntil } from './analysis/analysis';
import type { Analysis } from './analysis/analysis';

/** A header that sends a request to the new version, by its exact value: an ALB compares no other way. */
export interface HeaderMatch {
  /** Name of the header. */
  readonly headerName: string;
  /** The header's value. */
  readonly exact: string;
}

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

const percent = whole(0, 100);

const canaryScale: Schema<CanaryScale> = oneKeyOf<{
  readonly weight: number;
  readonly replicas: number;
  readonly matchTrafficWeight: true;
}>(
  {
    weight: percent,
    replicas: whole(0, 10_000),
    matchTrafficWeight: following({ allowed: 'true', accepts: (value) => value === true }),
  },
  'one of { weight } from 0 to 100, { replicas } and { matchTrafficWeight: true }',
);

type StepOf<Key extends string> = Extract<CanaryStep, Readonly<Record<Key, unknown>>>;

/** One step of a canary. */
export const canaryStep: Schema<CanaryStep> = oneKeyOf<{
  readonly setWeight: number;
  readonly pause: StepOf<'pause'>['pause'];
  readonly analysis: Analysis;
  readonly setCanaryScale: CanaryScale;
  readonly setHeaderRoute: StepOf<'setHeaderRoute'>['setHeaderRoute'];
}>({
  setWeight: percent,
  pause: object({ duration: optional(duration) }),
  analysis: analysisUntil('answered'),
  setCanaryScale: canaryScale,
  setHeaderRoute: object({
    name: fits(dnsLabel),
    match: optional(
      list(
        object<HeaderMatch>({
          headerName: text(
            'a name of an HTTP header, at most 40 characters',
            /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$/,
          ),
          exact: text('the value of the header', /./s),
        }),
      ),
    ),
  }),
});

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

/** A number or a share of pods. */
export const podNumber: Schema<never> = following({
  allowed: 'a whole number, 0 or more, or a share such as "25%", at most 100%',
  accepts: (value) =>
    (Number.isInteger(value) && (value as number) >= 0) ||
    (typeof value === 'string' && /^\d{1,3}%$/.test(value) && parseInt(value, 10) <= 100),
});

/** Whether a number or a share of pods is none. */
export function isNone(value: unknown): boolean {
  return value === 0 || /^0+%$/.test(String(value));
}

/** A time that Argo Rollouts takes in whole seconds. */
export function wholeSeconds(min = 0): Schema<string> {
  return that(duration, `whole seconds${min > 0 ? `, at least ${min}s` : ''}`, (value) => {
    const given = seconds(value)!;
    return Number.isInteger(given) && given >= min && given <= 2_147_483_647;
  });
}

/** A time that was checked, in seconds; undefined for none. */
export function seconds(value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value)! / 1000;
}
