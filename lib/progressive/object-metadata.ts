import type { ApiObjectMetadata } from 'cdk8s';
import type { Problems, Rule, OptionsOf } from '../problems';
import { checkLabels, dnsLabel, dnsSubdomain, labelKey } from '../problems';

/** Labels and annotations of an object, or of the pods that it makes. */
export interface PodMetadata {
  /** Labels of the pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export const podMetadataKeys: OptionsOf<PodMetadata> = { labels: 'plain', annotations: 'plain' };

/** What an object is known by. */
interface NamedObject extends PodMetadata {
  readonly name: string;
  readonly namespace?: string;
}

const annotationValue: Rule = { allowed: 'text', accepts: (value) => typeof value === 'string' };

/** Adds what is wrong with labels and annotations. */
export function checkPodMetadata(problems: Problems, at: string, metadata: PodMetadata | undefined): void {
  const path = (field: string): string => (at === '' ? field : `${at}.${field}`);
  checkLabels(problems, path('labels'), metadata?.labels);
  for (const [key, value] of Object.entries(metadata?.annotations ?? {})) {
    problems.check(path('annotations'), key, labelKey);
    problems.check(path(`annotations.${key}`), value, annotationValue);
  }
}

/**
 * Adds what is wrong with the name, namespace, labels and annotations of an object.
 *
 * @param nameRule what its name may be
 */
export function checkMetadata(problems: Problems, props: NamedObject, nameRule: Rule = dnsSubdomain): void {
  problems.check('name', props.name, nameRule);
  if (props.namespace !== undefined) {
    problems.check('namespace', props.namespace, dnsLabel);
  }
  checkPodMetadata(problems, '', props);
}

/** The metadata of an object. */
export function metadataOf({ name, namespace, labels, annotations }: NamedObject): ApiObjectMetadata {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels ? { labels: { ...labels } } : {}),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
}
