/** What the pods of a shift are made of. */
export interface ShiftPod {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly object[];
  readonly resources: object;
  /** Folders by path, each a Secret's name. */
  readonly secretFolders: Readonly<Record<string, string>>;
  /** Name of the ConfigMap with the plan. */
  readonly configMap: string;
  /** Fields of the container laid over ours. */
  readonly containerArgs: object;
}

/** Where the plan is, in the pod. */
const planFolder = '/etc/cluster-canary';
export const planFile = 'plan.yaml';

/** What the Pod Security Standard `restricted` asks of every container. */
export const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** What it asks of the pod. */
export function podSecurity(user: number): object {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** The same for the two containers that Argo Workflows puts beside ours, which it leaves as they are. */
export const podSpecPatch = JSON.stringify({
  initContainers: [{ name: 'init', securityContext: restricted }],
  containers: [{ name: 'wait', securityContext: restricted }],
});

/** A template whose pod runs the command on one route. */
export function podTemplate(name: string, pod: ShiftPod, args: readonly string[], retry: object): object {
  return {
    name,
    inputs: { parameters: [{ name: 'route' }] },
    retryStrategy: retry,
    container: {
      image: pod.image,
      command: pod.command,
      args: ['shift', `${planFolder}/${planFile}`, '--route', '{{inputs.parameters.route}}', ...args],
      env: [{ name: 'HOME', value: '/tmp' }, ...pod.env],
      resources: pod.resources,
      securityContext: { ...restricted, readOnlyRootFilesystem: true },
      volumeMounts: [
        { name: 'plan', mountPath: planFolder, readOnly: true },
        { name: 'temporary', mountPath: '/tmp' },
        ...Object.keys(pod.secretFolders).map((mountPath, index) => ({
          name: `secret-${index + 1}`,
          mountPath,
          readOnly: true,
        })),
      ],
      ...pod.containerArgs,
    },
  };
}

/** The volumes of every pod. */
export function volumesOf({ configMap, secretFolders }: ShiftPod): readonly object[] {
  return [
    { name: 'plan', configMap: { name: configMap } },
    { name: 'temporary', emptyDir: {} },
    ...Object.values(secretFolders).map((secretName, index) => ({
      name: `secret-${index + 1}`,
      secret: { secretName },
    })),
  ];
}
