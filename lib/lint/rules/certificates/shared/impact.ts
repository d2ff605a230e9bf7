import type { ObjectIndex } from '../../../object-index';
import type { Severity } from '../../../rule';
import { installedCertManager } from '../../../views/cert-manager';
import type { CaBundleLocation, TrustingObject } from '../../../views/trust';
import { builtInGroups } from '../../webhooks/shared/built-in-resources';

/**
 * How long API servers refuse what a server serves.
 *
 * - `renewal`: at a renewal, until both sides have what is new. Where the injector replaces a CA, pods serve the old
 *   certificate for a minute or two longer, until the kubelet has refreshed the mounted Secret; where it merges, it is at most
 *   the second or so in which a pod that is quick serves what API servers do not know yet.
 * - `lasting`: until something is changed, or until the next renewal, which is weeks away
 */
export type RefusalDuration = 'renewal' | 'lasting';

/** For the pages of the rules about renewals: what gives a finding which severity. */
export const renewalsInWords =
  'an error where Fail refuses pods or other built-in kinds during a renewal, for the minute or two in which pods still serve ' +
  'the old certificate. A warning where cert-manager 1.19 or newer is among the objects, since it merges CAs. A warning where ' +
  "only an operator's own kinds, conversions and APIServices are refused, since their clients retry";

/**
 * What a refusal costs, which decides whether to stop a release for it.
 *
 * Nothing that lasts is harmless, unless failures are ignored. A minute at a renewal is, for an operator's own kinds, which
 * nothing but the operator and its users write, and which are tried again; it is not for pods and other built-in kinds, on
 * which everything in a cluster depends.
 */
export function impactOf(
  objects: ObjectIndex,
  trusting: Iterable<TrustingObject>,
  refusal: RefusalDuration,
): Severity {
  const anchors = [...trusting].flatMap((each) => each.anchors);
  const { merges } = objects.view(installedCertManager);
  const refuses =
    refusal === 'lasting' ? anchors.some(mayRefuse) : merges !== true && anchors.some(mayRefuseBuiltIn);
  return refuses ? 'error' : 'warning';
}

function mayRefuse({ webhook }: CaBundleLocation): boolean {
  return webhook?.failurePolicy !== 'Ignore';
}

/** A conversion is of somebody's own kind; an APIService of somebody's own group. */
function mayRefuseBuiltIn({ webhook }: CaBundleLocation): boolean {
  return (
    webhook?.failurePolicy === 'Fail' &&
    webhook.rules.some(({ apiGroups }) => apiGroups.some((each) => each === '*' || builtInGroups.has(each)))
  );
}
