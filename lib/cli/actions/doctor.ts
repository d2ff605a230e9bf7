import { dnsLabel, oneOfWords } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import { checkNames, doctorChecks, doctorDocument, doctorText, runDoctor } from '../../operate/doctor';
import type { CheckName, DoctorReport } from '../../operate/doctor';
import { inCluster } from '../in-cluster';
import { couldNotRun, jsonText, linesOf, somethingWrong, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';

/**
 * Runs `cluster-canary doctor`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with names and flags
 * @throws KubernetesError where the API server can't be reached
 */
export async function doctor(
  checks: readonly string[],
  flags: DoctorFlags,
  checksOf: typeof doctorChecks = doctorChecks,
): Promise<void> {
  const names = checkedNames(checks, flags);
  const { namespace, concurrency } = flags;
  await inCluster(flags, async (api, signal) => {
    const progress = new Progress('reading the cluster');
    const examination = await runDoctor(checksOf(names.length === 0 ? checkNames : names), {
      ...{ api, namespace, concurrency, signal },
      now: () => new Date(),
      progress: progress.about,
    }).finally(() => progress.stop());
    await (flags.json === true
      ? writeDocument(jsonText(doctorDocument(examination)))
      : writeOut(linesOf(doctorText(examination))));
    process.exitCode = statusOf(examination);
  });
}

function checkedNames(checks: readonly string[], { namespace }: DoctorFlags): readonly CheckName[] {
  const problems = new Problems('doctor');
  checks.forEach((each) => problems.check('check', each, oneOfWords(...checkNames)));
  problems.check('--namespace', namespace, dnsLabel);
  problems.throwIfAny();
  return checks as readonly CheckName[];
}

function statusOf({ checks }: DoctorReport): number {
  const statuses = checks.map(({ status }) => status);
  if (statuses.includes('failed') || statuses.includes('warned')) {
    return somethingWrong;
  }
  return statuses.includes('unknown') ? couldNotRun : 0;
}

/** What `cluster-canary doctor` takes beside the names of checks. */
export interface DoctorFlags {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly concurrency: number;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
