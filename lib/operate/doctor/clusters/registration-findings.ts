import { readCertificates } from '../../../core/certificates/x509';
import type { DoctorFinding } from '../check';
import { day, span } from '../tls';
import { serverKind, shownServer, secretTitle } from './registration';
import type { RegisteredClusterConfig, RegisteredCluster } from './registration';

/**
 * When a token ends, if it says so itself: those of service accounts are JWTs with `exp`.
 *
 * @returns milliseconds since 1970; undefined where it does not say
 */
function tokenEnd(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) {
    return undefined;
  }
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) && Math.abs(exp) < 8e12 ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

type Fault = Omit<DoctorFinding, 'subject' | 'likelihood' | 'evidence'> & {
  readonly evidence?: readonly string[];
};

/** What is wrong with a cluster Secret by itself: no cluster has to be asked for it. */
export function registrationFindings(registration: RegisteredCluster, now: number): DoctorFinding[] {
  const { config, faults } = registration;
  const found: Fault[] = [
    ...serverFaults(registration),
    ...(faults.length > 0
      ? [
          {
            cause: 'config-unreadable',
            severity: 'error' as const,
            message: 'Argo CD can not read the configuration',
            evidence: faults,
            next: 'write the key config of the Secret anew: JSON as Argo CD documents it for clusters',
          },
        ]
      : []),
    ...(config && serverKind(registration).is === 'url' ? configFaults(config, now) : []),
  ];
  return found.map((fault) => ({
    evidence: [],
    ...fault,
    subject: secretTitle(registration),
    likelihood: 'certain',
  }));
}

function serverFaults(registration: RegisteredCluster): Fault[] {
  return serverKind(registration).is === 'faulty'
    ? [
        {
          cause: 'server-faulty',
          severity: 'error',
          message:
            registration.server === ''
              ? 'the Secret names no server'
              : 'the server of the Secret is no https URL and no ARN of an EKS cluster',
          next: 'set the key server to the URL of the API server',
        },
      ]
    : [];
}

function configFaults(config: RegisteredClusterConfig, now: number): Fault[] {
  return [...loginFaults(config, now), ...tlsFaults(config), ...otherFaults(config)];
}

function loginFaults({ login }: RegisteredClusterConfig, now: number): Fault[] {
  if (login.by === 'faulty') {
    return [
      {
        cause: 'login-faulty',
        severity: 'error',
        message: `Argo CD can not log in: ${login.why}`,
        next: 'keep one way to log in',
      },
    ];
  }
  if (login.by === 'nothing') {
    return [
      {
        cause: 'no-login',
        severity: 'error',
        message: 'the configuration holds no way to log in: Argo CD connects as system:anonymous',
        next: 'add awsAuthConfig (EKS), execProviderConfig, bearerToken, or certData with keyData',
      },
    ];
  }
  const end = login.by === 'token' ? tokenEnd(login.token) : undefined;
  if (end === undefined) {
    return [];
  }
  if (end <= now) {
    return [
      {
        cause: 'token-expired',
        severity: 'error',
        message: `the token in the Secret expired on ${day(end)}, ${span(now - end)} ago`,
        next: 'put a new token into the Secret, or log in by awsAuthConfig or execProviderConfig, which store none',
      },
    ];
  }
  return end - now < 7 * 86_400_000
    ? [
        {
          cause: 'token-ends-soon',
          severity: 'warning',
          message: `the token in the Secret ends on ${day(end)}, in ${span(end - now)}, and Argo CD does not renew it`,
          next: 'put a new token into the Secret, or log in by awsAuthConfig or execProviderConfig, which store none',
        },
      ]
    : [];
}

function tlsFaults({ insecure, caData = '' }: RegisteredClusterConfig): Fault[] {
  if (insecure && caData !== '') {
    return [
      {
        cause: 'insecure-with-ca',
        severity: 'error',
        message: 'insecure and caData exclude each other: Argo CD can make no client of it',
        evidence: ['client-go: specifying a root certificates file with the insecure flag is not allowed'],
        next: 'set tlsClientConfig.insecure to false and keep caData',
      },
    ];
  }
  if (insecure) {
    return [
      {
        cause: 'insecure',
        severity: 'warning',
        message: 'any certificate will do: whoever is on the way can take the credentials',
        next: "set tlsClientConfig.caData to the cluster's certificate authority, and insecure to false",
      },
    ];
  }
  if (caData !== '' && readCertificates(Buffer.from(caData, 'base64').toString('latin1')).length === 0) {
    return [
      {
        cause: 'ca-unreadable',
        severity: 'error',
        message: 'caData holds no certificate in PEM',
        next: 'write the PEM of the certificate authority in base64, once: the data of a Secret is encoded a second time',
      },
    ];
  }
  return [];
}

function otherFaults({ proxyUrl, unknown }: RegisteredClusterConfig): Fault[] {
  const proxy = proxyUrl !== undefined && !/^(?:https?|socks5):\/\/./.test(proxyUrl);
  return [
    ...(proxy
      ? [
          {
            cause: 'proxy-faulty',
            severity: 'error' as const,
            message: 'proxyUrl is no URL that begins with http://, https:// or socks5://',
            next: 'fix proxyUrl, or remove it',
          },
        ]
      : []),
    ...(unknown.length > 0
      ? [
          {
            cause: 'unknown-field',
            severity: 'info' as const,
            message: `Argo CD does not know ${unknown
              .slice(0, 5)
              .map((each) => `"${each.slice(0, 60)}"`)
              .join(', ')} in the configuration, and leaves it out`,
            next: 'check the spelling, and in which object the field belongs',
          },
        ]
      : []),
  ];
}

/** What several Secrets do to each other. */
export function duplicateFindings(registrations: readonly RegisteredCluster[]): DoctorFinding[] {
  return [
    ...twins(registrations, 'server', ({ server }) => server.toLowerCase()).map((group) => ({
      ...shared(group),
      cause: 'same-server',
      message: `${group.length} Secrets register the same server, and Argo CD takes any of them`,
      evidence: group.map((each) => `${secretTitle(each)}: name "${each.name}", server ${shownServer(each)}`),
      next: 'delete all but one; if they differ in namespaces or project, put that into one',
    })),
    ...twins(registrations, 'name', ({ name }) => name).map((group) => ({
      ...shared(group),
      cause: 'same-name',
      message: `${group.length} Secrets register clusters named "${group[0]!.name}": Applications with that destination.name end in an error`,
      evidence: group.map((each) => `${secretTitle(each)}: server ${shownServer(each)}`),
      next: 'give each cluster a name of its own',
    })),
  ];
}

function shared(
  group: readonly RegisteredCluster[],
): Pick<DoctorFinding, 'severity' | 'likelihood' | 'subject'> {
  return { severity: 'error', likelihood: 'certain', subject: group.map(secretTitle).join(' and ') };
}

/** Groups of registrations that share a key and lie in one namespace; a pair that shares both is reported once. */
function twins(
  registrations: readonly RegisteredCluster[],
  by: 'server' | 'name',
  keyOf: (registration: RegisteredCluster) => string,
): readonly RegisteredCluster[][] {
  const groups = new Map<string, RegisteredCluster[]>();
  for (const each of registrations) {
    if (keyOf(each) !== '') {
      groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
    }
  }
  return [...groups.values()].filter(
    (group) =>
      group.length > 1 &&
      (by === 'server' || new Set(group.map(({ server }) => server.toLowerCase())).size > 1),
  );
}
