import type { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { CertificateAuthority } from '../certificates';
import type { OrderedObject } from './object-order';

/**
 * What waits for the gate of a re-key, each object with its gates: what a phase changes, and what waits for that.
 *
 * @param ordered in an order in which they can be created
 */
export function gatedObjects(
  chart: Construct,
  ordered: readonly OrderedObject[],
): ReadonlyMap<ApiObject, readonly ApiObject[]> {
  const gates = new Set(
    chart.node
      .findAll()
      .flatMap((each) => (each instanceof CertificateAuthority && each.gate ? [each.gate] : [])),
  );
  const gated = new Map<ApiObject, readonly ApiObject[]>();
  for (const { object, after } of ordered) {
    const found = new Set(
      after.flatMap((each) => [...(gates.has(each) ? [each] : []), ...(gated.get(each) ?? [])]),
    );
    if (found.size > 0) {
      gated.set(object, [...found]);
    }
  }
  return gated;
}
