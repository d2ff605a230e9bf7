import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import { redisPath } from '../tools/other-tools';
import type { ControlPlane } from './control-plane';
import { establishCrds, objectsBelow } from './crds';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import { BenchProcess } from './process';
import { freePort, temporaryFolder } from './temporary';

/** Programs of Argo CD that the bench always runs. Server and Dex are left out. */
export type ArgoCdProgram = 'redis' | 'repo-server' | 'application-controller' | 'applicationset-controller';

/** A running Argo CD. */
export interface ArgoCd {
  /** Its programs, for a test that kills one. */
  readonly programs: Readonly<Record<ArgoCdProgram, BenchProcess>>;
  /** The notifications controller, where it was asked for. */
  readonly notifications?: BenchProcess;
  /** An Application as it is now. */
  application(name: string): Promise<KubernetesObject>;
  /** Waits until an Application is Synced and Healthy. */
  synced(name: string): Promise<KubernetesObject>;
}

/** How Argo CD is started. */
export interface ArgoCdOptions {
  /** User that Argo CD is on its own cluster, as the audit log shows it. @default 'argocd' */
  readonly user?: string;
  /** Whether the notifications controller runs, and what it is told. @default - it doesn't run */
  readonly notifications?: ArgoCdNotifications;
}

/** What the notifications controller reads. */
export interface ArgoCdNotifications {
  /** `service.*`, `template.*`, `trigger.*` and `subscriptions`, as in the ConfigMap `argocd-notifications-cm`. */
  readonly settings: Readonly<Record<string, string>>;
  /** What `$name` in the settings stands for. @default {} */
  readonly secrets?: Readonly<Record<string, string>>;
}

const namespace = 'argocd';

/** Starts Argo CD's controllers against a control plane, as if they ran in it. */
export async function argoCd(
  plane: ControlPlane,
  { user = 'argocd', notifications }: ArgoCdOptions = {},
): Promise<ArgoCd> {
  const folder = temporaryFolder('argocd');
  await establishCrds(plane.api, objectsBelow(crdFolder('argo-cd')));
  for (const object of configuration()) {
    await plane.api.apply(object);
  }
  const ports = await Promise.all(Array.from({ length: 8 }, () => freePort()));
  const [redisPort, repoPort, ...rest] = ports as [number, number, ...number[]];
  const redisAddress = `127.0.0.1:${redisPort}`;
  const repoAddress = `127.0.0.1:${repoPort}`;
  const home = join(folder, 'home');
  ['home', 'tls', 'ssh', 'tmp'].forEach((each) => mkdirSync(join(folder, each)));
  const env = {
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    KUBECONFIG: await plane.kubeconfigFor(user),
    HOME: home,
    TMPDIR: join(folder, 'tmp'),
  };
  const program = (name: string, args: string[], binary = name): BenchProcess =>
    new BenchProcess({
      name,
      folder,
      command: programPath('argocd'),
      args,
      env: { ...env, ARGOCD_BINARY_NAME: `argocd-${binary}` },
    });
  const repoServerArgs = [
    ...['--disable-tls', '--address', '127.0.0.1', '--port', String(repoPort)],
    ...['--metrics-address', '127.0.0.1', '--metrics-port', String(rest[0])],
    // Otherwise a commit is not seen for minutes.
    ...['--revision-cache-expiration', '3s'],
  ];
  const common = ['--redis', redisAddress, '--loglevel', 'warn', '--logformat', 'text'];
  const programs = {
    redis: new BenchProcess({
      name: 'redis',
      folder,
      command: redisPath(),
      args: ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    }),
    // Its socket has one path on every machine, below /tmp: two that start at once would take it from each other.
    'repo-server': new BenchProcess({
      name: 'repo-server',
      folder,
      command: 'unshare',
      args: [
        ...['--mount', 'sh', '-c', 'mount --bind "$TMPDIR" /tmp && exec "$0" "$@"', programPath('argocd')],
        ...[...common, ...repoServerArgs],
      ],
      env: { ...env, ARGOCD_BINARY_NAME: 'argocd-repo-server' },
    }),
    'application-controller': program('application-controller', [
      ...common,
      ...['--namespace', namespace, '--repo-server', repoAddress, '--repo-server-plaintext'],
      ...['--app-resync', '10', '--app-resync-jitter', '0', '--metrics-port', String(rest[1])],
    ]),
    'applicationset-controller': program('applicationset-controller', [
      ...['--namespace', namespace, '--argocd-repo-server', repoAddress, '--repo-server-plaintext'],
      ...['--loglevel', 'warn', '--logformat', 'text', '--enable-leader-election=false'],
      ...['--metrics-addr', `127.0.0.1:${rest[2]}`, '--probe-addr', `127.0.0.1:${rest[3]}`],
      ...['--webhook-addr', `127.0.0.1:${rest[4]}`],
    ]),
  };
  const answers = (port: number, path: string) => async () =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).ok;
  await programs.redis.start(() => Promise.resolve(true));
  await programs['repo-server'].start(answers(rest[0]!, '/healthz'));
  await Promise.all([
    programs['application-controller'].start(answers(rest[1]!, '/healthz')),
    programs['applicationset-controller'].start(answers(rest[2]!, '/metrics')),
  ]);
  const startNotifications = async ({ settings, secrets = {} }: ArgoCdNotifications) => {
    const name = 'argocd-notifications';
    const [config, secret] = [`${name}-cm`, `${name}-secret`].map((each) => ({ name: each, namespace }));
    await plane.api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: config!, data: settings });
    await plane.api.apply({ apiVersion: 'v1', kind: 'Secret', metadata: secret!, stringData: secrets });
    const args = [
      ...['controller', '--namespace', namespace, '--metrics-port', String(rest[5])],
      ...['--argocd-repo-server', repoAddress, '--argocd-repo-server-plaintext'],
      ...['--loglevel', 'warn', '--logformat', 'text'],
    ];
    return program('notifications-controller', args, 'notifications').start(answers(rest[5]!, '/metrics'));
  };
  const notifier = notifications && (await startNotifications(notifications));
  const application = (name: string): Promise<KubernetesObject> =>
    plane.api.get({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace } });
  return {
    programs,
    notifications: notifier,
    application,
    synced: (name) =>
      eventually(`Application ${name} Synced and Healthy`, async () => {
        const found = await application(name);
        const { sync, health, conditions, operationState } = found.status ?? {};
        if (sync?.status === 'Synced' && health?.status === 'Healthy') {
          return found;
        }
        throw new Error(
          JSON.stringify({
            sync: sync?.status,
            health: health?.status,
            conditions,
            message: operationState?.message,
          }),
        );
      }),
  };
}

/** What Argo CD's installation would bring, as far as its controllers read it. */
function configuration(): KubernetesObject[] {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const configMaps = [
    'argocd-cm',
    'argocd-cmd-params-cm',
    'argocd-rbac-cm',
    'argocd-gpg-keys-cm',
    'argocd-ssh-known-hosts-cm',
    'argocd-tls-certs-cm',
  ];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...configMaps.map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels },
    })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'argocd-secret', namespace, labels },
      stringData: { 'server.secretkey': 'only-for-tests' },
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ];
}
