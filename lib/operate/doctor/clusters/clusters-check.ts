import { inTurn } from '../../../core/async';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients, AwsClientsOptions } from '../../../core/aws/clients';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { askHandshake } from '../../../core/tls';
import type { AskHandshake } from '../../../core/tls';
import { proxyEnvironment } from '../../../core/proxy/environment';
import { object, optional } from '../../../core/validation/collections';
import { callback } from '../../../core/validation/values';
import { Field } from '../../../lint';
import type { CheckReport, DoctorCheck, DoctorCheckKind, DoctorContext, DoctorFinding } from '../check';
import { openCluster } from './ask-cluster';
import type { OpenCluster } from './ask-cluster';
import { makeEksToken } from './eks';
import type { MakeEksToken } from './eks';
import { eksFindings } from './eks-findings';
import { loginFindings, loginTrustFindings } from './login-findings';
import { reachFindings } from './network-findings';
import { observeCluster } from './observe';
import type { ObservedCluster } from './observed-cluster';
import { clusterSecretSelector, registrationOf, serverKind, secretTitle } from './registration';
import { duplicateFindings, registrationFindings } from './registration-findings';

/** Clusters of one fleet that lie more than one minor version apart. */
function versionFindings(clusters: readonly ObservedCluster[]): DoctorFinding[] {
  const fleets = new Map<
    string,
    { readonly seen: ObservedCluster; readonly minor: number; readonly text: string }[]
  >();
  for (const seen of clusters) {
    const { fleet } = seen.registration;
    const text = versionOf(seen);
    const minor = minorOf(text);
    if (fleet !== undefined && text !== undefined && minor !== undefined) {
      fleets.set(fleet, [...(fleets.get(fleet) ?? []), { seen, minor, text }]);
    }
  }
  return [...fleets].flatMap(([fleet, slots]): DoctorFinding[] => {
    const minors = slots.map(({ minor }) => minor);
    return Math.max(...minors) - Math.min(...minors) > 1
      ? [
          {
            cause: 'version-skew',
            severity: 'warning',
            likelihood: 'certain',
            subject: slots.map(({ seen }) => secretTitle(seen.registration)).join(' and '),
            message: `the clusters of fleet ${fleet} are more than one minor version of Kubernetes apart`,
            evidence: slots.map(({ seen, text }) => `${secretTitle(seen.registration)}: ${text}`),
            next: 'bring them closer: an API that one of them has and another lacks fails the sync of one only',
          },
        ]
      : [];
  });
}

/** Version as the cluster says, else as AWS does. */
function versionOf({ answer, eks }: ObservedCluster): string | undefined {
  return (
    (answer.is === 'accepted' ? answer.version : undefined) ??
    (eks?.is === 'described' ? eks.cluster.version : undefined)
  );
}

/** `v1.35.4-eks-1` and `1.35` give 35. */
function minorOf(version = ''): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})\b/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** How clusters are inspected. */
export interface ClustersCheckOptions {
  /** Asks servers for their certificates. @default - by TLS handshakes from this machine, of at most 4 s each */
  readonly ask?: AskHandshake;
  /** Opens a cluster by a kubeconfig. @default - over HTTPS, two tries of at most 5 s */
  readonly open?: OpenCluster;
  /** Makes tokens for EKS. @default - with the role of the Secret, which this machine's AWS credentials take on */
  readonly makeToken?: MakeEksToken;
  /** Clients of AWS. @default - with this machine's AWS credentials, in the region of each cluster */
  readonly clientsOf?: (options: AwsClientsOptions) => Pick<AwsClients, 'eks' | 'ec2' | 'close'>;
  /** For the proxy of this machine. @default - process.env */
  readonly env?: NodeJS.ProcessEnv;
}

const clustersCheckOptions = object<ClustersCheckOptions>({
  ask: optional(callback),
  open: optional(callback),
  makeToken: optional(callback),
  clientsOf: optional(callback),
  env: optional(proxyEnvironment),
});

/**
 * Inspects the clusters that Argo CD knows: whether their Secrets can be read, and whether they can be reached, trusted and
 * entered with what the Secrets hold, as far as that shows from this machine. What Argo CD says of them in its Applications
 * is its own view. No program that a Secret names is run, and no credentials are sent to a server that is not trusted.
 */
export function clustersCheck(options: ClustersCheckOptions = {}): DoctorCheck {
  return {
    name: 'clusters',
    title: 'cluster Secrets of Argo CD: address, certificate authority, login, access entry, rights',
    layer: 'connections',
    needsArgoCd: true,
    access,
    examine: (context) => examine(context, options),
  };
}

/** The kind of it. */
export const clusters: DoctorCheckKind<ClustersCheckOptions> = {
  options: clustersCheckOptions,
  create: clustersCheck,
};

const access: DoctorCheck['access'] = (namespace) => [
  { apiGroups: [''], resources: ['secrets'], verbs: ['list'], namespace },
  { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'], namespace },
  { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
];

async function examine(context: DoctorContext, options: ClustersCheckOptions): Promise<CheckReport> {
  const { api, namespace, signal, concurrency } = context;
  const reader = new CarefulReader(api, signal);
  const secrets = await reader.list(
    { apiVersion: 'v1', kind: 'Secret' },
    { namespace, labelSelector: clusterSecretSelector },
  );
  const registrations = (secrets ?? []).map(registrationOf);
  const applications =
    registrations.length === 0
      ? []
      : await reader.list({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' }, { namespace });
  const clients = regional(options.clientsOf ?? awsClients);
  const now = context.now().getTime();
  let done = 0;
  try {
    const seen = await inTurn(
      registrations,
      concurrency,
      async (registration) => {
        const found = await observeCluster(registration, {
          ask: options.ask ?? askHandshake(),
          open: options.open ?? openCluster,
          makeToken: options.makeToken ?? makeEksToken,
          clients: clients.of,
          applications: applications ?? [],
          env: options.env ?? process.env,
          now,
          signal,
        });
        done += 1;
        context.progress(`clusters: ${done} of ${registrations.length}`);
        return found;
      },
      signal,
    );
    noteUnseen(reader, seen);
    const hub = seen.some(isPrivate) ? await hubAddresses(reader) : [];
    return {
      findings: [
        ...duplicateFindings(registrations),
        ...seen.flatMap((each) => clusterFindings(each, hub, now)),
        ...versionFindings(seen),
      ],
      looked: lookedAt(seen),
      notChecked: reader.unseen,
    };
  } finally {
    clients.close();
  }
}

/** Everything that is wrong with one cluster, each cause once. */
function clusterFindings(
  seen: ObservedCluster,
  hub: readonly string[],
  now: number,
): readonly DoctorFinding[] {
  const found = [
    ...registrationFindings(seen.registration, now),
    ...eksFindings(seen, hub),
    ...reachFindings(seen, hub),
    ...loginTrustFindings(seen, now),
    ...loginFindings(seen),
  ];
  const byCause = new Map<string, DoctorFinding>();
  for (const each of found) {
    byCause.set(each.cause, byCause.get(each.cause) ?? each);
  }
  const distinct = [...byCause.values()];
  return seen.told.length > 0 && !distinct.some(({ severity }) => severity === 'error')
    ? [...distinct, onlyTold(seen)]
    : distinct;
}

function onlyTold(seen: ObservedCluster): DoctorFinding {
  return {
    cause: 'hub-cannot-work',
    severity: 'error',
    likelihood: 'certain',
    subject: secretTitle(seen.registration),
    message:
      'Argo CD reports that it can not work with the cluster, and from this machine nothing explains it',
    evidence: seen.told,
    next: "check the way from the hub's pods: routes, security groups, network policies, DNS, clocks; run the doctor in a pod of the hub",
  };
}

function isPrivate({ eks }: ObservedCluster): boolean {
  return eks?.is === 'described' && !eks.cluster.publicAccess;
}

/** Internal addresses of the nodes that Argo CD may run on. */
async function hubAddresses(reader: CarefulReader): Promise<readonly string[]> {
  const nodes = (await reader.list({ apiVersion: 'v1', kind: 'Node' })) ?? [];
  return nodes.flatMap((node: KubernetesObject) =>
    Field.ofValue(node)
      .get('status', 'addresses')
      .items.filter((each) => each.get('type').text === 'InternalIP')
      .flatMap((each) => each.get('address').text ?? []),
  );
}

/** What was not tried, and why; what AWS does not let one see is reported once for all clusters of which it is so. */
function noteUnseen(reader: CarefulReader, seen: readonly ObservedCluster[]): void {
  const unasked = new Map<string, number>();
  for (const { registration, answer, eks } of seen) {
    if (answer.is === 'untried' && answer.why !== '' && serverKind(registration).is !== 'own') {
      reader.note(`${secretTitle(registration)}: the login was not tried: ${answer.why}`);
    }
    const why =
      eks?.is === 'unasked'
        ? eks.why
        : eks?.is === 'described' && eks.entry.is === 'unread' && registration.config?.login.by === 'eks'
          ? eks.entry.why
          : undefined;
    if (why !== undefined) {
      unasked.set(why, (unasked.get(why) ?? 0) + 1);
    }
  }
  for (const [reason, count] of unasked) {
    reader.note(`AWS about ${count} ${count === 1 ? 'cluster' : 'clusters'}: ${reason}`);
  }
}

function lookedAt(seen: readonly ObservedCluster[]): string {
  const greeted = seen.filter(({ handshake }) => handshake?.outcome === 'served').length;
  const entered = seen.filter(({ answer }) => answer.is === 'accepted').length;
  const described = seen.filter(({ eks }) => eks?.is === 'described').length;
  return `${seen.length} cluster Secrets; from this machine: ${greeted} TLS handshakes, ${entered} logins accepted; ${described} described by AWS`;
}

/** Clients of each region, made at the first question. */
function regional(clientsOf: NonNullable<ClustersCheckOptions['clientsOf']>): {
  readonly of: (region: string) => Pick<AwsClients, 'eks' | 'ec2'>;
  readonly close: () => void;
} {
  const made = new Map<string, Pick<AwsClients, 'eks' | 'ec2' | 'close'>>();
  return {
    of: (region) => {
      const found = made.get(region) ?? clientsOf({ region, maxAttempts: 2 });
      made.set(region, found);
      return found;
    },
    close: () => {
      for (const each of made.values()) {
        each.close();
      }
    },
  };
}
