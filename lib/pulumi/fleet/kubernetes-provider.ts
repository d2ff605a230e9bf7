import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import * as https from 'node:https';
import { steadyClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { NoWholeAnswer, exchange } from '../../core/http';
import { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
import { proxyAgent } from '../../core/proxy/agent';
import { environmentProxy } from '../../core/proxy/environment';
import { byProxy } from '../../core/proxy/proxy';
import { engineHook, watchInterrupts } from '../hooks';
import { programLog } from '../log';
import { endpointChoices } from './endpoint';
import type { ClusterCredentials } from './slot-args';
import type { SlotRef } from './slot-ref';

/** ARNs by program. */
const programs = new WeakMap<object, Set<string>>();

/** ARNs of the clusters that the engine has made in this run of the program. */
export function madeClusters(): Set<string> {
  const program = pulumi.runtime.getStackResource() ?? (pulumi.runtime.getMonitor() as object);
  const made = programs.get(program) ?? new Set<string>();
  programs.set(program, made);
  return made;
}

/**
 * A hook that notes a cluster when it has been made: the engine calls it before the program gets the endpoint.
 *
 * @param name of the cluster's resource
 */
export function noteMadeCluster(name: string): pulumi.ResourceHook {
  const made = madeClusters();
  return engineHook('a new cluster', name, 'afterCreate', ({ newOutputs }) => {
    const arn: unknown = newOutputs?.arn;
    if (typeof arn === 'string') {
      made.add(arn);
    }
    return Promise.resolve();
  });
}

/** An API server and the way to it. */
export interface ReachabilityTarget {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
  /** @default - HTTPS_PROXY and NO_PROXY of the environment */
  readonly proxyUrl?: string;
}

/** How long to try, and who hears of it. Times are in milliseconds. */
export interface ReachabilityOptions {
  /** Whether this run has made the cluster. @default false */
  readonly isNew?: boolean;
  /**
   * @default - 30000 for a cluster that was there before; 600000 for one that this run has made, whose name resolves some
   * minutes after EKS calls the cluster active
   * @see https://github.com/aws/containers-roadmap/issues/654
   */
  readonly deadline?: number;
  /** Of one try. @default 5000 */
  readonly attempt?: number;
  /** Between two tries; a random part of up to half is added. @default 2000 */
  readonly pause?: number;
  /** Hears how it goes, every half a minute. @default - nobody does */
  readonly say?: (line: string) => void;
  /** Ends the waiting. @default - nothing does */
  readonly signal?: AbortSignal;
  /** @default - the time that passes, whatever the time of day is set to */
  readonly clock?: Clock;
  /** One try; it answers what went wrong, if anything. @default - asks the API server */
  readonly ask?: typeof ask;
}

const sayEvery = 30_000;

/** In bytes. A server that says more than that has answered, too. */
const longestAnswer = 1_048_576;

/**
 * Waits until the API server answers at all: any HTTP status will do, since without credentials it may refuse.
 *
 * @throws Error at the deadline, with the endpoint, the last failure and what to do; or when it was interrupted
 */
export async function waitUntilReachable(
  target: ReachabilityTarget,
  {
    isNew = false,
    deadline = isNew ? 600_000 : 30_000,
    attempt = 5_000,
    pause = 2_000,
    say = () => undefined,
    signal,
    clock = steadyClock(),
    ask: askOnce = ask,
  }: ReachabilityOptions = {},
): Promise<void> {
  const start = clock.now();
  const end = start + deadline;
  let sayAt = start + sayEvery;
  for (;;) {
    const left = end - clock.now();
    const failure = await askOnce(target, Math.min(attempt, Math.max(left, 1)));
    if (failure === undefined) {
      return;
    }
    const wait = pause * (1 + Math.random() / 2);
    // A last try of no length would only hide what went wrong before.
    if (clock.now() + wait + Math.min(deadline / 10, attempt) >= end) {
      throw new Error(unreachable(target, isNew, deadline, failure));
    }
    if (clock.now() >= sayAt) {
      sayAt += sayEvery;
      const seconds = Math.round((clock.now() - start) / 1000);
      say(
        `${what(target, isNew)} does not answer yet: ${failure}. ${seconds} s of at most ${deadline / 1000} s`,
      );
    }
    await clock.sleep(wait, signal);
    if (signal?.aborted) {
      throw new Error(`interrupted while ${what(target, isNew)} did not answer: ${failure}`);
    }
  }
}

function what({ endpoint, proxyUrl }: ReachabilityTarget, isNew: boolean): string {
  return `the Kubernetes API server ${isNew ? 'of the new cluster ' : ''}at ${endpoint}${proxyUrl ? ' through the proxy' : ''}`;
}

/** What went wrong, with the likeliest cause first. */
function unreachable(target: ReachabilityTarget, isNew: boolean, deadline: number, failure: string): string {
  const hasNoName = /ENOTFOUND|EAI_AGAIN/.test(failure);
  const hint =
    isNew || hasNoName
      ? "A new cluster's name resolves some minutes after EKS calls the cluster active, and a resolver that found none " +
        'says so for about a minute more: run up again, which goes on from here. If that does not help, the '
      : 'The ';
  return (
    `The Kubernetes API server at ${target.endpoint} could not be reached within ${deadline / 1000} s` +
    `${target.proxyUrl ? ' through the proxy' : ''}: ${failure}. ` +
    `${hint}program must run where "endpoint" says it does: ${endpointChoices}.`
  );
}

/** Answers what went wrong, if anything. */
async function ask(
  { endpoint, certificateAuthority, proxyUrl }: ReachabilityTarget,
  timeoutMs: number,
): Promise<string | undefined> {
  const proxy = proxyUrl ?? environmentProxy(endpoint, process.env);
  const agent =
    proxy === undefined
      ? new https.Agent({ keepAlive: false })
      : proxyAgent(proxy, 'https:', { keepAlive: false });
  const options = { ca: Buffer.from(certificateAuthority, 'base64'), agent };
  try {
    await exchange(new URL('/livez', endpoint), options, { timeoutMs, longestAnswer });
    return undefined;
  } catch (error) {
    if (error instanceof NoWholeAnswer && error.why === 'long') {
      return undefined;
    }
    return (proxy === undefined ? (error as Error) : byProxy(error as Error, proxy)).message;
  } finally {
    agent.destroy();
  }
}

/** A Kubernetes provider and the kubeconfig in it. */
export interface ClusterConnection {
  /** The provider of the slot's cluster. */
  readonly provider: k8s.Provider;
  /** The kubeconfig as JSON, without credentials: `aws eks get-token` runs whenever a token is needed. */
  readonly kubeconfig: pulumi.Output<string>;
}

/** How a cluster is connected to. */
export interface ConnectionOptions extends pulumi.CustomResourceOptions {
  /**
   * Whether the API server may be gone: a warning then, and what has to be changed there fails by itself.
   * @default false - the deployment ends before it changes anything that needs it
   */
  readonly mayBeGone?: boolean;
}

/** The kubeconfig of a slot's cluster as JSON, without credentials. */
export function kubeconfigText(
  ref: pulumi.Input<SlotRef>,
  credentials: ClusterCredentials | undefined,
): pulumi.Output<string> {
  return pulumi
    .all([ref, credentials?.roleArn])
    .apply(([slot, roleArn]) =>
      JSON.stringify(eksKubeconfig({ ...slot, roleArn, profile: credentials?.profile }), undefined, 2),
    );
}

/**
 * Connects to a slot's cluster, from plain values: the slot may be of this stack or of another.
 *
 * The provider is identified by the cluster's ARN, so a changed endpoint or certificate authority replaces none
 * of the cluster's objects. During a deployment the API server must answer before anything is asked of it: within 30 s,
 * or within 10 minutes where this run has made the cluster.
 */
export function connectToCluster(
  name: string,
  ref: pulumi.Output<SlotRef>,
  credentials: ClusterCredentials | undefined,
  { mayBeGone = false, ...opts }: ConnectionOptions,
): ClusterConnection {
  const config = kubeconfigText(ref, credentials);
  const made = madeClusters();
  const reachable = pulumi.all([ref, config]).apply(async ([slot, text]) => {
    if (deploys()) {
      await reached(slot, { mayBeGone, isNew: made.has(slot.clusterArn), component: opts.parent });
    }
    return text;
  });
  const provider = new k8s.Provider(
    name,
    { kubeconfig: reachable, clusterIdentifier: ref.apply(({ clusterArn }) => clusterArn) },
    opts,
  );
  return { provider, kubeconfig: config };
}

async function reached(
  slot: SlotRef,
  {
    mayBeGone,
    isNew,
    component,
  }: { mayBeGone: boolean; isNew: boolean; component: pulumi.Resource | undefined },
): Promise<void> {
  const interrupts = watchInterrupts();
  try {
    const say = (line: string): void => programLog.info(line, component);
    await waitUntilReachable(slot, { isNew, say, signal: interrupts.signal });
  } catch (error) {
    if (!mayBeGone || interrupts.signal.aborted) {
      throw error;
    }
    programLog.warn((error as Error).message, component);
  } finally {
    interrupts.stop();
  }
}

/** Whether a real deployment runs: not a preview, and not a program under mocks. */
function deploys(): boolean {
  return !pulumi.runtime.isDryRun() && pulumi.runtime.getEngine() !== undefined;
}
