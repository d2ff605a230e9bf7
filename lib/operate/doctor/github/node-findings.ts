import type { DoctorFinding } from '../check';
import { clockVerdict, skewText } from './clock-verdict';
import type { MeasuredClock } from './clock-verdict';
import type { ReadPod } from './repo-server';

/** What GitHub said of a token that was made as a node would make it now. */
export interface Simulated {
  readonly node: string;
  /** 201 where it gave one. */
  readonly status: number;
  readonly message: string;
}

/** What is known beside the logs. */
export interface NodeContext {
  /** How far back the logs were read, in seconds. */
  readonly sinceSeconds: number;
  readonly simulated: readonly Simulated[];
  /** Whether every credential got a token from here: then it is not the credential that is refused. @default - none was asked for */
  readonly credentialsWork?: boolean;
}

/** What the logs of the repo-servers and the clocks of their nodes say, a finding a node. */
export function nodeFindings(nodes: readonly NodeFailures[], surroundings: NodeContext): DoctorFinding[] {
  const refused = nodes.filter((node) => node.refused > 0);
  const someAreFine = refused.length < nodes.length;
  return [
    ...nodes.flatMap((node) => clockFinding(node, nodes, someAreFine, surroundings)),
    ...(refused.length > 0 && !someAreFine ? everywhere(refused, surroundings) : []),
    ...nodes.flatMap((node) => wayFindings(node, nodes, surroundings)),
    ...otherAnswers(nodes, surroundings),
  ];
}

/**
 * A node whose own pods alone are refused has a wrong clock, as a rule: the credential is the same for all. A clock that is
 * known to be off is enough by itself, also where a token that is still good hides it.
 */
function clockFinding(
  node: NodeFailures,
  all: readonly NodeFailures[],
  someAreFine: boolean,
  surroundings: NodeContext,
): DoctorFinding[] {
  const { clock, refused } = node;
  const verdict = clock && clockVerdict(clock.seconds, clock.uncertainty);
  const simulated = surroundings.simulated.find((each) => each.node === node.node);
  const off = verdict === 'fast' || verdict === 'slow' || simulated?.status === 401;
  if (!off && !(refused > 0 && someAreFine)) {
    return [];
  }
  const isRight = verdict === 'accepted';
  const direction = clock ? (clock.seconds > 0 ? 'fast' : 'slow') : undefined;
  const measured = clock ? `its clock is ${skewText(clock.seconds)}` : undefined;
  const evidence = [
    ...(measured ? [measured] : ['its clock was not measured']),
    ...(simulated ? [simulation(simulated)] : []),
    ...podLines(node, surroundings),
    ...others(node, all, surroundings),
  ];
  const pods = node.pods.map(({ name }) => name).join(', ');
  const names = [node.node, ...node.pods.map(({ name }) => name)];
  const base = { subject: `Node ${node.node}`, names, severity: 'error' as const, evidence };
  if (off) {
    return [
      {
        ...base,
        cause: `clock-${direction ?? 'off'}`,
        likelihood: refused > 0 || simulated?.status === 401 ? 'certain' : 'likely',
        message: `GitHub refuses tokens that are made here, by ${pods}: the clock is too ${direction ?? 'far off'}; up to 30 s fast and 90 s slow would do`,
        next: 'Fix the time service of the node (NTP), or replace the node; cordon it until then and move the repo-server away.',
      },
    ];
  }
  return [
    {
      ...base,
      cause: 'refused-on-one-node',
      likelihood: isRight ? 'possible' : 'likely',
      message: !isRight
        ? 'GitHub refuses tokens that are made here and takes those of other nodes: its clock is wrong, as a rule'
        : 'GitHub refused tokens that were made here and took those of other nodes, but its clock is right by now',
      next: !isRight
        ? 'Measure the clocks: cluster-canary doctor clock. Then fix the time service of the node, or replace it.'
        : 'Look whether its time service corrected the clock lately, and whether the 401s have ended.',
    },
  ];
}

function everywhere(refused: readonly NodeFailures[], surroundings: NodeContext): DoctorFinding[] {
  const { credentialsWork } = surroundings;
  const pods = refused.reduce((total, node) => total + node.pods.length, 0);
  return [
    {
      cause: 'refused-everywhere',
      severity: credentialsWork === false ? 'info' : 'warning',
      likelihood: 'possible',
      subject: 'Repo-server',
      message:
        credentialsWork === false
          ? 'GitHub refuses the tokens of every repo-server pod, which a credential that is wrong explains'
          : `GitHub refused tokens of ${pods === 1 ? 'the only repo-server pod' : `all ${pods} repo-server pods`}`,
      evidence: refused.flatMap((node) => podLines(node, surroundings)),
      next:
        credentialsWork === false
          ? 'Fix the credential first.'
          : credentialsWork
            ? 'The credentials work from here: look whether one was corrected lately, and measure the clocks: cluster-canary doctor clock.'
            : 'Compare with the credentials, and measure the clocks: cluster-canary doctor clock.',
    },
  ];
}

const ways = [
  [
    'certificate',
    'pod-certificate',
    "the certificate of GitHub's API is not accepted by the repo-server",
    'Put the authority that signed it into the ConfigMap argocd-tls-certs-cm, under the host name of the API.',
  ],
  [
    'proxy',
    'pod-proxy',
    'the proxy does not lead the repo-server to GitHub',
    'Check the proxy of the Secret, or HTTPS_PROXY and NO_PROXY of the repo-server.',
  ],
  [
    'unreachable',
    'pod-unreachable',
    "the repo-server did not reach GitHub's API",
    'Check DNS, routes, network policies and the proxy of the node.',
  ],
] as const;

function wayFindings(
  node: NodeFailures,
  all: readonly NodeFailures[],
  { sinceSeconds }: NodeContext,
): DoctorFinding[] {
  return ways.flatMap(([count, cause, message, next]) =>
    node[count] === 0
      ? []
      : [
          {
            cause,
            severity: 'warning',
            likelihood: 'certain',
            subject: `Node ${node.node}`,
            message,
            evidence: [
              `${lines(node[count])} of ${node.pods.map(({ name }) => name).join(', ')} in the last ${period(sinceSeconds)}`,
              ...(all.some((other) => other[count] === 0) ? ['repo-servers on other nodes have none'] : []),
            ],
            next,
          },
        ],
  );
}

/** Answers of GitHub that no clock explains: an installation that is gone or suspended, too many calls, a failure. */
function otherAnswers(nodes: readonly NodeFailures[], surroundings: NodeContext): DoctorFinding[] {
  const { credentialsWork, sinceSeconds } = surroundings;
  const evidence = nodes
    .flatMap(({ pods }) => pods)
    .flatMap(({ name, node, failures }) =>
      Object.entries(failures.otherStatuses).map(
        ([status, count]) =>
          `${name} on ${node}: ${lines(count)} with ${status} in the last ${period(sinceSeconds)}`,
      ),
    );
  if (evidence.length === 0) {
    return [];
  }
  return [
    {
      cause: 'pod-refused',
      severity: credentialsWork === false ? 'info' : 'warning',
      likelihood: 'certain',
      subject: 'Repo-server',
      message: 'GitHub gave repo-servers no token, for a reason other than 401',
      evidence: evidence.slice(0, 10),
      next:
        credentialsWork === false
          ? 'Fix the credential first.'
          : '403 and 429 are limits of calls, or a suspended installation; 404 is an installation that is not there; 5xx is GitHub. Try again while it lasts.',
    },
  ];
}

function simulation({ status, message }: Simulated): string {
  return status === 201
    ? 'a token that was requested by its clock was issued'
    : `a token that was requested by its clock: ${status} "${message}"`;
}

function podLines({ pods, node }: NodeFailures, { sinceSeconds }: NodeContext): string[] {
  return pods.map((pod) => `${pod.name} on ${node}: ${counted(pod)} in the last ${period(sinceSeconds)}`);
}

function counted({ failures, cut }: ReadPod): string {
  const { refused, installations, git } = failures;
  const of = installations.length > 0 ? ` (installations ${installations.slice(0, 5).join(', ')})` : '';
  return `${cut ? 'at least ' : ''}${lines(refused)} with 401${of}${git > 0 ? `, ${git} of git being refused` : ''}`;
}

function others(node: NodeFailures, all: readonly NodeFailures[], { sinceSeconds }: NodeContext): string[] {
  return all
    .filter((other) => other !== node)
    .map(
      (other) =>
        `on ${other.node}: ${lines(other.refused)} with 401 in the last ${period(sinceSeconds)}${other.clock ? `, clock ${skewText(other.clock.seconds)}` : ''}`,
    )
    .slice(0, 10);
}

function lines(number: number): string {
  return number === 0 ? 'no line' : number === 1 ? '1 line' : `${number} lines`;
}

function period(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** What the repo-servers of one node wrote. */
interface NodeFailures {
  readonly node: string;
  readonly pods: readonly ReadPod[];
  /** Lines with 401. */
  readonly refused: number;
  readonly certificate: number;
  readonly proxy: number;
  readonly unreachable: number;
  readonly git: number;
  /** @default - not known */
  readonly clock?: MeasuredClock;
}

/** Puts logs and clocks together by node. */
export function failuresByNode(
  pods: readonly ReadPod[],
  clocks: readonly MeasuredClock[],
): readonly NodeFailures[] {
  const clockOf = new Map(clocks.map((clock) => [clock.node, clock]));
  const nodes = [...new Set(pods.map(({ node }) => node))].sort();
  return nodes.map((node) => {
    const own = pods.filter((pod) => pod.node === node);
    const sum = (count: 'refused' | 'certificate' | 'proxy' | 'unreachable' | 'git'): number =>
      own.reduce((total, { failures }) => total + failures[count], 0);
    const clock = clockOf.get(node);
    return {
      node,
      pods: own,
      refused: sum('refused'),
      certificate: sum('certificate'),
      proxy: sum('proxy'),
      unreachable: sum('unreachable'),
      git: sum('git'),
      ...(clock ? { clock } : {}),
    };
  });
}
