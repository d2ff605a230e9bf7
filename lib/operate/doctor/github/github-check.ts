import { inTurn } from '../../../core/async';
import { leaseNamespace, canReadPodLogs } from '../../../core/kubernetes/api';
import type { PodLogs } from '../../../core/kubernetes/api';
import { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { proxyEnvironment } from '../../../core/proxy/environment';
import { opaque } from '../../../core/validation/arguments';
import { object, optional } from '../../../core/validation/collections';
import { callback, number } from '../../../core/validation/values';
import type { CheckReport, DoctorCheck, DoctorCheckKind, DoctorContext, DoctorFinding } from '../check';
import type { MeasuredClock } from './clock-verdict';
import { evaluatedSecret, sharedCredentials, withApp } from './credentials';
import type { SharedCredential } from './credentials';
import { diagnose } from './diagnosis';
import { GitHubUnreachable, nodeHttp, patiently, proxyRoute } from './http';
import type { GitHubHttp } from './http';
import { failuresByNode, nodeFindings } from './node-findings';
import type { Simulated } from './node-findings';
import {
  certificatesConfigMap,
  clocksOf,
  defaultLogLimits,
  logsOf,
  podsOf,
  secretsOf,
  serverCertificates,
} from './repo-server';
import type { LogLimits } from './repo-server';
import { requestToken, requestTokenWithClock } from './token';
import type { TokenOutcome, TokenRequest } from './token';

/** A credential and what came of asking with it. */
interface Asked {
  readonly shared: SharedCredential;
  readonly request: TokenRequest;
  readonly outcome: TokenOutcome;
}

/** From how many seconds on GitHub is asked; a clock that is right is no question. */
const leastSkew = 10;

/** Each is a token. */
const mostNodes = 5;

/**
 * Asks GitHub as nodes with these clocks would, with a credential that works from here: the farthest off ones, a few. The
 * API server's clock, which nodes are measured against, is taken for right.
 */
async function simulate(
  asked: readonly Asked[],
  clocks: readonly MeasuredClock[],
  http: GitHubHttp,
  context: Pick<DoctorContext, 'now' | 'signal'>,
): Promise<readonly Simulated[]> {
  const working = asked.find(({ outcome }) => outcome.granted !== undefined);
  if (!working) {
    return [];
  }
  const { request, outcome } = working;
  const off = clocks
    .filter(({ seconds }) => Math.abs(seconds) >= leastSkew)
    .sort((one, other) => Math.abs(other.seconds) - Math.abs(one.seconds))
    .slice(0, mostNodes);
  const simulated: Simulated[] = [];
  for (const { node, seconds } of off) {
    const right = context.now().getTime() - (outcome.ownSkewSeconds ?? 0) * 1000;
    try {
      const { status, message } = await requestTokenWithClock(
        request,
        http,
        new Date(right + seconds * 1000),
        context.signal,
      );
      simulated.push({ node, status, message });
    } catch (error) {
      if (!(error instanceof GitHubUnreachable)) {
        throw error;
      }
    }
  }
  return simulated;
}

/** Options of the check. */
export interface GitHubCheckOptions {
  /** Reads the repo-servers' logs. @default - the doctor's client, where it reads logs */
  readonly logs?: PodLogs;
  /** How much of each log is read. */
  readonly logLimits?: Partial<LogLimits>;
  /** The clocks of these nodes. @default - one heartbeat of each node that a repo-server runs on, good to about a second */
  readonly clocks?: (nodes: readonly string[]) => Promise<readonly MeasuredClock[]>;
  /** Asks GitHub. @default - Node.js's own HTTP, 10 s a try, three tries */
  readonly http?: GitHubHttp;
  /** Where `HTTPS_PROXY` and `NO_PROXY` are read, for Secrets without a proxy. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
}

const amount = optional(number('a number above 0', { above: 0 }));

const gitHubCheckOptions = object<GitHubCheckOptions>({
  logs: optional(opaque('what reads logs of pods')),
  logLimits: optional(
    object<Partial<LogLimits>>({
      sinceSeconds: amount,
      tailLines: amount,
      limitBytes: amount,
      timeout: amount,
    }),
  ),
  clocks: optional(callback),
  http: optional(opaque('what sends requests')),
  env: optional(proxyEnvironment),
});

/**
 * Asks GitHub for a token with each GitHub App that Argo CD has, as Argo CD does, and reads in the repo-servers' logs
 * whether theirs are refused, and on which nodes. No key and no token gets into a finding.
 */
export function githubCheck(options: GitHubCheckOptions = {}): DoctorCheck {
  return {
    name: 'github',
    title: 'GitHub Apps of repositories, and whether GitHub takes the tokens of each repo-server',
    layer: 'connections',
    needsArgoCd: true,
    access,
    examine: (context) => examine(context, options),
  };
}

/** The kind of it. */
export const github: DoctorCheckKind<GitHubCheckOptions> = {
  options: gitHubCheckOptions,
  create: githubCheck,
};

const access: DoctorCheck['access'] = (namespace) => [
  { apiGroups: [''], resources: ['secrets', 'pods'], verbs: ['list'], namespace },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'], namespace },
  {
    ...{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], namespace },
    resourceNames: [certificatesConfigMap],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'], namespace: leaseNamespace },
];

async function examine(context: DoctorContext, options: GitHubCheckOptions): Promise<CheckReport> {
  const { api, namespace, signal } = context;
  const http = options.http ?? patiently(nodeHttp());
  const limits = { ...defaultLogLimits, ...options.logLimits };
  const reader = new CarefulReader(api, signal);
  const secrets = await secretsOf(reader, namespace);
  const evaluated = withApp(secrets).map(evaluatedSecret);
  const shared = sharedCredentials(evaluated, secrets);
  const [asked, pods] = await Promise.all([
    askAll(shared, http, context, options, reader),
    podsOf(reader, namespace),
  ]);
  const logs = options.logs ?? (canReadPodLogs(api) ? api : undefined);
  const nodes = [...new Set(pods.map(({ node }) => node).filter(Boolean))];
  const [read, clocks] = await Promise.all([
    logsOf(logs, pods, limits, context, reader),
    options.clocks ? options.clocks(nodes) : clocksOf(reader, nodes),
  ]);
  const simulated = await simulate(asked, clocks, http, context);
  const worked = asked.map(({ outcome }) => outcome.granted !== undefined);
  const credentialFindings = [
    ...evaluated.flatMap(({ findings }) => findings),
    ...distinct(asked.flatMap((each) => credentialFindingsOf(each))),
  ];
  return {
    findings: [
      ...credentialFindings,
      ...nodeFindings(failuresByNode(read, clocks), {
        sinceSeconds: limits.sinceSeconds,
        simulated,
        ...(worked.length > 0 ? { credentialsWork: worked.every(Boolean) } : {}),
      }),
    ],
    looked: lookedAt(evaluated.length, shared.length, read.length),
    notChecked: reader.unseen,
  };
}

async function askAll(
  shared: readonly SharedCredential[],
  http: GitHubHttp,
  context: DoctorContext,
  { env = process.env }: GitHubCheckOptions,
  reader: CarefulReader,
): Promise<Asked[]> {
  const { namespace, concurrency, signal } = context;
  const certificates = shared.length === 0 ? {} : await serverCertificates(reader, namespace);
  let done = 0;
  return inTurn(
    shared,
    concurrency,
    async (each) => {
      const { credential, owner, repositories } = each;
      const route = proxyRoute(credential, certificates, env);
      const request = { credential, route, repositories, ...(owner === undefined ? {} : { owner }) };
      const outcome = await requestToken(request, http, () => context.now(), signal);
      done += 1;
      context.progress(`github: ${done} of ${shared.length} credentials`);
      return { shared: each, request, outcome };
    },
    signal,
  );
}

function credentialFindingsOf({ shared, request, outcome }: Asked): DoctorFinding[] {
  const { credential, route, owner } = request;
  const [first = '', ...others] = shared.secrets;
  const diagnosed = {
    credential,
    proxied: route.proxy !== undefined,
    ...(owner === undefined ? {} : { owner }),
  };
  return diagnose(diagnosed, outcome).map((diagnosis) => ({
    ...diagnosis,
    ...(diagnosis.cause === 'own-clock'
      ? { subject: 'This machine' }
      : { subject: `Secret ${first}`, names: shared.names }),
    evidence: [...diagnosis.evidence, ...(others.length > 0 ? [`the same in ${sample(others)}`] : [])],
  }));
}

/** This machine's clock is seen with every credential, and reported once. */
function distinct(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const own = findings.find(({ cause }) => cause === 'own-clock');
  return findings.filter((finding) => finding.cause !== 'own-clock' || finding === own);
}

function sample(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${names.slice(0, 5).join(', ')}${more}`;
}

function lookedAt(secrets: number, credentials: number, pods: number): string {
  const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;
  return `${count(secrets, 'Secret')} with a GitHub App, ${count(credentials, 'credential')} tried, logs of ${count(pods, 'repo-server pod')}`;
}
