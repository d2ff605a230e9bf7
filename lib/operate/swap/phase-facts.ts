import { formatDuration, parseDuration } from '../../core/durations';
import { isPlainObject } from '../../core/validation/problems';
import { namedChecks } from '../../shift/checks';
import type { CheckSettings } from '../../shift/checks';
import type { CheckedPlanFile } from '../../shift/plan-file';
import type { RouteSettings } from '../../shift/routers';
import { drainTimes } from '../drain';
import type { CheckedSwapFile } from './file/swap-file';
import { swapPhases } from './phases';
import type { SwapPhase } from './phases';
import { askedSubjects } from './phases/ready';
import type { FleetProgram } from './program';
import { shownLine } from './programs/run-command';

/**
 * What a fact of a phase is about.
 *
 * - `subjects`, `manifests`, `hubs`: what `ready` asks and reads, and the hubs that have to answer there.
 * - `failOn`, `allow`: the least severity that fails `ready`, and ids of findings that are accepted.
 * - `deploys`: how the program deploys what the phase changes; `waitsFor`: how it is known that a pipeline has deployed it.
 * - `resumes`, `pauses`: hubs whose Argo CD may deploy to the cluster again, or leaves it alone from then on.
 * - `checks`: names of the checks that are asked; `every`: how often.
 * - `healthy`: the targets that the new slot needs.
 * - `traffic`: what becomes of the weights, or of the right to write of hubs, and by whom.
 * - `plan`: the plan file of the shift; `routes`: what holds the weights.
 * - `idleFor`: how long the old slot must have had no traffic.
 * - `deletes`, `volumes`, `sweep`: what goes from the old cluster, and in AWS.
 */
export type PhaseFactName =
  | 'subjects'
  | 'manifests'
  | 'hubs'
  | 'failOn'
  | 'allow'
  | 'deploys'
  | 'waitsFor'
  | 'resumes'
  | 'pauses'
  | 'checks'
  | 'every'
  | 'healthy'
  | 'traffic'
  | 'plan'
  | 'routes'
  | 'idleFor'
  | 'deletes'
  | 'volumes'
  | 'sweep';

/** One thing that a phase looks at or does. */
export interface PhaseFact {
  readonly name: PhaseFactName;
  /** Names, or plain words. Where there are none, there is none of it: no checks, say. */
  readonly values: readonly string[];
}

/** What is known beside the swap file. */
export interface KnownBeside {
  /** The program, opened. */
  readonly program: Pick<FleetProgram, 'name' | 'commit'>;
  /** The plan of `shift`. @default - the file names none, or it can't be read yet */
  readonly plan?: CheckedPlanFile;
}

/** What each phase of a swap looks at and does, in the order in which it does so; nothing of one that is left out. */
export function phaseFacts(
  swap: CheckedSwapFile,
  { program, plan }: KnownBeside,
): Readonly<Record<SwapPhase, readonly PhaseFact[]>> {
  const deploys = deploymentFacts(swap, program);
  const { phases } = swap;
  const byPlan = phases.shift?.plan;
  const facts: Readonly<Record<SwapPhase, readonly PhaseFact[]>> = {
    ready: readyFacts(swap),
    create: [
      ...deploys,
      ...(byPlan === undefined ? [] : [fact('traffic', `puts the new slot on the routes of ${byPlan}`)]),
    ],
    deliver: [...some('resumes', hubNames(swap)), checkFact(phases.deliver?.checks)],
    try: [checkFact(phases.try?.checks)],
    prescale: [
      fact('healthy', `${phases.prescale?.healthy ?? 50} % of the targets that the old slot has, at least 1`),
      fact('routes', swap.route ? routerName(swap.route) : "those of the fleet's tagged target groups"),
    ],
    shift: shiftFacts(swap, deploys, plan),
    soak: [
      checkFact(phases.soak?.checks),
      fact('every', formatDuration(parseDuration(phases.soak?.every ?? '5m')!)),
    ],
    drain: drainFacts(swap),
    delete: [
      ...(byPlan === undefined
        ? []
        : [fact('traffic', 'takes the old slot off every rule and listener of the fleet')]),
      ...deploys,
    ],
  };
  const isLeftOut = (phase: SwapPhase): boolean =>
    (phases[phase] as { readonly skip?: boolean } | undefined)?.skip === true;
  return Object.fromEntries(
    swapPhases.map((phase) => [phase, isLeftOut(phase) ? [] : facts[phase]]),
  ) as Readonly<Record<SwapPhase, readonly PhaseFact[]>>;
}

function fact(name: PhaseFactName, ...values: readonly string[]): PhaseFact {
  return { name, values };
}

/** Nothing is said of what there is none of. */
function some(name: PhaseFactName, values: readonly string[] = []): readonly PhaseFact[] {
  return values.length === 0 ? [] : [{ name, values }];
}

function readyFacts(swap: CheckedSwapFile): readonly PhaseFact[] {
  const { subjects, manifests, allow, failOn = 'error' } = swap.phases.ready ?? {};
  return [
    ...some('hubs', hubNames(swap)),
    fact('subjects', ...askedSubjects(subjects).map(({ name }) => name)),
    ...some('manifests', manifests),
    fact('failOn', failOn),
    ...some('allow', allow),
  ];
}

function deploymentFacts(
  { program: settings }: CheckedSwapFile,
  { name, commit }: KnownBeside['program'],
): readonly PhaseFact[] {
  if (commit) {
    const { by, repository, branch, file } = commit;
    const way = by === 'push' ? 'a push' : 'a pull request, which a person merges,';
    return [
      fact('deploys', `${way} to ${branch} of ${repository}, file ${file}`),
      ...('git' in settings ? [fact('waitsFor', deployedText(settings.git.deployed))] : []),
    ];
  }
  return [fact('deploys', 'pulumi' in settings ? `pulumi up of the ${name}` : name)];
}

function deployedText(
  deployed: Extract<CheckedSwapFile['program'], { git: unknown }>['git']['deployed'],
): string {
  if ('command' in deployed) {
    return `the command ${shownLine(deployed.command.join(' '))}`;
  }
  return 'status' in deployed
    ? `the commit status ${deployed.status}`
    : `a deployment to the environment ${deployed.environment}`;
}

function shiftFacts(
  { moves, phases, program }: CheckedSwapFile,
  deploys: readonly PhaseFact[],
  plan: CheckedPlanFile | undefined,
): readonly PhaseFact[] {
  const byPlan = phases.shift?.plan;
  if (moves === 'hub') {
    return [
      ...deploys,
      fact('traffic', 'the old hub hands over to the new one, whose Argo CD writes from then on'),
    ];
  }
  if (byPlan === undefined) {
    const mover = 'git' in program ? 'the pipeline' : 'the program';
    return [...deploys, fact('traffic', `${mover} moves the weights, by its own steps and checks`)];
  }
  return [
    ...deploys,
    fact('traffic', 'then cluster-canary moves the weights by the plan, in its steps'),
    fact('plan', byPlan),
    ...(plan
      ? [
          fact(
            'routes',
            ...Object.entries(plan.routes).map(([name, route]) => `${name} (${routerName(route)})`),
          ),
          checkFact(plan.checks),
        ]
      : []),
  ];
}

function drainFacts(swap: CheckedSwapFile): readonly PhaseFact[] {
  const { volumes, idleFor, sweep = true } = swap.phases.drain ?? {};
  const { quietMs } = drainTimes(idleFor === undefined ? {} : { idleFor });
  const ofVolumes = {
    delete: 'PersistentVolumeClaims are deleted with their data, and what mounts them is scaled to 0',
    keep: 'PersistentVolumeClaims stay, and their volumes',
    untouched: 'PersistentVolumeClaims stay; drain does not pass while their volumes are there',
  };
  return [
    fact('idleFor', formatDuration(quietMs)),
    fact('pauses', ...hubNames(swap)),
    fact('deletes', ...drainedObjects),
    fact('volumes', ofVolumes[volumes ?? 'untouched']),
    fact(
      'sweep',
      sweep ? 'what is left in AWS is deleted' : 'drain does not pass while something is left in AWS',
    ),
  ];
}

/** What goes whether or not volumes do. */
const drainedObjects: readonly string[] = [
  'Ingress',
  'Service of type LoadBalancer',
  'Gateway',
  'TargetGroupBinding',
  'NodePool',
  'NodeClaim',
];

function checkFact(checks: readonly CheckSettings[] = []): PhaseFact {
  const names = namedChecks(checks).map(({ name, args }) => {
    const asked = clusterName(args);
    return asked === undefined ? name : `${name} of ${asked}`;
  });
  return fact('checks', ...names);
}

function hubNames({ phases }: CheckedSwapFile): readonly string[] {
  return (phases.drain?.hubs ?? []).map((hub) => clusterName(hub) ?? 'the current context');
}

/** `hub (hub.yaml)`: a cluster by its context, and the kubeconfig that has it. */
function clusterName(given: object): string | undefined {
  const { context, kubeconfig } = isPlainObject(given) ? given : {};
  const [name, ...others] = [context, kubeconfig].filter((each) => typeof each === 'string');
  return name === undefined || others.length === 0 ? name : `${name} (${others.join('')})`;
}

function routerName({ router }: RouteSettings): string {
  return Object.keys(router)[0] ?? '';
}
