import { readCertificates } from '../../../core/certificates/x509';
import type { DoctorFinding } from '../check';
import { lifeOf, subjectName, ownFaults, publicAuthorities, span, trustFault } from '../tls';
import type { CertificateFault } from '../tls';
import { fromHere } from './observed-cluster';
import type { ObservedCluster } from './observed-cluster';
import { serverKind, secretTitle } from './registration';
import type { RegisteredClusterConfig } from './registration';

/** Why Argo CD does not trust what a cluster serves. */
export function loginTrustFindings(
  { registration, handshake }: ObservedCluster,
  now: number,
): DoctorFinding[] {
  const { config } = registration;
  if (!config || handshake?.outcome !== 'served') {
    return [];
  }
  const [leaf] = handshake.chain;
  return servedFaults(registration, config, handshake.chain, now).map(({ cause, detail }) => ({
    severity: 'error',
    likelihood: 'certain',
    subject: secretTitle(registration),
    ...inWords(cause, detail, config),
    evidence: [
      `served: ${subjectName(leaf!.subject)}, issued by ${subjectName(leaf!.issuer)}, begun ${span(now - lifeOf(leaf!)[0])} ago (${fromHere})`,
    ],
  }));
}

function inWords(
  cause: CertificateFault['cause'],
  detail: string,
  { caData }: RegisteredClusterConfig,
): Pick<DoctorFinding, 'cause' | 'message' | 'next'> {
  if (cause === 'unknown-authority' && caData === undefined) {
    return {
      cause: 'ca-missing',
      message: 'the Secret has no caData, and no public authority signs what the API server serves',
      next: "put the cluster's certificate authority into tlsClientConfig.caData",
    };
  }
  if (cause === 'unknown-authority') {
    return {
      cause: 'ca-mismatch',
      message: `the API server is not signed by caData: what it serves ${detail}`,
      next: "put the cluster's certificate authority into tlsClientConfig.caData; if it should be right, see who answers at that address: another cluster, a proxy",
    };
  }
  return {
    cause,
    message: `the certificate of the API server ${detail}`,
    next:
      cause === 'wrong-names'
        ? 'set server to a name that the certificate carries, or tlsClientConfig.serverName to it'
        : 'check the certificates of the API server, and the clocks: run the check "clock"',
  };
}

/** Faults of what an API server serves, as Argo CD would find them: without `caData`, it trusts public authorities. */
export function servedFaults(
  registration: ObservedCluster['registration'],
  { insecure, caData, serverName }: RegisteredClusterConfig,
  chain: Parameters<typeof trustFault>[0],
  now: number,
): ReturnType<typeof ownFaults> {
  const server = serverKind(registration);
  const [leaf] = chain;
  if (insecure || server.is !== 'url' || !leaf) {
    return [];
  }
  const anchors =
    caData === undefined
      ? publicAuthorities()
      : readCertificates(Buffer.from(caData, 'base64').toString('latin1'));
  // That caData can't be read is a finding of its own.
  const trust = anchors.length === 0 ? undefined : trustFault(chain, anchors, now);
  const own = ownFaults(leaf, serverName ?? server.url.hostname.replace(/^\[|\]$/g, ''), now);
  return [...own, ...(trust ? [trust] : [])];
}

/** Whether the cluster lets Argo CD in, and what it may do there. */
export function loginFindings(seen: ObservedCluster): DoctorFinding[] {
  const { answer, registration } = seen;
  switch (answer.is) {
    case 'untried':
      return [];
    case 'refused':
      return [refused(seen, answer.message)];
    case 'failed':
      return [
        {
          cause: 'no-answer',
          severity: 'error',
          likelihood: 'likely',
          subject: secretTitle(registration),
          message: 'the API server can not be called with this configuration',
          evidence: [`${answer.message} (${fromHere})`, ...seen.told],
          next: 'fix what the message names; then run the check again',
        },
      ];
    case 'accepted':
      return rightsFindings(seen, answer);
  }
}

function refused({ registration, eks, told }: ObservedCluster, message: string): DoctorFinding {
  const login = registration.config?.login;
  const byRole = login?.by === 'eks';
  const entry = eks?.is === 'described' ? eks.entry : undefined;
  return {
    cause: 'login-refused',
    severity: 'error',
    likelihood: 'certain',
    subject: secretTitle(registration),
    message: byRole
      ? 'the cluster does not accept the token of the role that Argo CD takes on'
      : 'the cluster does not accept the credentials in the Secret',
    evidence: [
      `${message} (${fromHere})`,
      ...(login?.by === 'eks' ? [`role ${login.roleArn ?? ''}, cluster name ${login.clusterName}`] : []),
      ...(entry?.is === 'absent' ? ['AWS reports that the role has no access entry in the cluster'] : []),
      ...(entry?.is === 'there' ? ['AWS reports that the role has an access entry in the cluster'] : []),
      ...told,
    ],
    next: byRole
      ? 'give the role an access entry; if it has one, compare clusterName with the name of the cluster, and the clocks: run the check "clock"'
      : 'put credentials of this cluster into the Secret: the account, or the key that signed its token, may be gone',
  };
}

type Accepted = Extract<ObservedCluster['answer'], { is: 'accepted' }>;

function rightsFindings(
  { registration, told }: ObservedCluster,
  { rights, username }: Accepted,
): DoctorFinding[] {
  const { everything, deployments, write } = rights;
  const [namespace] = registration.namespaces;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const who = username === undefined ? [] : [`the cluster knows Argo CD as ${username}`];
  const found = (
    finding: Pick<DoctorFinding, 'cause' | 'severity' | 'message' | 'next' | 'likelihood'>,
  ): DoctorFinding => ({
    ...finding,
    subject: secretTitle(registration),
    evidence: [...who, `SelfSubjectAccessReview${where}, ${fromHere}`, ...told],
  });
  if (deployments === false) {
    return [
      found({
        cause: 'missing-rights',
        severity: 'error',
        likelihood: 'certain',
        message: `Argo CD may not list Deployments${where}: it can not compare anything`,
        next: 'give its account the right to read everything that it manages: for EKS, an access policy of its access entry',
      }),
    ];
  }
  if (everything === false) {
    return [
      found({
        cause: 'missing-rights',
        severity: 'warning',
        likelihood: 'possible',
        message: `Argo CD may not list every kind of object${where}: one that it meets and may not list fails the whole comparison`,
        next: 'let it list all kinds, or leave kinds out (resource.exclusions, resource.respectRBAC in argocd-cm)',
      }),
    ];
  }
  return write === false
    ? [
        found({
          cause: 'read-only',
          severity: 'info',
          likelihood: 'certain',
          message: `Argo CD may read and not write${where}`,
          next: 'right for a standby hub; else give it the right to write',
        }),
      ]
    : [];
}
