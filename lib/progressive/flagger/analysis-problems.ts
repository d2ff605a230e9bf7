import type { Problems, Rule } from '../../problems';
import { dnsLabel, dnsSubdomain, oneOf, wholeNumber } from '../../problems';
import type { CanaryAlert, CanaryAnalysis, SessionAffinity } from './canary-analysis';
import { analysisFields } from './canary-analysis';
import { courseOf } from './course';
import { checkCourse } from './course-problems';
import { checkHonoured } from './honoured';
import { checkCanaryMatch } from './match-problems';
import { checkMetrics } from './metric-problems';
import type { CanaryProvider } from './provider';
import { entriesOf, flag, checkMapping, minutesAndSeconds, secondsOf, someText } from './rules';
import { canHalt, checkTimeouts, checkWebhooks } from './webhook-problems';

/** Time from step to step where nothing is said. */
export const usualInterval = '1m';

/** Flagger looks no more often. */
const leastInterval = 10;

/** Checks how a new version is judged. */
export function checkAnalysis(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  provider: CanaryProvider,
  skipped: boolean,
): void {
  if (!checkMapping(problems, path, analysis)) {
    return;
  }
  checkHonoured(problems, path, analysis, analysisFields, provider);
  const { interval = usualInterval, match, metrics, webhooks, sessionAffinity } = analysis;
  if (problems.check(`${path}.interval`, interval, minutesAndSeconds)) {
    if (secondsOf(interval) < leastInterval) {
      problems.add(`${path}.interval`, interval, `at least ${leastInterval}s: Flagger looks no more often`);
    }
  }
  problems.checkGiven(path, analysis, {
    threshold: wholeNumber(1, 10_000),
    primaryReadyThreshold: wholeNumber(0, 100),
    canaryReadyThreshold: wholeNumber(0, 100),
    mirror: flag,
  });
  const course = courseOf(analysis, provider);
  checkCourse(problems, path, analysis, course, provider);
  entriesOf(problems, `${path}.match`, match).forEach((each, position) =>
    checkCanaryMatch(problems, `${path}.match[${position}]`, each, provider),
  );
  if (Array.isArray(match) && match.length === 0) {
    problems.add(`${path}.match`, match, 'a list with at least one entry');
  }
  checkMetrics(problems, `${path}.metrics`, metrics);
  checkWebhooks(problems, `${path}.webhooks`, webhooks, course.way !== 'iterations');
  checkJudged(problems, path, analysis, interval, skipped);
  if (sessionAffinity !== undefined && checkMapping(problems, `${path}.sessionAffinity`, sessionAffinity)) {
    checkAffinity(problems, `${path}.sessionAffinity`, sessionAffinity);
  }
  entriesOf(problems, `${path}.alerts`, analysis.alerts).forEach((each, position) =>
    checkAlert(problems, `${path}.alerts[${position}]`, each),
  );
}

/** Something has to be able to say no, and in time. */
function checkJudged(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  interval: string,
  skipped: boolean,
): void {
  const { metrics = [], webhooks = [] } = analysis;
  if (
    !Array.isArray(metrics) ||
    !Array.isArray(webhooks) ||
    !webhooks.every((each) => each instanceof Object)
  ) {
    return;
  }
  checkTimeouts(problems, `${path}.interval`, interval, analysis);
  if (!skipped && metrics.length === 0 && !analysis.webhooks?.some(canHalt)) {
    problems.add(
      `${path}.metrics`,
      analysis.metrics,
      'at least one metric, or a webhook that can fail ("pre-rollout", "rollout", "confirm-promotion"): ' +
        'nothing else would stop a bad version. "skipAnalysis" releases without judgement',
    );
  }
}

/** Flagger splits a cookie at "=" and looks for its name by a regular expression. */
const cookieName: Rule = {
  allowed: 'the name of a cookie: letters, digits, "-" and "_"',
  accepts: (value) => typeof value === 'string' && /^[-\w]{1,64}$/.test(value),
};

function checkAffinity(problems: Problems, path: string, affinity: SessionAffinity): void {
  const { cookieName: name, primaryCookieName, sameSite, secure, partitioned } = affinity;
  const flags = { httpOnly: flag, secure: flag, partitioned: flag };
  const rules = {
    ...flags,
    primaryCookieName: cookieName,
    maxAge: wholeNumber(1, 34_560_000),
    domain: someText,
    path: someText,
    sameSite: oneOf('Strict', 'Lax', 'None'),
  };
  problems.check(`${path}.cookieName`, name, cookieName);
  problems.checkGiven(path, affinity, rules);
  if (primaryCookieName !== undefined && primaryCookieName === name) {
    problems.add(`${path}.primaryCookieName`, primaryCookieName, 'another one than "cookieName"');
  }
  if ((sameSite === 'None' || partitioned === true) && secure !== true) {
    problems.add(
      `${path}.secure`,
      secure,
      'true: browsers refuse cookies that are "None" or partitioned and not secure',
    );
  }
}

function checkAlert(problems: Problems, path: string, alert: CanaryAlert): void {
  if (!checkMapping(problems, path, alert)) {
    return;
  }
  problems.check(`${path}.name`, alert.name, someText);
  problems.checkGiven(path, alert, { severity: oneOf('info', 'warn', 'error') });
  if (checkMapping(problems, `${path}.providerRef`, alert.providerRef)) {
    problems.check(`${path}.providerRef.name`, alert.providerRef.name, dnsSubdomain);
    problems.checkGiven(`${path}.providerRef`, alert.providerRef, { namespace: dnsLabel });
  }
}
