import type { ValidatingPolicyProps } from '../../admission';
import { historyAnnotation, totalAnnotation } from '../restart/history';
import { cel, isAccount } from './cel';
import type { RestarterSettings } from './settings';

/** What the API server itself changes with a write. */
const ownFields = ['resourceVersion', 'generation', 'managedFields'];

/** Whether two maps are equal but for some keys; either may be absent. */
function equalBut(keys: readonly string[], now: string, before: string): string {
  const oneWay = (one: string, other: string, compare: boolean) =>
    `dyn(${one}).all(k, k in ${cel(keys)} || (k in dyn(${other})${compare ? ` && dyn(${one})[k] == dyn(${other})[k]` : ''}))`;
  return `${oneWay(now, before, true)} && ${oneWay(before, now, false)}`;
}

/**
 * Props of the policy: the Jobs' account asks Rollouts for restarts, and changes nothing else of them. The right to patch
 * a Rollout is the right to give it another image.
 */
export function rolloutPolicy(settings: RestarterSettings): ValidatingPolicyProps {
  const { name, namespace, jobAccount, labels } = settings;
  const annotations = (object: string) =>
    `(has(${object}.metadata.annotations) ? ${object}.metadata.annotations : {})`;
  return {
    name: `rollouts.${name}.${namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [
      {
        operations: ['UPDATE'],
        apiGroups: ['argoproj.io'],
        apiVersions: ['v1alpha1'],
        resources: ['rollouts'],
      },
    ],
    matchConditions: [{ name: 'job', expression: isAccount(namespace, jobAccount) }],
    variables: [
      { name: 'now', expression: annotations('object') },
      { name: 'before', expression: annotations('oldObject') },
    ],
    validations: [
      [equalBut(['restartAt'], 'object.spec', 'oldObject.spec'), 'spec.restartAt'],
      [
        equalBut([...ownFields, 'annotations'], 'object.metadata', 'oldObject.metadata'),
        'annotations, and no other metadata',
      ],
      [
        equalBut([historyAnnotation, totalAnnotation], 'variables.now', 'variables.before'),
        'the annotations of restarts',
      ],
    ].map(([expression, message]) => ({
      expression: expression!,
      message: `${jobAccount} changes of a Rollout only ${message!}`,
      reason: 'Forbidden',
    })),
  };
}
