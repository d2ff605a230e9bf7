import { across, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { fits, number } from '../../core/validation/values';
import { minutesAndSeconds, someText, texts } from './formats';

/** A metric of a Flagger Canary, as it is in `spec.analysis.metrics`. */
export interface FlaggerMetric {
  /** Name in Flagger's events and metrics. */
  readonly name: string;
  /** How far back Flagger looks: `1m`. Sources other than Prometheus are asked for ten times that. */
  readonly interval?: string;
  /** It halts the canary outside of these bounds, which are allowed themselves. */
  readonly thresholdRange: {
    /** The least value that is allowed. @default - no lower bound */
    readonly min?: number;
    /** The largest value that is allowed. @default - no upper bound */
    readonly max?: number;
  };
  /** The MetricTemplate with the query. @default - one of Flagger's own metrics: `request-success-rate`, `request-duration` */
  readonly templateRef?: {
    /** Name of the MetricTemplate. */
    readonly name: string;
    /** Its namespace. @default - the Canary's */
    readonly namespace?: string;
  };
  /** Values of `{{ variables.NAME }}` in the query. */
  readonly templateVariables?: Readonly<Record<string, string>>;
}

/** Flagger's own metrics: which bound each needs, and what its numbers may be. */
const own: Readonly<
  Record<string, { bound: 'min' | 'max'; allowed: string; fits: (value: number) => boolean }>
> = {
  'request-success-rate': {
    bound: 'min',
    allowed: 'a percent from 0 to 100',
    fits: (value) => value >= 0 && value <= 100,
  },
  'request-duration': {
    bound: 'max',
    allowed: 'whole milliseconds: Flagger cuts off the rest',
    fits: (value) => Number.isSafeInteger(value) && value >= 0,
  },
};

/** A metric of an analysis. */
export const flaggerMetric: Schema<FlaggerMetric> = across(
  object<FlaggerMetric>({
    name: someText,
    interval: optional(minutesAndSeconds),
    thresholdRange: object({ min: optional(number('a number')), max: optional(number('a number')) }),
    templateRef: optional(object({ name: fits(dnsSubdomain), namespace: optional(fits(dnsLabel)) })),
    templateVariables: optional(texts),
  }),
  ({ name, templateRef, thresholdRange }, objections) => {
    const itsOwn = typeof name === 'string' && Object.hasOwn(own, name) ? own[name] : undefined;
    if (templateRef === undefined && typeof name === 'string' && !itsOwn) {
      objections.mustBe(['templateRef'], `given: "${name}" is none of Flagger's own metrics`);
    } else if (templateRef !== undefined && itsOwn) {
      objections.mustBe(['name'], 'another name: Flagger would evaluate its own metric, too');
    }
    if (isPlainObject(thresholdRange)) {
      checkRange(thresholdRange, templateRef === undefined ? itsOwn : undefined, objections);
    }
  },
);

/** Without a range every success rate would pass, and every other value above 0 fail. */
function checkRange(
  range: { readonly min?: unknown; readonly max?: unknown },
  itsOwn: (typeof own)[string] | undefined,
  { mustBe, mustBeSecretly }: Objections,
): void {
  const { min, max } = range;
  if (itsOwn ? range[itsOwn.bound] === undefined : min === undefined && max === undefined) {
    mustBeSecretly(
      ['thresholdRange'],
      itsOwn ? `a range with "${itsOwn.bound}"` : 'a range with "min" or "max"',
    );
  }
  for (const [bound, value] of Object.entries({ min, max })) {
    if (typeof value === 'number' && Number.isFinite(value) && itsOwn?.fits(value) === false) {
      mustBe(['thresholdRange', bound], itsOwn.allowed);
    }
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    mustBe(['thresholdRange', 'min'], `at most "max", ${max}`);
  }
}
