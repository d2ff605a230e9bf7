import type { Labels } from '../../admission';
import { namespaceNameLabel } from '../../admission';
import { Field } from '../field';
import type { ObjectIndex } from '../object-index';

/** What is known of a namespace. */
export interface KnownNamespace {
  /** Name of the namespace. */
  readonly name: string;
  /** Those of its manifest, and the one that the API server sets itself: `kubernetes.io/metadata.name`. */
  readonly labels: Labels;
  /** Whether its manifest is there: else it may have further labels. */
  readonly complete: boolean;
}

/** A namespace by name, as a namespace selector sees it. */
export function namespaceOf(objects: ObjectIndex, name: string): KnownNamespace {
  const manifest = objects.find('', 'Namespace', undefined, name);
  const labels = manifest ? Field.of(manifest).get('metadata', 'labels').labels : {};
  return { name, labels: { ...labels, [namespaceNameLabel]: name }, complete: manifest !== undefined };
}
