import { text } from '../validation/values';

/** The minor release of Kubernetes that objects are for. In YAML it needs quotes: `1.30` is the number 1.3 without them. */
export const kubernetesVersion = text(
  'a minor version of Kubernetes in quotes, such as "1.36"',
  /^1\.(?:0|[1-9]\d{0,2})$/,
);
