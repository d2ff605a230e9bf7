import type { Problems } from '../../problems';

/**
 * A value that an analysis is given: text; the hash of the new or the stable pods, their label
 * `rollouts-pod-template-hash`; or a field of the Rollout, such as `metadata.labels['region']`.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/#analysis-template-arguments
 */
export type AnalysisArgument =
  | string
  | {
      /** Hash of the new version's pods (`Latest`) or of the stable one's (`Stable`). */
      readonly podTemplateHash: 'Latest' | 'Stable';
    }
  | {
      /** Path of a field of the Rollout: `metadata.labels['app']`. */
      readonly field: string;
    };

/** What an analysis is given, by the names of the queries' variables. */
export type AnalysisArguments = Readonly<Record<string, AnalysisArgument>>;

/** Adds what is wrong with arguments. */
export function checkAnalysisArguments(problems: Problems, path: string, given: AnalysisArguments): void {
  for (const [name, value] of Object.entries(given)) {
    if (!isArgument(value)) {
      problems.add(
        `${path}.${name}`,
        value,
        'text, { podTemplateHash } with Latest or Stable, or { field } with a path in the Rollout',
      );
    }
  }
}

function isArgument(value: unknown): value is AnalysisArgument {
  if (typeof value === 'string') {
    return value !== '';
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [key, of] = entries[0] ?? [];
  return (
    entries.length === 1 &&
    ((key === 'podTemplateHash' && (of === 'Latest' || of === 'Stable')) ||
      (key === 'field' && typeof of === 'string' && of !== ''))
  );
}

/** The argument in Argo's words. */
export function argumentManifest(name: string, value: AnalysisArgument): object {
  if (typeof value === 'string') {
    return { name, value };
  }
  return 'field' in value
    ? { name, valueFrom: { fieldRef: { fieldPath: value.field } } }
    : { name, valueFrom: { podTemplateHashValue: value.podTemplateHash } };
}
