import type { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { sleep } from '../../core/async';
import type { CalledService } from '../../core/certificates/ca-bundles';
import type { CaRotationPhase } from '../../core/certificates/ca-rotation';
import { readCertificates } from '../../core/certificates/x509';
import type { KubernetesApi, KubernetesReader } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { mayPass } from '../../core/kubernetes/requests';
import { InvalidInput, Problems, readText } from '../../core/validation/problems';
import { bundleSecretName, injectedObjects } from '../../manifests/certificates';
import type { InjectedObject } from '../../manifests/certificates';
import { checkGate, publishBundle, readCaRotationJobs, retireOldCa } from '../../operate/ca-rotation';
import type {
  GateReport,
  CaRotationJobs,
  CaRotationTarget,
  ObservedAuthority,
} from '../../operate/ca-rotation';
import { inCluster } from '../in-cluster';
import { jsonText, somethingWrong, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import { writeTerminationMessage } from '../written-files';

/** What became of a CA rotation's Jobs, for a person, a line each. */
function resultLines({ jobs }: CaRotationJobs): readonly string[] {
  return jobs.flatMap(({ name, state, message }, index) => [
    ...(index === 0 ? [] : ['']),
    `Job ${name}: ${state}`,
    ...message.map((line) => `  ${line}`),
  ]);
}

/** The certificates of both generations. */
interface Authorities {
  readonly old: X509Certificate;
  readonly renewed: X509Certificate;
}

/**
 * Reads the certificates of both generations from files, or from the authorities' Secrets.
 *
 * @throws InvalidInput where they are no authorities' certificates, or two of one key
 */
async function readAuthorities(
  api: KubernetesReader,
  flags: Pick<CaRotationFlags, 'namespace' | 'name' | 'generation' | 'authorities'>,
  signal: AbortSignal,
): Promise<Authorities> {
  const { namespace, name, generation, authorities } = flags;
  const sources = [
    { file: 'old.crt', secret: `${name}-g${generation - 1}` },
    { file: 'renewed.crt', secret: `${name}-g${generation}` },
  ];
  const problems = new Problems('authorities');
  const read = await Promise.all(
    sources.map(async ({ file, secret }) => {
      if (authorities !== undefined) {
        const path = join(authorities, file);
        return { place: path, text: readText(path, "an authority's certificate, as PEM") };
      }
      const place = `Secret ${namespace}/${secret}, tls.crt`;
      return { place, text: await secretText(api, namespace, secret, signal) };
    }),
  );
  const [old, renewed] = read.map(({ place, text }) => {
    const [certificate] = readCertificates(text ?? '');
    if (certificate?.ca !== true) {
      // What is there instead could be a key.
      problems.addSecret(
        place,
        `an authority's certificate, as PEM${text === undefined ? '; there is no such Secret' : ''}`,
      );
    }
    return certificate;
  });
  if (old && renewed && old.publicKey.equals(renewed.publicKey)) {
    problems.add(read[1]!.place, renewed.subject, 'of another key than the old authority');
  }
  problems.throwIfAny();
  return { old: old!, renewed: renewed! };
}

/** The certificate of a Secret; undefined where there is no such Secret. */
async function secretText(
  api: KubernetesReader,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const object = await api.get({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }, signal);
    const { data } = object as { data?: Record<string, string> };
    return Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString();
  } catch (error) {
    if (isKubernetesError(error, 'notFound')) {
      return undefined;
    }
    throw error;
  }
}

/** What a gate found, in short. */
function gateLines({ phase, passed, blockers }: GateReport): string[] {
  return [
    passed ? `The phase ${phase} is over.` : `The phase ${phase} is not over:`,
    ...blockers.map((each) => `  ${each}`),
  ];
}

/** What a gate found, for a person, a line each. */
function gateTextLines(report: GateReport): readonly string[] {
  const { authorities, bundles, pods } = report;
  const { old, renewed } = authorities;
  return [
    ...gateLines(report),
    '',
    `old      ${inOneLine(old.subject)}`,
    `renewed  ${inOneLine(renewed.subject)}`,
    ...bundles.map(
      ({ place, holds, since }) => `${place}: ${holds.map(word).join(', ') || 'empty'}, since ${since}`,
    ),
    ...pods.map(({ name, signer }) => `pod ${name}: ${signer === null ? 'no answer' : word(signer)}`),
  ];
}

function word(seen: ObservedAuthority): string {
  return typeof seen === 'string' ? seen : inOneLine(seen.other);
}

/** OpenSSL writes a line for each part of a name. */
function inOneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}

/** Between two looks, in milliseconds. */
const pause = 2_000;

/**
 * Looks until a gate is open, or the time is up: then what was seen last. What is no gate's report is seen once.
 *
 * @param milliseconds how long; 0 looks once
 * @param signal ends the waiting
 */
async function waitUntilOpen<R extends object>(
  look: () => Promise<R>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<R> {
  const end = Date.now() + milliseconds;
  for (;;) {
    try {
      const report = await look();
      if (!('passed' in report) || report.passed === true || Date.now() + pause > end) {
        return report;
      }
    } catch (error) {
      if (!mayPass(error) || Date.now() + pause > end) {
        throw error;
      }
    }
    await sleep(pause, signal);
  }
}

/** Runs `cluster-canary ca-rotation check`, and sets the exit status. */
export function gate(phase: CaRotationPhase, flags: GateFlags): Promise<void> {
  return withCluster(flags, (api, authorities, signal) =>
    checkGate(api, phase, targetOf(flags, authorities), undefined, signal),
  );
}

/** Runs `cluster-canary ca-rotation retire`, and sets the exit status. */
export function retire(flags: RetireFlags): Promise<void> {
  const { namespace } = flags;
  const configurations = injectedObjects(flags.injected);
  const bundle = { namespace, name: bundleOf(flags) };
  return withCluster(flags, (api, authorities, signal) =>
    retireOldCa(api, { ...targetOf(flags, authorities), configurations, bundle }, undefined, signal),
  );
}

/** Runs `cluster-canary ca-rotation bundle`, and sets the exit status. */
export function bundle(flags: CaRotationFlags): Promise<void> {
  return withCluster(flags, async (api, authorities, signal) => {
    const secret = { namespace: flags.namespace, name: bundleOf(flags) };
    await publishBundle(api, secret, authorities, signal);
    return secret;
  });
}

function bundleOf({ name, generation }: CaRotationFlags): string {
  return bundleSecretName(`${name}-g${generation}`);
}

function targetOf({ service, settleTime: settle }: GateFlags, authorities: Authorities): CaRotationTarget {
  return {
    ...authorities,
    services: service,
    ...(settle === undefined ? {} : { settleMilliseconds: settle }),
  };
}

type Written = Readonly<{ namespace: string; name: string }>;

/** Runs `cluster-canary ca-rotation result`, and sets the exit status. */
export function result(flags: ResultFlags): Promise<void> {
  const { namespace, name, generation } = flags;
  const renewed = `${name}-g${generation}`;
  const look = async (api: KubernetesApi, signal: AbortSignal): Promise<CaRotationJobs> => {
    const found = await readCaRotationJobs(api, { renewed, namespace }, signal);
    if (found.jobs.length === 0) {
      throw new InvalidInput(`Jobs of ${renewed}`, [
        {
          path: 'namespace',
          value: namespace,
          allowed: 'one with a Job of this CA rotation: a phase that was applied',
        },
      ]);
    }
    return found;
  };
  return reportOf(flags, look, resultLines);
}

function withCluster<R extends GateReport | Written>(
  flags: CaRotationFlags,
  look: (api: KubernetesApi, authorities: Authorities, signal: AbortSignal) => Promise<R>,
): Promise<void> {
  let authorities: Authorities | undefined;
  return reportOf(
    flags,
    async (api, signal) => {
      authorities ??= await readAuthorities(api, flags, signal);
      return look(api, authorities, signal);
    },
    (found) => ('passed' in found ? gateTextLines(found) : [writtenText(found)]),
    (found) => {
      if (flags.message !== undefined) {
        writeTerminationMessage(flags.message, 'passed' in found ? gateLines(found) : [writtenText(found)]);
      }
    },
  );
}

/** A phase may be waited for by the hour, in a Job whose log is kept. */
const secondsBetweenLines = 30;

async function reportOf<R extends GateReport | CaRotationJobs | Written>(
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
      process.exitCode = 'passed' in found && !found.passed ? somethingWrong : 0;
    } finally {
      progress.stop();
    }
  });
}

function writtenText({ namespace, name }: Written): string {
  return `The Secret ${namespace}/${name} holds both authorities.`;
}

/** What every verb of `cluster-canary ca-rotation` takes. */
export interface CaRotationFlags {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** Folder with `old.crt` and `renewed.crt`. @default - the authorities' Secrets are asked */
  readonly authorities?: string;
  /** In seconds. */
  readonly wait: number;
  /** File for what came of it in short. @default - none */
  readonly message?: string;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** What `cluster-canary ca-rotation result` takes: the Jobs have read the certificates. */
export type ResultFlags = Omit<CaRotationFlags, 'authorities' | 'message'>;

/** What `cluster-canary ca-rotation check` takes beside that. */
export interface GateFlags extends CaRotationFlags {
  readonly service: readonly CalledService[];
  /** In milliseconds. */
  readonly settleTime?: number;
}

/** What `cluster-canary ca-rotation retire` takes beside that. */
export interface RetireFlags extends GateFlags {
  readonly injected: readonly InjectedObject[];
}
