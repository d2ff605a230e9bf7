import { readCertificates } from '../../../core/certificates/x509';
import type { DoctorFinding } from '../check';
import type { AccessEntryView, EksDescription } from './eks';
import { closedGroups } from './network-findings';
import type { ObservedCluster } from './observed-cluster';
import { serverKind, shownServer, secretTitle } from './registration';

type Fault = Omit<DoctorFinding, 'subject'>;

/** What AWS's view of a cluster shows. */
export function eksFindings(seen: ObservedCluster, hubAddresses: readonly string[]): DoctorFinding[] {
  const { eks, registration } = seen;
  const faults: Fault[] =
    eks?.is === 'absent'
      ? [
          {
            cause: 'cluster-absent',
            severity: 'error',
            likelihood: 'likely',
            message: `AWS knows no EKS cluster ${eks.name} in ${eks.region}`,
            evidence: [
              'requested with the credentials of this machine, which may be those of another account',
            ],
            next: 'if the cluster is gone, delete the Secret once its Applications are; else fix the name',
          },
        ]
      : eks?.is === 'described'
        ? [
            ...clusterFaults(seen, eks.cluster),
            ...entryFaults(eks.cluster, eks.entry),
            ...groupFaults(seen, eks.cluster, hubAddresses),
          ]
        : [];
  return faults.map((fault) => ({ ...fault, subject: secretTitle(registration) }));
}

function clusterFaults({ registration, handshake }: ObservedCluster, cluster: EksDescription): Fault[] {
  const { name, account, status, endpoint, certificateAuthority } = cluster;
  const login = registration.config?.login;
  const roleAccount =
    login?.by === 'eks' ? /^arn:[^:]+:iam::(\d{12}):/.exec(login.roleArn ?? '')?.[1] : undefined;
  const server = serverKind(registration);
  const seenAs = [`EKS cluster ${name} of account ${account}: status ${status}`];
  if (server.is === 'url' && endpoint !== undefined && !sameHost(server.url, endpoint)) {
    // A role of another account may mean a cluster of that account, with the same name.
    const isElsewhere = roleAccount !== undefined && roleAccount !== account;
    return [
      {
        cause: 'server-mismatch',
        severity: handshake?.outcome === 'served' ? 'warning' : 'error',
        likelihood: isElsewhere ? 'possible' : 'likely',
        message: `the Secret names another address than the endpoint of EKS cluster ${name}`,
        evidence: [`the Secret: ${shownServer(registration)}; AWS: ${endpoint}`, ...seenAs],
        next: isElsewhere
          ? `try credentials of account ${roleAccount}: the cluster of that name there may be the one that is meant`
          : "write the cluster's endpoint and certificate authority into the Secret: it may have been made anew",
      },
    ];
  }
  const held = readCertificates(decoded(registration.config?.caData));
  const own = readCertificates(decoded(certificateAuthority));
  const known = held.map((each) => each.fingerprint256);
  return [
    ...(status === 'ACTIVE' || status === 'UPDATING'
      ? []
      : [
          {
            cause: 'cluster-not-active',
            severity: 'warning' as const,
            likelihood: 'certain' as const,
            message: `the cluster is ${status}`,
            evidence: seenAs,
            next: 'wait until it is ACTIVE; if it is being deleted, delete the Secret once its Applications are gone',
          },
        ]),
    ...(held.length > 0 && own.length > 0 && !own.some((each) => known.includes(each.fingerprint256))
      ? [
          {
            cause: 'ca-mismatch',
            severity: 'error' as const,
            likelihood: 'certain' as const,
            message: `caData is not the certificate authority of EKS cluster ${name}`,
            evidence: seenAs,
            next: "put the cluster's certificateAuthority.data into tlsClientConfig.caData",
          },
        ]
      : []),
  ];
}

function entryFaults({ name, authenticationMode }: EksDescription, entry: AccessEntryView): Fault[] {
  if (entry.is === 'absent') {
    const isOnly = authenticationMode === 'API';
    return [
      {
        cause: 'no-access-entry',
        severity: isOnly ? 'error' : 'warning',
        likelihood: isOnly ? 'certain' : 'possible',
        message: `the role that Argo CD takes on has no access entry in EKS cluster ${name}`,
        evidence: [
          `authentication mode ${authenticationMode || 'unknown'}${isOnly ? '' : ': the ConfigMap aws-auth of the cluster may still name the role'}`,
        ],
        next: 'make an access entry of type STANDARD for the role, with the access policy that it needs',
      },
    ];
  }
  return entry.is === 'there' && entry.policies.length === 0 && entry.groups.length === 0
    ? [
        {
          cause: 'access-entry-without-rights',
          severity: 'warning',
          likelihood: 'likely',
          message: `the access entry in EKS cluster ${name} has neither an access policy nor a group`,
          evidence: ['only RBAC bindings for its user name could give it rights'],
          next: 'associate an access policy with it, such as AmazonEKSClusterAdminPolicy',
        },
      ]
    : [];
}

/** Where the handshake failed, another finding has it already. */
function groupFaults(
  { handshake }: ObservedCluster,
  cluster: EksDescription,
  hubAddresses: readonly string[],
): Fault[] {
  const closed = closedGroups(cluster, hubAddresses);
  return closed && (!handshake || handshake.outcome === 'served')
    ? [
        {
          cause: 'security-group-closed',
          severity: 'warning',
          likelihood: 'possible',
          message: `the private endpoint of EKS cluster ${cluster.name} may be closed for nodes of the hub`,
          evidence: closed,
          next: "let the hub's node security group, or its network, in on port 443",
        },
      ]
    : [];
}

function sameHost(url: URL, endpoint: string): boolean {
  return URL.canParse(endpoint) && new URL(endpoint).host === url.host;
}

function decoded(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}
