import { celText, equalBut, isServiceAccount, serverFields } from '../../core/admission/cel';
import { historyAnnotation, totalAnnotation } from '../../core/names';
import type { ValidatingPolicyProps, Validation } from '../webhooks';
import { applicationPattern } from './events';
import { containerSecurity, podSecurity } from '../command-pod';
import { containerName, jobArguments, retries } from './job';
import type { RestarterSettings } from './props';

/** Fields that a Job has here, those included that the API server fills in. What a later version adds is refused. */
const known = {
  metadata: [
    ...['name', 'generateName', 'namespace', 'labels', 'uid', 'creationTimestamp', 'generation'],
    ...['managedFields', 'resourceVersion'],
  ],
  job: [
    ...['template', 'backoffLimit', 'podFailurePolicy', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'],
    ...['parallelism', 'completions', 'completionMode', 'suspend', 'podReplacementPolicy', 'selector'],
    'manualSelector',
  ],
  templateMetadata: ['labels', 'creationTimestamp'],
  pod: [
    ...['containers', 'restartPolicy', 'serviceAccountName', 'serviceAccount', 'securityContext'],
    ...['terminationGracePeriodSeconds', 'dnsPolicy', 'schedulerName'],
  ],
  container: [
    ...['name', 'image', 'command', 'args', 'resources', 'securityContext', 'imagePullPolicy'],
    ...['terminationMessagePath', 'terminationMessagePolicy'],
  ],
};

const variables = [
  { name: 'pod', expression: 'object.spec.template.spec' },
  { name: 'container', expression: 'variables.pod.containers[0]' },
];

/**
 * Props of the policy: from the Sensor's account come Jobs with this image, command and service account, and nothing
 * else. Access control can't say that: whoever may create Jobs may create any, with any account of the namespace.
 */
export function jobPolicy(settings: RestarterSettings): ValidatingPolicyProps {
  const { name, namespace, sensorAccount, labels } = settings;
  return {
    name: `jobs.${name}.${namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [
      { operations: ['CREATE', 'UPDATE'], apiGroups: ['batch'], apiVersions: ['v1'], resources: ['jobs'] },
    ],
    matchConditions: [{ name: 'sensor', expression: isServiceAccount(namespace, sensorAccount) }],
    variables,
    validations: validations(settings).map(([expression, message]): Validation => ({
      expression,
      message: `${sensorAccount} makes Jobs with ${message}`,
      reason: 'Forbidden',
    })),
  };
}

function validations(settings: RestarterSettings): [string, string][] {
  const { name, namespace, image, command, jobAccount, jobLabels } = settings;
  const allLabels = { ...settings.labels, ...jobLabels };
  return [
    [`object.metadata.namespace == ${celText(namespace)}`, `the namespace ${namespace}`],
    [`object.metadata.name.startsWith(${celText(`${name}-`)})`, `names that begin with ${name}-`],
    [
      `size(variables.pod.containers) == 1 && variables.container.name == ${celText(containerName)}`,
      'one container',
    ],
    [`variables.container.image == ${celText(image)}`, `the image ${image}`],
    [
      `has(variables.container.command) && variables.container.command == ${celText(command)}`,
      `the command ${command.join(' ')}`,
    ],
    [argumentsExpression(settings), 'the arguments of restart-rollout'],
    [
      `has(variables.pod.serviceAccountName) && variables.pod.serviceAccountName == ${celText(jobAccount)}`,
      `the service account ${jobAccount}`,
    ],
    [
      `has(variables.pod.securityContext) && dyn(variables.pod.securityContext) == ${celText(podSecurity(settings.user))} && ` +
        `has(variables.container.securityContext) && ` +
        `dyn(variables.container.securityContext) == ${celText(containerSecurity)}`,
      'the security context of restart-rollout',
    ],
    [
      `has(object.spec.activeDeadlineSeconds) && ` +
        `object.spec.activeDeadlineSeconds <= ${settings.deadlineSeconds} && ` +
        `has(object.spec.ttlSecondsAfterFinished) && ` +
        `object.spec.ttlSecondsAfterFinished <= ${settings.keepSeconds} && ` +
        `has(object.spec.backoffLimit) && object.spec.backoffLimit <= ${retries}`,
      'a deadline, an end and few retries',
    ],
    [
      `(!has(object.spec.parallelism) || object.spec.parallelism == 1) && ` +
        `(!has(object.spec.completions) || object.spec.completions == 1)`,
      'one pod',
    ],
    [
      `has(object.spec.template.metadata) && has(object.spec.template.metadata.labels) && ` +
        `${celText(allLabels)}.all(k, k in object.spec.template.metadata.labels && ` +
        `object.spec.template.metadata.labels[k] == ${celText(allLabels)}[k])`,
      'the labels by which NetworkPolicies know them',
    ],
    [
      [
        onlyKnown('object.metadata', known.metadata),
        onlyKnown('object.spec', known.job),
        onlyKnown('object.spec.template.metadata', known.templateMetadata),
        onlyKnown('variables.pod', known.pod),
        onlyKnown('variables.container', known.container),
        'variables.pod.restartPolicy == "Never"',
      ].join(' && '),
      'no other fields',
    ],
  ];
}

function argumentsExpression(settings: RestarterSettings): string {
  const args = jobArguments(settings);
  const given = 'variables.container.args';
  const namespaces = settings.allowedNamespaces.map((each) => `--namespace=${each}`);
  const special: Readonly<Record<number, string>> = {
    1: `${given}[1].matches(${celText(`^--application=${applicationPattern}$`)})`,
    2: `${given}[2] in ${celText(namespaces)}`,
  };
  return [
    `has(${given})`,
    `size(${given}) == ${args.length}`,
    ...args.map((each, position) => special[position] ?? `${given}[${position}] == ${celText(each)}`),
  ].join(' && ');
}

function onlyKnown(object: string, fields: readonly string[]): string {
  return `dyn(${object}).all(k, k in ${celText(fields)})`;
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
    matchConditions: [{ name: 'job', expression: isServiceAccount(namespace, jobAccount) }],
    variables: [
      { name: 'now', expression: annotations('object') },
      { name: 'before', expression: annotations('oldObject') },
    ],
    validations: [
      [equalBut(['restartAt'], 'object.spec', 'oldObject.spec'), 'spec.restartAt'],
      [
        equalBut([...serverFields, 'annotations'], 'object.metadata', 'oldObject.metadata'),
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
