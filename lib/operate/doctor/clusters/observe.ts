import { parseArn, awsRegion } from '../../../core/aws/arns';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import { environmentProxy } from '../../../core/proxy/environment';
import { redacted } from '../../../core/redaction';
import type { AskHandshake, Handshake } from '../../../core/tls';
import { isPlainObject } from '../../../core/validation/problems';
import { askCluster } from './ask-cluster';
import type { OpenCluster } from './ask-cluster';
import { regionOfEndpoint, tokenPlace, viewOfEks } from './eks';
import type { EksClients, EksView, MakeEksToken } from './eks';
import { servedFaults } from './login-findings';
import type { ApiAnswer, ObservedCluster } from './observed-cluster';
import { serverKind } from './registration';
import type { RegisteredClusterConfig, EksLogin, RegisteredCluster } from './registration';
import { registrationFindings } from './registration-findings';

/** What Argo CD's controller says of a cluster, as it meets it from where it runs. */
const aboutClusters =
  /cluster|x509|tls:|unauthorized|dial tcp|no such host|connection refused|i\/o timeout|deadline exceeded|credentials|forbidden|failed to load live state/i;

/**
 * Conditions of Applications that speak of a cluster, by its registration: Argo CD's own view.
 *
 * @returns at most three lines
 */
function toldOf(
  { name, server }: Pick<RegisteredCluster, 'name' | 'server'>,
  applications: readonly KubernetesObject[],
): readonly string[] {
  const lines = new Map<string, string>();
  for (const { metadata, spec, status } of applications) {
    const destination = isPlainObject(spec) && isPlainObject(spec.destination) ? spec.destination : {};
    const isMeant =
      (server !== '' &&
        typeof destination.server === 'string' &&
        destination.server.replace(/(?<!\/)\/+$/, '') === server) ||
      (name !== '' && destination.name === name);
    const conditions: readonly unknown[] =
      isMeant && isPlainObject(status) && Array.isArray(status.conditions) ? status.conditions : [];
    for (const condition of conditions) {
      if (
        isPlainObject(condition) &&
        condition.type === 'ComparisonError' &&
        typeof condition.message === 'string' &&
        aboutClusters.test(condition.message)
      ) {
        const message = redacted(condition.message);
        // Every Application of the cluster says the same.
        lines.set(message, `Argo CD itself reports (Application ${metadata.name}): ${message}`);
      }
    }
  }
  return [...lines.values()].slice(0, 3);
}

/** What says who asks; an empty one is anonymous. */
export interface ClusterCredential {
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM in base64. */
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * The configuration of a cluster Secret as a kubeconfig, with which this machine asks the cluster as Argo CD does. It holds
 * credentials, and is never written anywhere.
 */
function kubeconfigText(
  server: string,
  config: RegisteredClusterConfig,
  credential: ClusterCredential,
): string {
  const { insecure, caData, serverName, proxyUrl } = config;
  const { token, username, password, certificate, key } = credential;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'cluster',
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: 'argo-cd' } }],
    clusters: [
      {
        name: 'cluster',
        cluster: {
          server,
          'certificate-authority-data': caData,
          'tls-server-name': serverName,
          'proxy-url': proxyUrl,
          ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    users: [
      {
        name: 'argo-cd',
        user: {
          token,
          username,
          password,
          'client-certificate-data': certificate,
          'client-key-data': key,
        },
      },
    ],
  });
}

/** What an inspection of clusters works with. */
export interface ObserveContext {
  readonly ask: AskHandshake;
  readonly open: OpenCluster;
  readonly makeToken: MakeEksToken;
  /** Clients of AWS in a region. */
  readonly clients: (region: string) => EksClients;
  /** Applications of the hub. */
  readonly applications: readonly KubernetesObject[];
  readonly env: NodeJS.ProcessEnv;
  readonly now: number;
  readonly signal?: AbortSignal;
}

/** Inspects a registered cluster: its certificate, AWS's view of it, and whether it lets Argo CD in. */
export async function observeCluster(
  registration: RegisteredCluster,
  looking: ObserveContext,
): Promise<ObservedCluster> {
  const [handshake, eks] = await Promise.all([greeted(registration, looking), viewed(registration, looking)]);
  const answer = await answered(registration, handshake, eks, looking);
  return {
    registration,
    ...(handshake ? { handshake } : {}),
    answer,
    ...(eks ? { eks } : {}),
    told: toldOf(registration, looking.applications),
  };
}

/** Through a proxy, the proxy would answer. */
async function greeted(
  registration: RegisteredCluster,
  { ask, env, signal }: ObserveContext,
): Promise<Handshake | undefined> {
  const { config, server } = registration;
  const kind = serverKind(registration);
  if (kind.is !== 'url' || config?.proxyUrl !== undefined || environmentProxy(server, env) !== undefined) {
    return undefined;
  }
  const host = kind.url.hostname.replace(/^\[|\]$/g, '');
  return ask({ host, port: Number(kind.url.port || 443), serverName: config?.serverName ?? host }, signal);
}

async function viewed(
  registration: RegisteredCluster,
  { clients, signal }: ObserveContext,
): Promise<EksView | undefined> {
  const kind = serverKind(registration);
  if (kind.is === 'arn') {
    const { region = '', resource = '' } = parseArn(kind.arn) ?? {};
    return viewOfEks(clients(region), { clusterName: resource.split('/').at(-1) ?? '' }, region, signal);
  }
  const login = registration.config?.login;
  if (login?.by !== 'eks') {
    return undefined;
  }
  const region = login.region ?? regionOfEndpoint(registration.server);
  if (region === undefined) {
    return { is: 'unasked', why: 'the region of the cluster is not known: its address is none of EKS' };
  }
  // It becomes a part of the name of the host that is asked with this machine's credentials.
  return awsRegion.accepts(region)
    ? viewOfEks(clients(region), login, region, signal)
    : { is: 'unasked', why: 'the region in the Secret is no name of an AWS region' };
}

async function answered(
  registration: RegisteredCluster,
  handshake: Handshake | undefined,
  eks: EksView | undefined,
  looking: ObserveContext,
): Promise<ApiAnswer> {
  const { config, namespaces } = registration;
  const { open, signal, now } = looking;
  const kind = serverKind(registration);
  if (kind.is === 'own') {
    return untried('it is the cluster that Argo CD runs in');
  }
  const isFaulty = registrationFindings(registration, now).some(({ severity }) => severity === 'error');
  if (isFaulty || !config || kind.is !== 'url' || (handshake && handshake.outcome !== 'served')) {
    return untried('');
  }
  if (handshake && servedFaults(registration, config, handshake.chain, now).length > 0) {
    // No credentials for a server that may be another one.
    return untried('');
  }
  if (config.insecure) {
    return untried('credentials are not sent where the certificate is not verified (insecure)');
  }
  const { username, password, search, hash } = kind.url;
  if ([username, password, search, hash].some((each) => each !== '')) {
    return untried('its address holds more than host, port and path, as those of argocd-agent do');
  }
  const login = await loginTo(registration, config, eks, looking);
  return 'why' in login ? untried(login.why) : askCluster(open, login.kubeconfig, namespaces, signal);
}

/** @param why empty where a finding says it */
function untried(why: string): ApiAnswer {
  return { is: 'untried', why };
}

type Login = { readonly kubeconfig: string } | { readonly why: string };

/** The Secret's own credentials go where the Secret says; those of this machine only where AWS says. */
async function loginTo(
  { server }: RegisteredCluster,
  config: RegisteredClusterConfig,
  eks: EksView | undefined,
  looking: ObserveContext,
): Promise<Login> {
  const { login } = config;
  switch (login.by) {
    case 'token':
      return { kubeconfig: kubeconfigText(server, config, { token: login.token }) };
    case 'password': {
      const { username, password } = login;
      return { kubeconfig: kubeconfigText(server, config, { username, password }) };
    }
    case 'certificate': {
      const { certificate, key } = login;
      return { kubeconfig: kubeconfigText(server, config, { certificate, key }) };
    }
    case 'program':
      return {
        why: `the program "${redacted(login.command)}" is not run here: it is one of Argo CD's image`,
      };
    case 'nothing':
    case 'faulty':
      return { why: '' };
    case 'eks':
      return loginByRole(server, config, login, eks, looking);
  }
}

async function loginByRole(
  server: string,
  config: RegisteredClusterConfig,
  login: EksLogin,
  eks: EksView | undefined,
  { makeToken, env, signal }: ObserveContext,
): Promise<Login> {
  const { roleArn, profile } = login;
  if (profile !== undefined || roleArn === undefined) {
    return {
      why: "Argo CD logs in with credentials of its own pods (no roleARN, or a profile), which this machine doesn't have",
    };
  }
  const place = tokenPlace(server, config, eks, env);
  if ('why' in place || eks?.is !== 'described') {
    return 'why' in place ? place : { why: '' };
  }
  try {
    const token = await makeToken({ ...login, roleArn }, eks.cluster.region, signal);
    return { kubeconfig: kubeconfigText(place.server, { ...config, caData: place.caData }, { token }) };
  } catch (error) {
    signal?.throwIfAborted();
    return {
      why: `this machine can not take on ${redacted(roleArn)} (${redacted(error instanceof Error ? error.message : '')}); Argo CD's pods may`,
    };
  }
}
