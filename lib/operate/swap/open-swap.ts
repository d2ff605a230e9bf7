import { dirname, isAbsolute, join } from 'node:path';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { openKubernetes, openedOnce } from '../../core/kubernetes/open';
import { InvalidInput } from '../../core/validation/problems';
import { checkContext } from '../../shift/checks';
import type { CheckContext, CheckSettings } from '../../shift/checks';
import type { ShiftSubject } from '../../shift/engine';
import { planMover } from '../planned-shift';
import type { TrafficMover } from '../planned-shift';
import type { ReadFiles } from '../ready';
import { openAnswers } from './answers/answers';
import type { AnswerStore } from './answers/answers';
import { swapPlan } from './file/read-swap';
import type { CheckedSwapFile } from './file/swap-file';
import { namedFileProblems, phaseFileProblems } from './named-files';
import { fleetObserver } from './observe';
import { checksPhase } from './phases/checks';
import { deliverPhase } from './phases/deliver';
import { drainPhase } from './phases/drain';
import { hubProblems, openHubs } from './phases/hubs';
import type { HubProblem } from './phases/hubs';
import { prescalePhase } from './phases/prescale';
import { readyPhase } from './phases/ready';
import { takeSlotOff } from './phases/routes';
import type { FleetRoutes } from './phases/routes';
import type { SwapPlan } from './plan';
import type { PhaseRunner } from './runner';
import type { FleetProgram } from './program';
import { commandsProgram } from './programs/commands';
import { gitProgram } from './programs/git';
import type { PulumiProgramSettings } from './programs/pulumi-settings';
import { swapStore } from './store/swap-store';
import type { SwapStore } from './store';
import type { RunPhase, SwapRun } from './swap-run';

/** What a swap is opened with. */
export interface OpenSwapOptions {
  /** The program that makes the fleet. @default - that of the file */
  readonly program?: FleetProgram;
  /**
   * Opens the program of a Pulumi stack: `pulumiProgram` of `cluster-canary/pulumi-swap`, which loads Pulumi.
   *
   * @param base folder that its paths start from
   */
  readonly pulumi?: (settings: PulumiProgramSettings, base: string) => FleetProgram | Promise<FleetProgram>;
  /** Phases that a runner of the user's own runs: what the file names for them does not matter. @default - none */
  readonly ownPhases?: readonly RunPhase[];
  /** Reads the manifests that `ready` looks at. @default - they can't be read, and a file that names some is refused */
  readonly manifests?: (paths: readonly string[], base: string) => ReadFiles | Promise<ReadFiles>;
  /** Lines for a person: what could not be read, or differs. */
  readonly say: (line: string) => void;
  /** AWS in the region of the fleet. @default - with the credentials of the environment */
  readonly clients?: AwsClients;
}

/** A swap file with what it names, opened. */
export interface OpenSwap extends Pick<
  SwapRun,
  'plan' | 'program' | 'observe' | 'runners' | 'mover' | 'store'
> {
  /** AWS region of the fleet. */
  readonly region: string;
  /** What people have answered. */
  readonly answers: AnswerStore;
  /** Why hubs that it needs can't be asked. */
  readonly hubProblems: (signal: AbortSignal) => Promise<readonly HubProblem[]>;
  /** What phases name on this machine and can't be used, a line each: manifests, kubeconfigs. Nothing is asked. */
  readonly fileProblems: () => Promise<readonly string[]>;
  /** Closes every connection. */
  readonly close: () => void;
}

/** The place where the swaps of a fleet are recorded, opened. */
export interface OpenRecords {
  readonly plan: SwapPlan;
  readonly region: string;
  readonly clients: AwsClients;
  readonly store: SwapStore;
  readonly answers: AnswerStore;
  readonly close: () => void;
}

/**
 * Opens what holds the record of a fleet's swaps, and what people have answered.
 *
 * @throws InvalidInput where no region is known, or no kubeconfig can be used
 */
export async function openRecords(
  swap: CheckedSwapFile,
  given: Pick<OpenSwapOptions, 'clients'> = {},
): Promise<OpenRecords> {
  const clients = given.clients ?? awsClients(swap.region === undefined ? {} : { region: swap.region });
  const close: (() => void)[] = given.clients ? [] : [() => clients.close()];
  const closeAll = (): void => close.forEach((each) => each());
  try {
    const region = swap.region ?? clients.region ?? (await regionOf(clients, swap.file));
    const fleet = { fleet: swap.fleet, region };
    const held = await swapStore(swap.lease, fleet, clients);
    close.push(() => held.close());
    const answers = await openAnswers(swap.lease, fleet, clients);
    close.push(() => answers.close());
    return { plan: swapPlan(swap), region, clients, store: held.lease, answers, close: closeAll };
  } catch (error) {
    closeAll();
    throw error;
  }
}

/** The region of the environment, or of the profile. */
async function regionOf(clients: AwsClients, file: string): Promise<string> {
  try {
    return await (await clients.eks()).config.region();
  } catch {
    throw new InvalidInput(file, [
      {
        path: 'region',
        kind: 'required',
        allowed: 'an AWS region: neither the environment nor a profile has one',
      },
    ]);
  }
}

/**
 * Opens all that a swap file names. Nothing is asked yet, and nothing is written.
 *
 * @throws InvalidInput where the file asks for what the options lack, or no kubeconfig can be used
 */
export async function openSwap(swap: CheckedSwapFile, options: OpenSwapOptions): Promise<OpenSwap> {
  const records = await openRecords(swap, options);
  try {
    const { plan, region, clients, store, answers, close } = records;
    const program = options.program ?? (await openProgram(swap, options));
    const { say } = options;
    const { plan: planned } = swap.phases.shift ?? {};
    const observe = fleetObserver({ plan, program, clients, say, ...(swap.route && { route: swap.route }) });
    return {
      plan,
      program,
      observe,
      runners: runnersOf(swap, records, options),
      ...(planned !== undefined && { mover: moverOf(swap, records, planned) }),
      store,
      region,
      answers,
      hubProblems: (signal) => hubProblems(swap.phases.drain?.hubs ?? [], signal),
      fileProblems: () => namedFileProblems(swap, options.ownPhases),
      close,
    };
  } catch (error) {
    records.close();
    throw error;
  }
}

function moverOf(
  { file, fleet, route }: CheckedSwapFile,
  { clients }: OpenRecords,
  plan: string,
): TrafficMover {
  const path = isAbsolute(plan) ? plan : join(dirname(file), plan);
  return planMover(path, {
    fleet,
    takeOff: (slot, signal) => takeSlotOff({ fleet, clients, ...(route && { route }) }, slot, signal),
  });
}

async function openProgram(
  { program, file }: CheckedSwapFile,
  { pulumi }: OpenSwapOptions,
): Promise<FleetProgram> {
  const base = dirname(file);
  if ('pulumi' in program) {
    if (!pulumi) {
      throw refused(file, 'program.pulumi', 'opened by `pulumi`, which was not given');
    }
    return pulumi(program.pulumi, base);
  }
  return 'git' in program ? gitProgram(program.git, { base }) : commandsProgram(program.commands, { base });
}

function refused(file: string, path: string, allowed: string): InvalidInput {
  return new InvalidInput(file, [{ path, allowed }]);
}

function runnersOf(
  swap: CheckedSwapFile,
  { region, clients }: OpenRecords,
  { manifests }: OpenSwapOptions,
): SwapRun['runners'] {
  const { fleet, slots, phases, previews, route, file } = swap;
  const clusterOf = (slot: string): string => `${fleet}-${slot}`;
  const { ready = {}, prescale = {}, drain = {} } = phases;
  const { volumes, sweep, hubs, idleFor: quiet } = drain;
  const { manifests: paths, subjects, allow, failOn } = ready;
  if (paths !== undefined && !manifests) {
    throw refused(file, 'phases.ready.manifests', 'left out: nothing reads them');
  }
  const routes: FleetRoutes = { fleet, clients, clusterOf, previews, ...(route && { route }) };
  const context = contextOf(slots.map(clusterOf), clients);
  const asked = (phase: 'deliver' | 'try' | 'soak'): readonly CheckSettings[] => phases[phase]?.checks ?? [];
  const deliver = checksPhase({ phase: 'deliver', ...routes, context, checks: asked('deliver') });
  // Not `soak`: there traffic would go back for a file that is being replaced, and its checks are inconclusive meanwhile.
  const withFiles = (phase: 'ready' | 'deliver' | 'try', runner: PhaseRunner): PhaseRunner => ({
    phase,
    run: async (run, signal) => {
      const missing = run.back ? [] : await phaseFileProblems(swap, phase);
      return missing.length > 0
        ? { passed: false, reason: missing.join('; '), final: true }
        : runner.run(run, signal);
    },
  });
  return {
    ready: withFiles(
      'ready',
      readyPhase({
        ...{ clients, clusterOf },
        ...(hubs && { hubProblems: (signal) => hubProblems(hubs, signal) }),
        ...(subjects && { subjects }),
        ...(allow && { allow }),
        ...(failOn && { failOn }),
        ...(paths && manifests && { manifests: () => manifests(paths, dirname(file)) }),
      }),
    ),
    deliver: withFiles(
      'deliver',
      hubs
        ? deliverPhase({ fleet, region, clusterOf, checks: deliver, openHubs: () => openHubs(hubs) })
        : deliver,
    ),
    try: withFiles('try', checksPhase({ phase: 'try', ...routes, context, checks: asked('try') })),
    prescale: prescalePhase({
      ...routes,
      ...(prescale.healthy !== undefined && { healthyPercent: prescale.healthy }),
    }),
    soak: checksPhase({ phase: 'soak', ...routes, context, checks: asked('soak') }),
    drain: drainPhase({
      ...{ fleet, region, clusterOf },
      ...(volumes && { volumes }),
      ...(quiet !== undefined && { idleFor: quiet }),
      ...(sweep !== undefined && { sweep }),
      ...(hubs && { openHubs: () => openHubs(hubs) }),
    }),
  };
}

/** How long EKS may take to say how its API server is reached, in milliseconds. */
const describePatience = 60_000;

/**
 * Checks name the cluster of a slot by its context. One that has just been made is in no kubeconfig: where a check gives none, it
 * is opened by what EKS says of it.
 */
function contextOf(
  clusters: readonly string[],
  clients: AwsClients,
): (subject: ShiftSubject) => CheckContext {
  const opened = openedOnce((settings: KubernetesSettings) => openKubernetes(settings));
  const kubernetes = async (settings: KubernetesSettings): ReturnType<typeof openKubernetes> => {
    const { kubeconfig, kubeconfigText, context: clusterName = '' } = settings;
    if (kubeconfig !== undefined || kubeconfigText !== undefined || !clusters.includes(clusterName)) {
      return opened(settings);
    }
    // A slot gets another cluster of the same name, at another address.
    const signal = AbortSignal.timeout(describePatience);
    const { eksServer } = await import('../ready');
    return opened({ kubeconfigText: await eksServer({ clusterName, clients, signal }) });
  };
  return (subject) => checkContext(subject, { kubernetes, kubernetesJobs: kubernetes });
}
