import * as pulumi from '@pulumi/pulumi';
import type { ApiObject } from 'cdk8s';
import { sleep } from '../../core/async';
import type { KubernetesReader } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { openKubernetes } from '../../core/kubernetes/open';
import { object, optional } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { later, secret, text } from '../../core/validation/values';
import { readJobResult } from '../../operate/ca-rotation';
import type { JobResult } from '../../operate/ca-rotation';
import { HookError, engineHook, canBindHooks, watchInterrupts } from '../hooks';
import type { HookEvent } from '../hooks';
import { resolvedValue } from '../inputs';

/** How a program asks the cluster what the Job of a CA rotation said. */
export interface GateAccess {
  /** The kubeconfig itself, as YAML or JSON. */
  readonly kubeconfig: pulumi.Input<string>;
  /** Context of the kubeconfig. @default - its current one */
  readonly context?: string;
}

/** The kubeconfig is not looked into, and not shown. */
export const gateAccess: Schema<GateAccess> = object<GateAccess>({
  kubeconfig: secret(later(text('the text of a kubeconfig'))),
  context: optional(text('the name of a context of the kubeconfig')),
});

/** Between two looks at a Job, in milliseconds. */
const pause = 2_000;

/** How much later than its deadline a Job may be seen to have ended, in milliseconds. */
const grace = 60_000;

/**
 * Hooks that let an object be made or changed only where the Jobs that it waits for have succeeded, and say what the Jobs
 * said where not.
 *
 * @param name of the resource
 */
export function gateHooks(
  name: string,
  gates: readonly ApiObject[],
  access: GateAccess,
): pulumi.ResourceHookBinding {
  if (!canBindHooks()) {
    return {};
  }
  const hook = (event: HookEvent): pulumi.ResourceHook =>
    engineHook(`the gate before ${name}`, name, event, async () => {
      // A preview makes no Job that could have said something.
      if (!pulumi.runtime.isDryRun()) {
        await askAll(gates, access);
      }
    });
  return { beforeCreate: [hook('beforeCreate')], beforeUpdate: [hook('beforeUpdate')] };
}

async function askAll(gates: readonly ApiObject[], { kubeconfig, context }: GateAccess): Promise<void> {
  const api = await openKubernetes({
    kubeconfigText: await resolvedValue(kubeconfig),
    ...(context === undefined ? {} : { context }),
  });
  const interrupts = watchInterrupts();
  try {
    const answers = await Promise.all(gates.map((gate) => answerOf(api, gate, interrupts.signal)));
    const refusals = answers.map(gateRefusal).filter((each) => each !== undefined);
    if (refusals.length > 0) {
      throw new HookError(refusals.join('\n'));
    }
  } catch (error) {
    throw interrupts.signal.aborted
      ? new HookError('interrupted while a Job of the CA rotation was waited for; nothing was changed')
      : error;
  } finally {
    interrupts.stop();
    api.close();
  }
}

/** What a Job said, once it has ended, or is long past its deadline. */
async function answerOf(
  api: KubernetesReader,
  gate: ApiObject,
  signal: AbortSignal,
): Promise<Pick<JobResult, 'name' | 'message'> & { readonly state: JobResult['state'] | 'missing' }> {
  const { name } = gate;
  const { namespace } = gate.metadata;
  const { spec } = gate.toJson() as { spec: { activeDeadlineSeconds: number } };
  const end = Date.now() + spec.activeDeadlineSeconds * 1000 + grace;
  for (;;) {
    try {
      const answer = await readJobResult(
        api,
        { name, ...(namespace === undefined ? {} : { namespace }) },
        signal,
      );
      if (answer.state !== 'running' || Date.now() > end) {
        return answer;
      }
    } catch (error) {
      if (isKubernetesError(error, 'notFound')) {
        return { name, message: [], state: 'missing' };
      }
      throw error;
    }
    await sleep(pause, signal);
  }
}

/**
 * Why what waits for a Job must not be changed.
 *
 * @returns nothing where the Job has succeeded
 */
export function gateRefusal({
  name,
  state,
  message,
}: Pick<JobResult, 'name' | 'message'> & { readonly state: JobResult['state'] | 'missing' }):
  | string
  | undefined {
  const job = `the Job ${name}, which says whether this may change,`;
  switch (state) {
    case 'succeeded':
      return undefined;
    case 'failed':
      return [`${job} has failed`, ...message].join(message.length > 0 ? '\n' : '');
    case 'running':
      return `${job} has not ended`;
    case 'missing':
      return `${job} is not there any more: refresh the stack, which makes it anew`;
  }
}
