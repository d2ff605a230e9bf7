import type { AccessRule } from '../kubernetes';
import type { ClusterSetSyncProps } from './cluster-set-sync-props';

const folder = '/etc/cluster-canary';

/** Name of the file in the ConfigMap. */
export const setFile = 'clusterset.yaml';

/** A Job that hangs is ended after so many seconds: 1,000 clusters take less than a minute. */
const jobDeadline = 600;

/**
 * What a set needs on the hub. Kubernetes can't limit `list` and `create` to some names, nor any verb to some labels: these
 * rights reach every Secret of the namespace. The policy of `ClusterSetSync` limits its writes to Secrets of its own.
 */
export function clusterSetAccess(namespace: string): readonly AccessRule[] {
  return [
    {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
      namespace,
    },
  ];
}

/** The pod that runs the command. */
export function podTemplate(
  props: ClusterSetSyncProps,
  configMap: string,
  serviceAccountName: string,
  labels: Readonly<Record<string, string>>,
): object {
  const { image, command = ['cluster-canary'], env = {}, user = 65_532, schedule } = props;
  const watch = schedule === undefined;
  return {
    metadata: { labels },
    spec: {
      serviceAccountName,
      restartPolicy: watch ? 'Always' : 'Never',
      // The Pod Security Standard "restricted".
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        fsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'sync',
          image,
          command,
          args: ['clusters', 'sync', '--config', `${folder}/${setFile}`, ...(watch ? ['--watch'] : [])],
          env: [
            { name: 'HOME', value: '/tmp' },
            ...Object.entries(env).map(([name, value]) => ({ name, value })),
          ],
          resources: props.resources ?? {
            requests: { cpu: '50m', memory: '128Mi' },
            limits: { memory: '512Mi' },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
          volumeMounts: [
            { name: 'set', mountPath: folder, readOnly: true },
            { name: 'temporary', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'set', configMap: { name: configMap } },
        { name: 'temporary', emptyDir: {} },
      ],
      ...props.podArgs,
    },
  };
}

/**
 * One pod, and never two: the old one is gone before the next one starts.
 *
 * @param ownLabels labels of the pod that never change: Kubernetes refuses another selector
 */
export function deploymentSpec(template: object, ownLabels: Readonly<Record<string, string>>): object {
  return { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: ownLabels }, template };
}

/** A run that fails shows as a failed Job; the next one tries again. */
export function cronJobSpec(schedule: string, template: object): object {
  return {
    schedule,
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: 60,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: { spec: { backoffLimit: 0, activeDeadlineSeconds: jobDeadline, template } },
  };
}
