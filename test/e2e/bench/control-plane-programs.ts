import { join, resolve } from 'node:path';

/** The programs of a control plane, in the order of their start. */
export const programs = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const;

/** One of them. */
export type Program = (typeof programs)[number];

/** Where a control plane listens; everything is on 127.0.0.1. */
export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly kwok: number;
}

/** Names of the files in a control plane's folder. */
export const files = {
  authority: 'ca.crt',
  serverCertificate: 'server.crt',
  serverKey: 'server.key',
  accountsPrivate: 'service-accounts.key',
  accountsPublic: 'service-accounts.pub',
  auditPolicy: 'audit-policy.json',
  auditLog: 'audit.log',
} as const;

/** Addresses of Services; nobody routes them. */
const serviceRange = '10.96.0.0/16';

/** First address of {@link serviceRange}: the API server's own Service. */
export const apiService = '10.96.0.1';

const stages = resolve(__dirname, 'kwok');

/** What the programs do differently. */
export interface ProgramOptions {
  /** Feature gates of Kubernetes itself. @default {} */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Whether the API server asks webhooks. Nothing serves those of a chart that is installed, since its pods run nothing.
   * @default true
   */
  readonly webhooks?: boolean;
  /** Kubernetes version whose APIs there are: `1.34`. @default - that of the programs */
  readonly emulatedVersion?: string;
  /** More arguments of the controller manager, such as `--horizontal-pod-autoscaler-sync-period=1s`. @default [] */
  readonly controllerManager?: readonly string[];
  /** More arguments of the API server, such as `--runtime-config=networking.k8s.io/v1beta1=true`. @default [] */
  readonly apiServer?: readonly string[];
}

/** The arguments that each program is started with, in the folder of the control plane. */
export function programArguments(
  { etcd, etcdPeer, apiServer: apiServerPort, kwok }: Ports,
  kubeconfig: (user: string) => string,
  {
    featureGates = {},
    webhooks = true,
    controllerManager = [],
    apiServer = [],
    emulatedVersion,
  }: ProgramOptions,
): Record<Program, string[]> {
  const client = `http://127.0.0.1:${etcd}`;
  const peer = `http://127.0.0.1:${etcdPeer}`;
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  const common = [
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
    // A scheduler of the newest version waits for APIs that there are not.
    ...(emulatedVersion === undefined ? [] : [`--emulated-version=${emulatedVersion}`]),
  ];
  const unasked = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];
  return {
    etcd: [
      '--data-dir=etcd',
      '--unsafe-no-fsync',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    'kube-apiserver': [
      `--etcd-servers=${client}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${apiServerPort}`,
      // An address for documentation: loopback ones are refused here, and nobody uses it.
      '--advertise-address=192.0.2.2',
      '--endpoint-reconciler-type=none',
      `--service-cluster-ip-range=${serviceRange}`,
      '--authorization-mode=Node,RBAC',
      `--client-ca-file=${files.authority}`,
      `--tls-cert-file=${files.serverCertificate}`,
      `--tls-private-key-file=${files.serverKey}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${files.accountsPublic}`,
      `--service-account-signing-key-file=${files.accountsPrivate}`,
      // Webhooks behind a Service are called at an address of its EndpointSlices: there is no kube-proxy.
      '--enable-aggregator-routing=true',
      `--audit-policy-file=${files.auditPolicy}`,
      `--audit-log-path=${files.auditLog}`,
      '--profiling=false',
      ...(webhooks ? [] : [`--disable-admission-plugins=${unasked.join(',')}`]),
      ...apiServer,
      ...common,
    ],
    'kube-controller-manager': [
      `--kubeconfig=${kubeconfig('system:kube-controller-manager')}`,
      '--leader-elect=false',
      '--kube-api-qps=300',
      '--kube-api-burst=600',
      `--service-account-private-key-file=${files.accountsPrivate}`,
      `--root-ca-file=${files.authority}`,
      '--secure-port=0',
      ...controllerManager,
      ...common,
    ],
    'kube-scheduler': [
      `--kubeconfig=${kubeconfig('system:kube-scheduler')}`,
      '--leader-elect=false',
      '--secure-port=0',
      ...common,
    ],
    kwok: [
      `--kubeconfig=${kubeconfig('kwok')}`,
      `--config=${join(stages, 'nodes.yaml')}`,
      `--config=${join(stages, 'pods.yaml')}`,
      '--manage-all-nodes=true',
      '--cidr=10.200.0.0/16',
      '--node-ip=10.77.0.1',
      '--node-lease-duration-seconds=40',
      // Its default is all addresses of the machine.
      `--server-address=127.0.0.1:${kwok}`,
    ],
  };
}
