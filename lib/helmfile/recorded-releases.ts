import type { KubeconfigParts } from '../fleet';
import type { ListedRelease } from './plan';

/**
 * What stands in Pulumi's state: what has to be known to uninstall the releases when the program no longer has them. No value
 * and no credential is in it.
 */
export interface RecordedReleases {
  /** The helmfile, as the program says it. */
  readonly file: string;
  readonly environment?: string;
  readonly selectors?: readonly string[];
  /** By namespace and name. */
  readonly releases: readonly ListedRelease[];
  /** The slot's cluster. @default - the program gave a kubeconfig, which is not kept */
  readonly cluster?: KubeconfigParts;
  /** Helm, as the program says it. */
  readonly helm?: string;
}

/**
 * Reads it from the inputs of the resource.
 *
 * @throws Error where it is something else
 */
export function recordedReleases(inputs: unknown): RecordedReleases {
  const { input } = (inputs ?? {}) as { input?: Partial<RecordedReleases> };
  if (typeof input?.file !== 'string' || !Array.isArray(input.releases)) {
    throw new Error('the record of the releases can not be read: it has been changed');
  }
  return input as RecordedReleases;
}

/** `web (front), api (back)`. */
export function describeReleases(releases: readonly ListedRelease[]): string {
  const words = releases.map(({ name, namespace }) => (namespace === '' ? name : `${name} (${namespace})`));
  return words.length === 0 ? 'no release' : words.join(', ');
}
