import type { GateReport, RekeyPhase, RekeyTarget } from '../../certificates';
import { bundleSecretName, checkGate, injectedObjects, publishBundle, retireOld } from '../../certificates';
import type { KubernetesApi } from '../../kubernetes';
import { openKubernetes } from '../../kubernetes';
import { interrupted, somethingWrong } from '../exit-status';
import { takeInterrupts } from '../interrupts';
import { writeOut } from '../output';
import type { Authorities } from './authorities';
import { readAuthorities } from './authorities';
import { gateText } from './gate-text';
import type { GateFlags, RekeyFlags, RetireFlags } from './rekey-flags';
import { waitUntilOpen } from './wait-until-open';

/** Runs `cluster-canary rekey gate`, and sets the exit status. */
export function gate(phase: RekeyPhase, flags: GateFlags): Promise<void> {
  return withCluster(flags, (api, authorities, signal) =>
    checkGate(api, phase, targetOf(flags, authorities), undefined, signal),
  );
}

/** Runs `cluster-canary rekey retire`, and sets the exit status. */
export function retire(flags: RetireFlags): Promise<void> {
  const { namespace } = flags;
  const configurations = injectedObjects(flags.injected);
  const bundle = { namespace, name: bundleOf(flags) };
  return withCluster(flags, (api, authorities, signal) =>
    retireOld(api, { ...targetOf(flags, authorities), configurations, bundle }, undefined, signal),
  );
}

/** Runs `cluster-canary rekey bundle`, and sets the exit status. */
export function bundle(flags: RekeyFlags): Promise<void> {
  return withCluster(flags, async (api, authorities, signal) => {
    const secret = { namespace: flags.namespace, name: bundleOf(flags) };
    await publishBundle(api, secret, authorities, signal);
    return secret;
  });
}

function bundleOf({ name, generation }: RekeyFlags): string {
  return bundleSecretName(`${name}-g${generation}`);
}

function targetOf({ service, settle }: GateFlags, authorities: Authorities): RekeyTarget {
  return {
    ...authorities,
    services: service,
    ...(settle === undefined ? {} : { settleMilliseconds: settle }),
  };
}

type Result = GateReport | { readonly namespace: string; readonly name: string };

async function withCluster<R extends Result>(
  flags: RekeyFlags,
  look: (api: KubernetesApi, authorities: Authorities, signal: AbortSignal) => Promise<R>,
): Promise<void> {
  const { kubeconfig, context, wait } = flags;
  const api = await openKubernetes({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  const interrupts = takeInterrupts(() => process.stderr.write('Interrupted.\n'));
  const { signal } = interrupts;
  try {
    const authorities = await readAuthorities(api, flags, signal);
    const result = await waitUntilOpen(() => look(api, authorities, signal), wait * 1000, signal);
    await writeOut(flags.json === true ? `${JSON.stringify(result, null, 2)}\n` : textOf(result));
    process.exitCode = 'open' in result && !result.open ? somethingWrong : 0;
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    process.exitCode = interrupted;
  } finally {
    interrupts.release();
    api.close();
  }
}

function textOf(result: Result): string {
  return 'open' in result
    ? gateText(result)
    : `The Secret ${result.namespace}/${result.name} holds both authorities.\n`;
}
