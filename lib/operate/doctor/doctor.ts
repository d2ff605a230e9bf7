import { isKubernetesError } from '../../core/kubernetes/errors';
import { rankCauses } from './causes';
import type { Cause } from './causes';
import { resultOf, unknownCheckResult } from './check';
import type { DoctorCheckResult, DoctorCheck, DoctorContext } from './check';

/** What the doctor has seen of a cluster. */
export interface DoctorReport {
  /** URL of the API server. */
  readonly server: string;
  /** Namespace that Argo CD was looked for in. */
  readonly namespace: string;
  /** When it began, by this machine's clock. */
  readonly at: Date;
  /** One a check, in the order of the checks. */
  readonly checks: readonly DoctorCheckResult[];
  /** The findings of all checks, the most likely cause first. */
  readonly causes: readonly Cause[];
}

/**
 * Runs checks, all at once: most of their time is waiting. A check that fails says `unknown` and why, and the others go
 * on.
 *
 * @throws KubernetesError where the API server can't be reached, or does not accept the credentials
 */
export async function runDoctor(
  checks: readonly DoctorCheck[],
  context: DoctorContext,
): Promise<DoctorReport> {
  const at = context.now();
  const absent = await namespaceIsAbsent(context);
  const results = await Promise.all(
    checks.map(async (check) =>
      absent && check.needsArgoCd === true
        ? unknownCheckResult(check, withoutArgoCd(context.namespace), 0)
        : run(check, context),
    ),
  );
  const { server } = context.api;
  return { server, namespace: context.namespace, at, checks: results, causes: rankCauses(results) };
}

async function run(check: DoctorCheck, context: DoctorContext): Promise<DoctorCheckResult> {
  const begun = performance.now();
  const seconds = (): number => Math.round((performance.now() - begun) / 100) / 10;
  try {
    return resultOf(check, await check.examine(context), seconds());
  } catch (error) {
    context.signal.throwIfAborted();
    return unknownCheckResult(check, reasonOf(error), seconds());
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
