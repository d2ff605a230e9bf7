import type { Rule } from '../problems';
import { kubernetesMinor } from './kubernetes-minor';

/**
 * Kubernetes versions in standard support on EKS, from the oldest to the newest that the tables here know of.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 */
export const supportedKubernetes: readonly string[] = ['1.35', '1.36'];

/** The newest of them. */
export const newestKubernetes: string = supportedKubernetes.at(-1)!;

/** The oldest version that EKS runs at all, in extended support. */
const oldest = '1.31';

/** EKS offers a new version about every four months: what comes in a year is taken before it is known here. */
const coming = `1.${kubernetesMinor(newestKubernetes)! + 3}`;

/** A Kubernetes version of an EKS cluster. */
export const eksKubernetesVersion: Rule = {
  allowed: `a Kubernetes minor version that EKS runs, "${oldest}" to "${newestKubernetes}" (newer ones, up to "${coming}", are taken as well)`,
  accepts: (value) => {
    const minor = typeof value === 'string' && /^1\.[1-9]\d*$/.test(value) ? kubernetesMinor(value)! : 0;
    return minor >= kubernetesMinor(oldest)! && minor <= kubernetesMinor(coming)!;
  },
};
