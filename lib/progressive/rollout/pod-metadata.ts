import type { Problems } from '../../problems';
import { labelKey, labelValue } from '../../problems';

/** Labels and annotations of pods. */
export interface PodMetadata {
  /** Labels of the pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Adds what is wrong with labels and annotations. */
export function checkPodMetadata(problems: Problems, at: string, metadata: PodMetadata | undefined): void {
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    problems.check(`${at}.labels`, key, labelKey);
    problems.check(`${at}.labels.${key}`, value, labelValue);
  }
  for (const key of Object.keys(metadata?.annotations ?? {})) {
    problems.check(`${at}.annotations`, key, labelKey);
  }
}
