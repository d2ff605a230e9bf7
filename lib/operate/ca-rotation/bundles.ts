import { bundlePatch, directInjection, injectFromSecret } from '../../core/certificates/ca-bundles';
import { bundlePem } from '../../core/certificates/x509';
import type { KubernetesApi, ObjectReference } from '../../core/kubernetes/api';
import type { AskCertificate } from '../../core/tls';
import { InvalidInput } from '../../core/validation/problems';
import { checkGate } from './gate';
import type { GateReport, CaRotationTarget } from './gate';

/** Names a Secret. */
export interface SecretName {
  /** Name of the Secret. */
  readonly name: string;
  /** Namespace of the Secret. */
  readonly namespace: string;
}

/**
 * Writes the certificates of both authorities into a Secret that is there, where cert-manager's injector reads them.
 *
 * @throws KubernetesError; InvalidInput where the injector would not read the Secret
 */
export async function publishBundle(
  api: KubernetesApi,
  { name, namespace }: SecretName,
  { old, renewed }: Pick<CaRotationTarget, 'old' | 'renewed'>,
  signal?: AbortSignal,
): Promise<void> {
  const { metadata } = await api.patch(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } },
    { data: { 'ca.crt': Buffer.from(bundlePem([old, renewed])).toString('base64') } },
    signal ? { signal } : {},
  );
  if (metadata.annotations?.[directInjection] !== 'true') {
    throw new InvalidInput(`Secret ${namespace}/${name}`, [
      {
        path: `metadata.annotations["${directInjection}"]`,
        value: metadata.annotations?.[directInjection],
        allowed: '"true", or nothing is injected from it',
      },
    ]);
  }
}

/** What is retired. */
export interface CaRetirement extends CaRotationTarget {
  /** The objects whose CA bundles are written. */
  readonly configurations: readonly ObjectReference[];
  /** The Secret with both authorities, from which nothing may be injected any more. */
  readonly bundle: SecretName;
}

/**
 * Makes the new authority the only one that API servers trust, in one write an object, if every pod serves what it signed.
 * Injection alone would keep the old one until it expires: cert-manager adds to a bundle, and takes nothing out of it.
 *
 * @returns the gate of `switch` where that is not open, and nothing was written; else that of `retire`
 * @throws KubernetesError, `conflict` where an object was changed at the same moment
 */
export async function retireOldCa(
  api: KubernetesApi,
  { configurations, bundle, ...target }: CaRetirement,
  ask?: AskCertificate,
  signal?: AbortSignal,
): Promise<GateReport> {
  const before = await checkGate(api, 'switch', target, ask, signal);
  const objects = await Promise.all(configurations.map((each) => api.get(each, signal)));
  const secret = `${bundle.namespace}/${bundle.name}`;
  const injected = objects.filter(({ metadata }) => metadata.annotations?.[injectFromSecret] === secret);
  if (!before.passed || injected.length > 0) {
    const still = injected.map(
      ({ kind, metadata }) => `${kind} ${metadata.name}: still injected from the Secret ${secret}`,
    );
    return { ...before, passed: false, blockers: [...before.blockers, ...still] };
  }
  for (const object of objects) {
    const patch = bundlePatch(object, target.services, bundlePem([target.renewed]));
    if (patch) {
      await api.patch(object, patch, signal ? { signal } : {});
    }
  }
  return checkGate(api, 'retire', target, ask, signal);
}
