import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import type { Problems } from '../../core/validation/problems';
import { checkMapping, entriesOf, minutesAndSeconds, someText, texts } from './formats';
import type { FlaggerMetric } from './metric-template';

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

/** Checks the metrics of an analysis. */
export function checkMetrics(
  problems: Problems,
  path: string,
  metrics: readonly FlaggerMetric[] | undefined,
): void {
  const names = new Set<string>();
  entriesOf(problems, path, metrics).forEach((metric, position) => {
    const at = `${path}[${position}]`;
    if (checkMapping(problems, at, metric)) {
      checkMetric(problems, at, metric);
      if (names.has(metric.name)) {
        problems.add(`${at}.name`, metric.name, 'in the list once');
      }
      names.add(metric.name);
    }
  });
}

function checkMetric(problems: Problems, at: string, metric: FlaggerMetric): void {
  problems.check(`${at}.name`, metric.name, someText);
  problems.checkGiven(at, metric, { interval: minutesAndSeconds, templateVariables: texts });
  const { templateRef, name } = metric;
  const itsOwn = Object.hasOwn(own, name) ? own[name] : undefined;
  if (templateRef !== undefined && checkMapping(problems, `${at}.templateRef`, templateRef)) {
    problems.check(`${at}.templateRef.name`, templateRef.name, dnsSubdomain);
    problems.checkGiven(`${at}.templateRef`, templateRef, { namespace: dnsLabel });
    if (itsOwn) {
      problems.add(`${at}.name`, name, 'another name: Flagger would evaluate its own metric, too');
    }
  } else if (templateRef === undefined && !itsOwn) {
    problems.add(`${at}.templateRef`, templateRef, `given: "${name}" is none of Flagger's own metrics`);
  }
  checkRange(problems, `${at}.thresholdRange`, metric.thresholdRange, templateRef ? undefined : itsOwn);
}

/** Without a range every success rate would pass, and every other value above 0 fail. */
function checkRange(
  problems: Problems,
  at: string,
  range: FlaggerMetric['thresholdRange'],
  itsOwn: (typeof own)[string] | undefined,
): void {
  if (!checkMapping(problems, at, range)) {
    return;
  }
  const { min, max } = range;
  if (itsOwn ? range[itsOwn.bound] === undefined : min === undefined && max === undefined) {
    problems.add(at, range, itsOwn ? `a range with "${itsOwn.bound}"` : 'a range with "min" or "max"');
  }
  for (const [bound, value] of Object.entries({ min, max })) {
    if (value !== undefined && !(Number.isFinite(value) && (itsOwn?.fits(value) ?? true))) {
      problems.add(`${at}.${bound}`, value, itsOwn?.allowed ?? 'a number');
    }
  }
  if (min !== undefined && max !== undefined && min > max) {
    problems.add(`${at}.min`, min, `at most "max", ${max}`);
  }
}
