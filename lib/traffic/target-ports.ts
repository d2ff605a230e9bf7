import type { Entry } from '../fleet';
import { trafficPort } from '../fleet';

/**
 * Ports on which the load balancer speaks to an entry's targets: traffic, then health checks if they go
 * elsewhere.
 *
 * For ip targets that is the port of the pods, not the Service's: the AWS Load Balancer Controller registers
 * each pod with the port of its endpoint. For instance targets it is the node port.
 *
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
 */
export function targetPorts(entry: Entry): readonly number[] {
  const traffic = trafficPort(entry);
  return [...new Set([traffic, entry.healthCheck?.port ?? traffic])];
}
