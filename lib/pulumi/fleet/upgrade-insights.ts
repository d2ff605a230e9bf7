import * as pulumi from '@pulumi/pulumi';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import { inspectReadiness, minorVersion, readinessSubjects } from '../../core/readiness';
import type { ReadinessFinding, SubjectResult } from '../../core/readiness';
import { errorLine } from '../../core/validation/problems';
import { hasEngine } from '../hooks';
import { programLog } from '../log';

/** A slot, as far as an upgrade concerns it. */
export interface UpgradedSlot {
  /** Name of its EKS cluster. */
  readonly clusterName: string;
  /** Kubernetes version. @default - it is not known: the cluster is adopted */
  readonly version?: string | undefined;
}

/** A cluster that runs, and the version of another slot that is newer. */
export interface PendingUpgrade {
  readonly clusterName: string;
  /** The newest version of the fleet: `1.36`. */
  readonly to: string;
}

/** The clusters that are older than another slot's: each with the newest version of all. */
export function pendingUpgrades(slots: readonly UpgradedSlot[]): readonly PendingUpgrade[] {
  const known = slots.flatMap(({ clusterName, version = '' }) => {
    const minor = minorVersion(version);
    return minor === undefined ? [] : [{ clusterName, minor }];
  });
  const newest = Math.max(...known.map(({ minor }) => minor));
  return known
    .filter(({ minor }) => minor < newest)
    .map(({ clusterName }) => ({ clusterName, to: `1.${newest}` }));
}

/** What EKS says by itself: little is asked, so that a preview stays quick. */
const asked = new Set(['eks-versions', 'eks-insights', 'eks-addons']);

/** In milliseconds: a preview waits no longer. */
const patience = 20_000;

/** As many as somebody reads in a preview. */
const mostNamed = 10;

/**
 * What EKS knows about an upgrade that stands before a cluster, a line each; nothing of a cluster that is not there yet. It
 * never throws: what could not be asked is one line.
 */
export async function upgradeWarnings(
  { clusterName, to }: PendingUpgrade,
  clients: AwsClients,
  now = Date.now(),
  timeout = patience,
): Promise<readonly string[]> {
  const head = `Kubernetes ${to}, beside EKS cluster ${clusterName}`;
  const signal = AbortSignal.timeout(timeout);
  try {
    if (!(await isThere(clusterName, clients, signal))) {
      return [];
    }
    const subjects = readinessSubjects.filter(({ name }) => asked.has(name));
    const question = {
      ...{ to, now, signal, concurrency: 4, progress: () => undefined },
      eks: { clusterName, clients },
    };
    const results = await inspectReadiness({ subjects, question, timeout });
    return linesOf(head, results, `cluster-canary ready --to ${to} --cluster ${clusterName}`);
  } catch (error) {
    const why = signal.aborted ? `no answer within ${timeout / 1000} s` : errorLine(error);
    return [`${head}: EKS could not be asked: ${why}`];
  }
}

async function isThere(name: string, clients: AwsClients, signal: AbortSignal): Promise<boolean> {
  const { region } = clients;
  const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${name}` };
  try {
    const eks = await clients.eks();
    await callAws({ ...call, ...(region === undefined ? {} : { region }) }, () =>
      eks.describeCluster({ name }, { abortSignal: signal }),
    );
    return true;
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return false;
    }
    throw error;
  }
}

function linesOf(head: string, results: readonly SubjectResult[], command: string): readonly string[] {
  const findings = results.flatMap((each) => each.findings);
  const bad = [
    ...findings.filter(({ severity }) => severity === 'error'),
    ...findings.filter(({ severity }) => severity === 'warning'),
  ];
  const untried = [...new Set(results.flatMap((each) => each.untried))];
  const more = bad.length - mostNamed;
  return [
    ...bad.slice(0, mostNamed).map((finding) => `${head}: ${findingText(finding)}`),
    ...(more > 0 ? [`${head}: and ${more} more; ${command} says all`] : []),
    ...(untried.length > 0
      ? [
          `${head}: not looked at: ${untried[0]}${untried.length > 1 ? `; and ${untried.length - 1} more` : ''}`,
        ]
      : []),
  ];
}

function findingText({ id, severity, message, fix }: ReadinessFinding): string {
  return `${severity} ${id}: ${message}. To fix it: ${fix}`;
}

/** Where a program runs, and whom it asks: a test has its own. */
export interface UpgradeSurroundings {
  /** Whether an engine previews the program: neither an update nor an offline plan nor a test. */
  isPreview(): boolean;
  /** Clients of a region. */
  clients(region: string | undefined): AwsClients;
}

const surroundings: UpgradeSurroundings = {
  isPreview: () => hasEngine() && pulumi.runtime.isDryRun(),
  clients: (region) => awsClients({ ...(region === undefined ? {} : { region }), maxAttempts: 2 }),
};

/**
 * Warns in previews of what EKS knows about clusters that are older than another slot's. It is asked with the program's own
 * credentials; it never fails a preview.
 *
 * @param region of the clusters. @default - that of the environment
 * @returns what a component waits for before its outputs, so that a preview does not end earlier
 */
export function warnOfUpgrades(
  slots: readonly UpgradedSlot[],
  region: pulumi.Input<string | undefined>,
  resource: pulumi.Resource,
  around: UpgradeSurroundings = surroundings,
): pulumi.Output<pulumi.Inputs> | undefined {
  const upgrades = around.isPreview() ? pendingUpgrades(slots) : [];
  if (upgrades.length === 0) {
    return undefined;
  }
  return pulumi.output(region).apply(async (known): Promise<pulumi.Inputs> => {
    const clients = around.clients(known);
    try {
      const lines = await Promise.all(upgrades.map((upgrade) => upgradeWarnings(upgrade, clients)));
      lines.flat().forEach((line) => programLog.warn(line, resource));
    } finally {
      clients.close();
    }
    return {};
  });
}
