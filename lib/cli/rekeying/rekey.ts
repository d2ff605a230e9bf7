import type { GateReport, RekeyJobs, RekeyPhase, RekeyTarget } from '../../certificates';
import {
  bundleSecretName,
  checkGate,
  injectedObjects,
  publishBundle,
  readRekeyJobs,
  retireOld,
} from '../../certificates';
import type { KubernetesApi } from '../../kubernetes';
import { InvalidInput } from '../../problems';
import { somethingWrong } from '../exit-status';
import { inCluster } from '../in-cluster';
import { writeTerminationMessage } from '../termination-message';
import { jsonText, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import type { Authorities } from './authorities';
import { readAuthorities } from './authorities';
import { gateLines, gateTextLines } from './gate-text';
import type { GateFlags, RekeyFlags, ResultFlags, RetireFlags } from './rekey-flags';
import { resultLines } from './result-text';
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

type Written = Readonly<{ namespace: string; name: string }>;

/** Runs `cluster-canary rekey result`, and sets the exit status. */
export function result(flags: ResultFlags): Promise<void> {
  const { namespace, name, generation } = flags;
  const renewed = `${name}-g${generation}`;
  const look = async (api: KubernetesApi, signal: AbortSignal): Promise<RekeyJobs> => {
    const found = await readRekeyJobs(api, { renewed, namespace }, signal);
    if (found.jobs.length === 0) {
      throw new InvalidInput(`Jobs of ${renewed}`, [
        {
          path: 'namespace',
          value: namespace,
          allowed: 'one with a Job of this re-key: a phase that was applied',
        },
      ]);
    }
    return found;
  };
  return reportOf(flags, look, resultLines);
}

function withCluster<R extends GateReport | Written>(
  flags: RekeyFlags,
  look: (api: KubernetesApi, authorities: Authorities, signal: AbortSignal) => Promise<R>,
): Promise<void> {
  let authorities: Authorities | undefined;
  return reportOf(
    flags,
    async (api, signal) => {
      authorities ??= await readAuthorities(api, flags, signal);
      return look(api, authorities, signal);
    },
    (found) => ('open' in found ? gateTextLines(found) : [writtenText(found)]),
    (found) => {
      if (flags.message !== undefined) {
        writeTerminationMessage(flags.message, 'open' in found ? gateLines(found) : [writtenText(found)]);
      }
    },
  );
}

/** A phase may be waited for by the hour, in a Job whose log is kept. */
const secondsBetweenLines = 30;

async function reportOf<R extends GateReport | RekeyJobs | Written>(
  flags: ResultFlags,
  look: (api: KubernetesApi, signal: AbortSignal) => Promise<R>,
  linesOf: (found: R) => readonly string[],
  note: (found: R) => void = () => undefined,
): Promise<void> {
  await inCluster(flags, async (api, signal) => {
    const progress = new Progress('waiting', { interval: secondsBetweenLines });
    try {
      const found = await waitUntilOpen(() => look(api, signal), flags.wait * 1000, signal);
      note(found);
      await (flags.json === true ? writeDocument(jsonText(found)) : writeOut(linesOf(found)));
      process.exitCode = 'open' in found && !found.open ? somethingWrong : 0;
    } finally {
      progress.stop();
    }
  });
}

function writtenText({ namespace, name }: Written): string {
  return `The Secret ${namespace}/${name} holds both authorities.`;
}
