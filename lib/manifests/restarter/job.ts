import { commandPodSpec, lastWords } from '../command-pod';
import type { RestarterSettings } from './props';

/** Name of the Job's container. */
export const containerName = 'restart';

/** The values that a message gives, by the position of the argument which they end. */
export const messageArguments = [
  { position: 1, flag: '--application=', field: 'application' },
  { position: 2, flag: '--namespace=', field: 'namespace' },
] as const;

/**
 * Arguments of the command. What a message gives is the end of one argument, behind the name of its flag: it reaches no
 * shell, and can't be taken for another flag.
 */
export function jobArguments(settings: RestarterSettings): string[] {
  const { allowedNamespaces, coolDown, perDay, minReplicas: leastReplicas, wait } = settings;
  return [
    'restart-rollout',
    ...messageArguments.map(({ flag }) => flag),
    ...allowedNamespaces.map((each) => `--allowed-namespace=${each}`),
    ...[
      `--cool-down=${coolDown}`,
      `--per-day=${perDay}`,
      `--min-replicas=${leastReplicas}`,
      `--wait=${wait}`,
    ],
    ...[`--message=${lastWords}`, '--json'],
  ];
}

/** How often a pod that could not run is tried again. */
export const retries = 2;

/** The Job that the Sensor makes of a message. */
export function restartJob(settings: RestarterSettings): object {
  const { name, namespace, labels, jobLabels } = settings;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { generateName: `${name}-`, namespace, labels: { ...labels, ...jobLabels } },
    spec: {
      backoffLimit: retries,
      // Status 1 is an answer: a Rollout was left alone. It is the same the next time.
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { containerName, operator: 'In', values: [1] } }],
      },
      activeDeadlineSeconds: settings.deadlineSeconds,
      ttlSecondsAfterFinished: settings.keepSeconds,
      template: {
        metadata: { labels: { ...labels, ...jobLabels } },
        spec: commandPodSpec({
          restartPolicy: 'Never',
          serviceAccountName: settings.jobAccount,
          user: settings.user,
          container: {
            name: containerName,
            image: settings.image,
            command: settings.command,
            args: jobArguments(settings),
            leavesWords: true,
            resources: settings.resources,
          },
        }),
      },
    },
  };
}
