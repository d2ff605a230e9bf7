import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IpFamily } from './ip-family';
import type { Entry } from './slot-ref';

/** What binds a Service to a target group. */
export interface TargetGroupBindingProps {
  /** Name of the binding. */
  readonly name: string;
  /** The entry whose Service is bound. */
  readonly entry: Entry;
  /** The target group; may be the token of an output. */
  readonly targetGroupArn: string;
  /** EKS Auto Mode has a controller and an API group of its own. */
  readonly autoMode: boolean;
  /** Addresses of the pods. */
  readonly ipFamily: IpFamily;
}

/**
 * Registers the pods of an entry's Service in a target group that was made elsewhere.
 *
 * The target group belongs to this cluster alone, so the binding's default, under which the controller takes out
 * what it did not register itself, is the right one.
 *
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
 */
export function targetGroupBinding(scope: Construct, id: string, props: TargetGroupBindingProps): ApiObject {
  const { entry, autoMode, ipFamily } = props;
  return new ApiObject(scope, id, {
    apiVersion: autoMode ? 'eks.amazonaws.com/v1' : 'elbv2.k8s.aws/v1beta1',
    kind: 'TargetGroupBinding',
    metadata: { name: props.name, namespace: entry.namespace },
    spec: {
      serviceRef: { name: entry.service, port: entry.port },
      targetGroupARN: props.targetGroupArn,
      targetType: 'ip',
      // What is left out the controller infers; so does Auto Mode's, whose API is its own.
      ...(ipFamily === 'ipv6' && !autoMode && { ipAddressType: 'ipv6' }),
    },
  });
}
