import type { Problems } from '../problems';
import { dnsSubdomain, labelKey } from '../problems';
import { injectionSources } from './ca-injection';
import { intentAnnotation } from './intent';
import { checkLabels } from './check-labels';
import type { WebhookMetadata } from './webhook-props';

/** Adds what the API server would refuse in metadata, and annotations that are set otherwise. */
export function checkMetadata(problems: Problems, metadata: WebhookMetadata = {}): void {
  if (metadata.name !== undefined) {
    problems.check('metadata.name', metadata.name, dnsSubdomain);
  }
  checkLabels(problems, 'metadata.labels', metadata.labels ?? {});
  const annotations = metadata.annotations ?? {};
  Object.keys(annotations).forEach((key) => problems.check('metadata.annotations (key)', key, labelKey));
  for (const key of [...injectionSources(annotations), intentAnnotation]) {
    if (Object.hasOwn(annotations, key)) {
      problems.add(
        `metadata.annotations["${key}"]`,
        annotations[key],
        `left out: ${key === intentAnnotation ? 'intent' : 'certificate or caInjection'} sets it`,
      );
    }
  }
}
