import { parseDuration } from '../../durations';
import { dnsLabel, dnsSubdomain, oneOf, Problems, wholeNumber } from '../../problems';
import { checkBlueGreen } from './blue-green-strategy';
import { checkCanary } from './canary-strategy';
import { checkMetadata, checkPodMetadata } from '../object-metadata';
import type { RolloutProps } from './rollout-props';
import { checkSeconds } from './seconds';

/** Old ReplicaSets that are kept where nobody says it. */
export const defaultRevisionHistoryLimit = 3;

export const defaultProgressDeadline = '10m';

/**
 * Checks the props of a Rollout, by the rules of its controller and those of its objects.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function checkRollout(props: RolloutProps): void {
  const problems = new Problems(`Rollout "${props.name}"`);
  const { replicas, revisionHistoryLimit, rollbackWindow } = props;
  checkMetadata(problems, props, dnsLabel);
  const numbers = { replicas, revisionHistoryLimit, rollbackWindow };
  for (const [key, value] of Object.entries(numbers)) {
    if (value !== undefined) {
      problems.check(key, value, wholeNumber(key === 'rollbackWindow' ? 1 : 0, 10_000));
    }
  }
  checkPodsOf(problems, props);
  checkTimes(problems, props);
  checkStrategy(problems, props);
  problems.throwIfAny();
}

function checkPodsOf(problems: Problems, { template, workloadRef, selector }: RolloutProps): void {
  if ((template === undefined) === (workloadRef === undefined)) {
    const allowed = 'there, or "workloadRef", and not both of them';
    problems.add('template', template === undefined ? undefined : 'a template', allowed);
  }
  if (workloadRef !== undefined) {
    const { name, kind = 'Deployment', scaleDown } = workloadRef;
    problems.check('workloadRef.name', name, dnsSubdomain);
    problems.check('workloadRef.kind', kind, oneOf('Deployment', 'ReplicaSet', 'PodTemplate'));
    if (scaleDown !== undefined) {
      problems.check('workloadRef.scaleDown', scaleDown, oneOf('never', 'onsuccess', 'progressively'));
      if (kind !== 'Deployment') {
        problems.add(
          'workloadRef.scaleDown',
          scaleDown,
          'left out: only a Deployment has pods that it scales',
        );
      }
    }
    if (kind === 'PodTemplate' && selector === undefined) {
      problems.add('selector', selector, 'given: a PodTemplate has none');
    }
  }
  const labels = template?.metadata?.labels ?? {};
  if (template !== undefined && Object.keys(labels).length === 0) {
    problems.add('template.metadata.labels', template.metadata?.labels, 'at least one label');
  }
  checkPodMetadata(problems, 'template.metadata', template?.metadata);
  if (template !== undefined && (typeof template.spec !== 'object' || template.spec === null)) {
    problems.add('template.spec', template.spec, 'a PodSpec');
  }
  for (const [key, value] of Object.entries(selector ?? {})) {
    if (template !== undefined && labels[key] !== value) {
      problems.add(
        `selector.${key}`,
        value,
        `a label of the template, where it is ${labels[key] ?? 'missing'}`,
      );
    }
  }
  if (selector !== undefined && Object.keys(selector).length === 0) {
    problems.add('selector', selector, 'at least one label');
  }
}

function checkTimes(problems: Problems, { minReady, progressDeadline }: RolloutProps): void {
  const before = problems.all.length;
  checkSeconds(problems, 'minReady', minReady);
  checkSeconds(problems, 'progressDeadline', progressDeadline, 1);
  const deadline = progressDeadline ?? defaultProgressDeadline;
  if (problems.all.length === before && parseDuration(deadline)! <= parseDuration(minReady ?? '0s')!) {
    problems.add('progressDeadline', progressDeadline, `more than "minReady", which is ${minReady}`);
  }
}

function checkStrategy(problems: Problems, props: RolloutProps): void {
  const { strategy, namespace, revisionHistoryLimit = defaultRevisionHistoryLimit } = props;
  const entries = typeof strategy === 'object' && strategy !== null ? Object.keys(strategy) : [];
  if (entries.length !== 1 || !['canary', 'blueGreen'].includes(entries[0]!)) {
    problems.add('strategy', strategy, 'exactly one of { canary } and { blueGreen }');
  } else if ('canary' in strategy) {
    checkCanary(problems, 'strategy.canary', strategy.canary, namespace);
  } else {
    checkBlueGreen(problems, 'strategy.blueGreen', strategy.blueGreen, revisionHistoryLimit);
  }
}
