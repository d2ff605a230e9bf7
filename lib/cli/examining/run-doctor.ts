import type { CheckName, Examination } from '../../doctor';
import { checkNames, doctorChecks, doctorDocument, doctorText, examine } from '../../doctor';
import { openKubernetes } from '../../kubernetes';
import { dnsLabel, oneOf, Problems } from '../../problems';
import { couldNotRun, interrupted, somethingWrong } from '../exit-status';
import { takeInterrupts } from '../interrupts';
import { writeOut } from '../output';
import type { DoctorFlags } from './doctor-flags';
import { progressLines } from './progress-lines';

/**
 * Runs `cluster-canary doctor`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with names and flags
 * @throws KubernetesError where the API server can't be reached
 */
export async function runDoctor(
  checks: readonly string[],
  flags: DoctorFlags,
  checksOf: typeof doctorChecks = doctorChecks,
): Promise<void> {
  const names = checkedNames(checks, flags);
  const { kubeconfig, context, namespace, concurrency } = flags;
  const api = await openKubernetes({ kubeconfig, context });
  const interrupts = takeInterrupts(() => process.stderr.write('Interrupted.\n'));
  try {
    const examination = await examine(checksOf(names.length === 0 ? checkNames : names), {
      ...{ api, namespace, concurrency },
      now: () => new Date(),
      progress: progressLines((line) => process.stderr.write(line)),
      signal: interrupts.signal,
    });
    await writeOut(
      flags.json === true
        ? `${JSON.stringify(doctorDocument(examination), null, 2)}\n`
        : doctorText(examination),
    );
    process.exitCode = statusOf(examination);
  } catch (error) {
    if (!interrupts.signal.aborted) {
      throw error;
    }
    process.exitCode = interrupted;
  } finally {
    interrupts.release();
    api.close();
  }
}

function checkedNames(checks: readonly string[], { namespace }: DoctorFlags): readonly CheckName[] {
  const problems = new Problems('doctor');
  checks.forEach((each) => problems.check('check', each, oneOf(...checkNames)));
  problems.check('--namespace', namespace, dnsLabel);
  problems.throwIfAny();
  return checks as readonly CheckName[];
}

function statusOf({ checks }: Examination): number {
  const statuses = checks.map(({ status }) => status);
  if (statuses.includes('failed') || statuses.includes('warned')) {
    return somethingWrong;
  }
  return statuses.includes('unknown') ? couldNotRun : 0;
}
