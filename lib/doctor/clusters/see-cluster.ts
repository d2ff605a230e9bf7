import type { KubernetesObject } from '../../kubernetes';
import { environmentProxy } from '../../kubernetes';
import { arnParts } from '../../aws';
import { shown } from '../redaction';
import type { AskHandshake, Handshake } from '../handshake';
import type { OpenCluster } from './ask-cluster';
import { askCluster } from './ask-cluster';
import type { ClusterConfig } from './cluster-config';
import type { MakeEksToken } from './eks-token';
import { regionOfEndpoint } from './eks-token';
import type { EksClients, EksView } from './eks-view';
import { viewOfEks } from './eks-view';
import type { ClusterCredential } from './kubeconfig-text';
import { kubeconfigText } from './kubeconfig-text';
import { servedFaults } from './login-findings';
import type { Registration } from './registration';
import { serverKind } from './registration';
import { registrationFindings } from './registration-findings';
import type { ApiAnswer, SeenCluster } from './seen-cluster';
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
  const answer = await answered(registration, handshake, looking);
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
  return region === undefined
    ? { is: 'unasked', why: 'the region of the cluster is not known: its address is none of EKS' }
    : viewOfEks(clients(region), login, region, signal);
}

async function answered(
  registration: Registration,
  handshake: Handshake | undefined,
  looking: Looking,
): Promise<ApiAnswer> {
  const { config, server, namespaces } = registration;
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
  const credential = await credentialOf(config, server, looking);
  return 'why' in credential
    ? untried(credential.why)
    : askCluster(open, kubeconfigText(server, config, credential), namespaces, signal);
}

/** @param why empty where a finding says it */
function untried(why: string): ApiAnswer {
  return { is: 'untried', why };
}

async function credentialOf(
  { login }: ClusterConfig,
  server: string,
  { makeToken, signal }: Looking,
): Promise<ClusterCredential | { readonly why: string }> {
  switch (login.by) {
    case 'token':
      return { token: login.token };
    case 'password':
      return { username: login.username, password: login.password };
    case 'certificate':
      return { certificate: login.certificate, key: login.key };
    case 'program':
      return { why: `the program "${shown(login.command)}" is not run here: it is one of Argo CD's image` };
    case 'nothing':
    case 'faulty':
      return { why: '' };
    case 'eks': {
      const { roleArn, profile } = login;
      const region = login.region ?? regionOfEndpoint(server);
      if (profile !== undefined || roleArn === undefined) {
        return {
          why: "Argo CD logs in with credentials of its own pods (no roleARN, or a profile), which this machine doesn't have",
        };
      }
      if (region === undefined) {
        return { why: 'the region of the cluster is not known: its address is none of EKS' };
      }
      try {
        return { token: await makeToken({ ...login, roleArn }, region, signal) };
      } catch (error) {
        signal?.throwIfAborted();
        return {
          why: `this machine can not take on ${roleArn} (${shown(error instanceof Error ? error.message : '')}); Argo CD's pods may`,
        };
      }
    }
  }
}
