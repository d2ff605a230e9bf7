import type { Problems } from '../../problems';

const pattern = /^v?(\d+)\.(\d+)(\.\d\S*)?$/;

/**
 * Adds a version of Kubernetes that does not have an API.
 *
 * @param version `1.35`, `v1.35.4`, `1.35.4-eks-1234567`
 * @param least minor version of Kubernetes 1 from which on it has the API
 * @param kind what is served from then on
 */
export function checkKubernetesVersion(
  problems: Problems,
  version: string,
  least: number,
  kind: string,
): void {
  // A number loses its last zero: 1.30 would be 1.3.
  const [, major, minor] = (typeof version === 'string' && pattern.exec(version)) || [];
  if (major === undefined) {
    problems.add('kubernetesVersion', version, 'a version of Kubernetes as a text: "1.36" or "v1.36.1"');
  } else if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < least)) {
    problems.add(
      'kubernetesVersion',
      version,
      `at least 1.${least}: from then on ${kind} is generally available`,
    );
  }
}
