import type { KubernetesObject } from '../../kubernetes';
import { environmentProxy } from '../../proxies';
import { arnParts, awsRegion } from '../../aws';
import { shown } from '../redaction';
import type { AskHandshake, Handshake } from '../handshake';
import type { OpenCluster } from './ask-cluster';
import { askCluster } from './ask-cluster';
import type { ClusterConfig, EksLogin } from './cluster-config';
import type { MakeEksToken } from './eks-token';
import { regionOfEndpoint } from './eks-token';
import type { EksClients, EksView } from './eks-view';
import { viewOfEks } from './eks-view';
import { kubeconfigText } from './kubeconfig-text';
import { servedFaults } from './login-findings';
import type { Registration } from './registration';
import { serverKind } from './registration';
import { registrationFindings } from './registration-findings';
import type { ApiAnswer, SeenCluster } from './seen-cluster';
import { tokenPlace } from './token-place';
import { toldOf } from './told';

/** What a look at clusters works with. */
export interface Looking {
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

/** Looks at a registered cluster: its certificate, AWS's view of it, and whether it lets Argo CD in. */
export async function seeCluster(registration: Registration, looking: Looking): Promise<SeenCluster> {
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
  registration: Registration,
  { ask, env, signal }: Looking,
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
  registration: Registration,
  { clients, signal }: Looking,
): Promise<EksView | undefined> {
  const kind = serverKind(registration);
  if (kind.is === 'arn') {
    const { region = '', resource = '' } = arnParts(kind.arn) ?? {};
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
  registration: Registration,
  handshake: Handshake | undefined,
  eks: EksView | undefined,
  looking: Looking,
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
  { server }: Registration,
  config: ClusterConfig,
  eks: EksView | undefined,
  looking: Looking,
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
      return { why: `the program "${shown(login.command)}" is not run here: it is one of Argo CD's image` };
    case 'nothing':
    case 'faulty':
      return { why: '' };
    case 'eks':
      return loginByRole(server, config, login, eks, looking);
  }
}

async function loginByRole(
  server: string,
  config: ClusterConfig,
  login: EksLogin,
  eks: EksView | undefined,
  { makeToken, env, signal }: Looking,
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
      why: `this machine can not take on ${shown(roleArn)} (${shown(error instanceof Error ? error.message : '')}); Argo CD's pods may`,
    };
  }
}
