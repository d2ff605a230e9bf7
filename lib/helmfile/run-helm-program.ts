import type { ProgramCall } from '../programs';
import { runProgram } from '../programs';
import type { HelmfileEnd } from './plan';

/** As much is kept of each stream, in bytes: of more, the end. */
const mostKept = { bytes: 4 * 1024 * 1024, beyond: 'keepEnd' } as const;

/**
 * Runs helmfile or helm.
 *
 * @throws Error where it can't be started
 */
export async function runHelmProgram(call: Omit<ProgramCall, 'stdout' | 'stderr'>): Promise<HelmfileEnd> {
  const end = await runProgram({ ...call, stdout: mostKept, stderr: mostKept });
  if (end.how === 'notStarted') {
    throw new Error(`${call.program} can't be started: ${whyNot(end.code, call.cwd)}`);
  }
  return { ...end, stdout: end.stdout.toString('utf8'), stderr: end.stderr.toString('utf8') };
}

/** Whether it did what it was to do. */
export function succeeded(end: HelmfileEnd): boolean {
  return end.how === 'exited' && end.status === 0;
}

function whyNot(code: string, cwd: string | undefined): string {
  const place = cwd === undefined ? '' : `, or the folder ${cwd} is not there`;
  return code === 'ENOENT' ? `it is not on the PATH${place}` : code;
}
