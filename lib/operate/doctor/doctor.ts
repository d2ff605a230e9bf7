import { isKubernetesError } from '../../core/kubernetes/errors';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { inOrder } from './causes';
import type { Cause } from './causes';
import { checkNames, resultOf, unknownResult } from './check';
import type { CheckName, CheckResult, DoctorCheck, DoctorContext } from './check';
import type * as Clock from './clock/clock-check';
import type { ClockOptions } from './clock/clock-check';
import type * as Clusters from './clusters/clusters-check';
import type { ClustersCheckOptions } from './clusters/clusters-check';
import type * as GitHub from './github/github-check';
import type { GitHubCheckOptions } from './github/github-check';
import type * as Sync from './sync/sync-check';
import type { SyncOptions } from './sync/sync-check';
import type * as Webhooks from './webhooks/webhooks-check';
import type { WebhooksCheckOptions } from './webhooks/webhooks-check';

/** What the doctor has seen of a cluster. */
export interface Examination {
  /** URL of the API server. */
  readonly server: string;
  /** Namespace that Argo CD was looked for in. */
  readonly namespace: string;
  /** When it began, by this machine's clock. */
  readonly at: Date;
  /** One a check, in the order of the checks. */
  readonly checks: readonly CheckResult[];
  /** The findings of all checks, the most likely cause first. */
  readonly causes: readonly Cause[];
}

/** These look at Argo CD's own objects. */
const needArgoCd: readonly CheckName[] = ['github', 'sync', 'clusters'];

/**
 * Runs checks, all at once: most of their time is waiting. A check that fails says `unknown` and why, and the others go
 * on.
 *
 * @throws KubernetesError where the API server can't be reached, or does not accept the credentials
 */
export async function examine(checks: readonly DoctorCheck[], context: DoctorContext): Promise<Examination> {
  const at = context.now();
  const absent = await namespaceIsAbsent(context);
  const results = await Promise.all(
    checks.map(async (check) =>
      absent && needArgoCd.includes(check.name)
        ? unknownResult(check, withoutArgoCd(context.namespace), 0)
        : run(check, context),
    ),
  );
  const { server } = context.api;
  return { server, namespace: context.namespace, at, checks: results, causes: inOrder(results) };
}

async function run(check: DoctorCheck, context: DoctorContext): Promise<CheckResult> {
  const begun = performance.now();
  const seconds = (): number => Math.round((performance.now() - begun) / 100) / 10;
  try {
    return resultOf(check, await check.examine(context), seconds());
  } catch (error) {
    context.signal.throwIfAborted();
    return unknownResult(check, reasonOf(error), seconds());
  }
}

/** The first call of all: where it finds no server, no check would. */
async function namespaceIsAbsent({ api, namespace, signal }: DoctorContext): Promise<boolean> {
  try {
    await api.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, signal);
    return false;
  } catch (error) {
    if (isKubernetesError(error, 'notFound')) {
      return true;
    }
    // Who may not read namespaces may read what is in them.
    if (isKubernetesError(error, 'denied')) {
      return false;
    }
    throw error;
  }
}

function withoutArgoCd(namespace: string): string {
  return `there is no namespace "${namespace}" in this cluster; name the one of Argo CD with --namespace, or examine its cluster`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return isKubernetesError(error) ? error.message : `${error.name}: ${error.message}`;
}

/** What single checks can be told. */
export interface CheckOptions {
  /** How clocks are measured. */
  readonly clock?: ClockOptions;
  /** How GitHub and logs are asked. */
  readonly github?: GitHubCheckOptions;
  /** Which Applications are looked at. */
  readonly sync?: SyncOptions;
  /** How servers of webhooks are asked. */
  readonly webhooks?: WebhooksCheckOptions;
  /** How clusters are asked. */
  readonly clusters?: ClustersCheckOptions;
}

/** Checks load the lint rules and TLS: each is loaded when it is asked for, and not with the library. */
const clock = () => require('./clock/clock-check') as typeof Clock;

const github = () => require('./github/github-check') as typeof GitHub;

const sync = () => require('./sync/sync-check') as typeof Sync;

const webhooks = () => require('./webhooks/webhooks-check') as typeof Webhooks;

const clusters = () => require('./clusters/clusters-check') as typeof Clusters;

const checkOptionsKeys: OptionsOf<CheckOptions> = {
  get clock() {
    return clock().clockOptionsKeys;
  },
  get github() {
    return github().gitHubCheckOptionsKeys;
  },
  get sync() {
    return sync().syncOptionsKeys;
  },
  get webhooks() {
    return webhooks().webhooksCheckOptionsKeys;
  },
  get clusters() {
    return clusters().clustersCheckOptionsKeys;
  },
};

const factories: Readonly<Record<CheckName, (options: CheckOptions) => DoctorCheck>> = {
  clock: (options) => clock().clockCheck(options.clock),
  github: (options) => github().githubCheck(options.github),
  sync: (options) => sync().syncCheck(options.sync),
  webhooks: (options) => webhooks().webhooksCheck(options.webhooks),
  clusters: (options) => clusters().clustersCheck(options.clusters),
};

/**
 * The checks of these names, in the order in which they are listed.
 *
 * @param names default: all
 */
export function doctorChecks(
  names: readonly CheckName[] = checkNames,
  options: CheckOptions = {},
): readonly DoctorCheck[] {
  refuseOptions('doctorChecks', options, checkOptionsKeys);
  return checkNames.filter((name) => names.includes(name)).map((name) => factories[name](options));
}
